"""How Codex notes that our plugin is on: in its configuration."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from ctxrepo.agents.codex import install
from ctxrepo.agents.plugins import is_among


def note(user_home: Path, environment: Mapping[str, str]) -> Path:
    """The configuration, in which Codex notes it."""
    return install.folder(user_home, environment) / "config.toml"


def is_on(text: str) -> bool:
    """Whether this configuration says that our plugin is on; ValueError when it can't be read."""
    plugins = tomllib.loads(text).get("plugins")
    named = plugins.items() if isinstance(plugins, dict) else ()
    return is_among(name for name, said in named if isinstance(said, dict) and said.get("enabled") is True)
