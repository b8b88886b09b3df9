"""How Copilot CLI notes that our plugin is on: in its settings, as Claude Code does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.copilot import install
from ctxrepo.agents.plugins import is_enabled


def note(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The settings, in which Copilot CLI notes it."""
    return install.folder(user_home, environment) / "settings.json"


def is_on(text: str) -> bool:
    """Whether these settings say that our plugin is on."""
    return is_enabled(text)
