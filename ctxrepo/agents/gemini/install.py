"""Gemini CLI's installation: hooks in its settings, and our skills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ctxrepo.agents.gemini.settings import SETTINGS
from ctxrepo.agents.protocol import EditedDocument, SkillsFolder, Wanted
from ctxrepo.errors import ConfigError


def folder(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The user's folder of Gemini CLI: `.gemini` in GEMINI_CLI_HOME, else in the user's home."""
    return _home(user_home, environment) / ".gemini"


def files(user_home: Path, environment: Mapping[str, str], line: Callable[[str], str]) -> Sequence[Wanted]:
    """Hooks in the settings, and the skills in the folder that other agents read too."""
    hooks = {event: line(event) for event in SETTINGS.events()}
    return (
        EditedDocument(folder(user_home, environment) / "settings.json", SETTINGS, hooks),
        SkillsFolder(_home(user_home, environment) / ".agents" / "skills"),
    )


def _home(user_home: Path, environment: Mapping[str, str]) -> Path:
    named = environment.get("GEMINI_CLI_HOME", "")
    if named and not Path(named).is_absolute():
        raise ConfigError(
            f"GEMINI_CLI_HOME is {named!r}, which is not an absolute path", "Set it to one, or unset it."
        )
    return Path(named) if named else user_home
