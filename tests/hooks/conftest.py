"""A memory with the usual notes, the strict parser, and texts that try to be something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile import hostile, parse, parser
from world import NOTES, World

__all__ = ["hostile", "parse", "parser", "world"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A memory with the usual notes in its cache."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world
