"""Claude Code's installation: hooks in its settings, and our skills in its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.claude.settings import SETTINGS
from ctxrepo.agents.protocol import EditedDocument, SkillsFolder, Wanted
from ctxrepo.errors import ConfigError


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Claude Code: CLAUDE_CONFIG_DIR, else ~/.claude."""
    named = environment.get("CLAUDE_CONFIG_DIR", "")
    if named and not Path(named).is_absolute():
        raise ConfigError(
            f"CLAUDE_CONFIG_DIR is {named!r}, which is not an absolute path", "Set it to one, or unset it."
        )
    return Path(named) if named else user_home / ".claude"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Our skills, and hooks in the settings."""
    root = folder(user_home, environment)
    hooks = {event: line(event) for event in SETTINGS.events()}
    return (SkillsFolder(root / "skills"), EditedDocument(root / "settings.json", SETTINGS, hooks))
