"""Gemini CLI's own memory, which it calls auto memory and which is off unless somebody turned it on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.gemini import install
from ctxrepo.agents.gemini.settings import SETTINGS

NAME = "Gemini CLI's auto memory"
OFF = '"experimental": { "autoMemory": false }'


def settings(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The file in which a person turns it off."""
    return install.folder(user_home, environment) / "settings.json"


def is_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether it is on with these settings; ValueError when they can't be read."""
    experimental = SETTINGS.settings(text).get("experimental")
    return isinstance(experimental, dict) and experimental.get("autoMemory") is True
