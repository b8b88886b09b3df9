"""The strict parser, and texts that try to be something else."""

from __future__ import annotations

from hostile import hostile, parse, parser

__all__ = ["hostile", "parse", "parser"]
