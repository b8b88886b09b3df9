"""Codex' own memories, which are off unless somebody turned them on."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.codex import install

NAME = "Codex' memories"
OFF = "memories = false under [features]"


def settings(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The file in which a person turns them off."""
    return install.folder(user_home, environment) / "config.toml"


def is_on(text: str, _environment: Mapping[str, str]) -> bool:
    """Whether they are on with this configuration; ValueError when it can't be read."""
    features = tomllib.loads(text).get("features")
    return isinstance(features, dict) and features.get("memories") is True
