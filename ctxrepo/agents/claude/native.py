"""Claude Code's own memory, which it calls auto memory and which is on unless somebody turned it off."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.claude import install
from ctxrepo.agents.claude.settings import SETTINGS

NAME = "Claude Code's auto memory"
OFF = '"autoMemoryEnabled": false'


def settings(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The file in which a person turns it off."""
    return install.folder(user_home, environment) / "settings.json"


def is_on(text: str, environment: Mapping[str, str]) -> bool:
    """Whether it is on with these settings; ValueError when they can't be read."""
    if environment.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower() in ("1", "true", "yes", "on"):
        return False
    return SETTINGS.settings(text).get("autoMemoryEnabled") is not False
