"""What connects Claude Code, and where that stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.agents.claude import install
from ctxrepo.agents.claude.install import SETTINGS
from ctxrepo.agents.wanted import EditedDocument, SkillsFolder
from ctxrepo.errors import ConfigError

HOME = Path("/home/ada")


def paths(**environment: str) -> list[Path]:
    return [file.path for file in install.files(HOME, environment, str)]


def test_files_are_where_claude_code_looks() -> None:
    assert paths() == [HOME / ".claude/skills", HOME / ".claude/settings.json", HOME / ".claude.json"]
    moved = [Path("/w/skills"), Path("/w/settings.json"), Path("/w/.claude.json")]
    assert paths(CLAUDE_CONFIG_DIR="/w") == moved
    assert paths(CLAUDE_CONFIG_DIR="") == paths()
    with pytest.raises(ConfigError, match="CLAUDE_CONFIG_DIR"):
        install.folder(HOME, {"CLAUDE_CONFIG_DIR": "~/w"})


def test_every_hook_is_in_its_settings() -> None:
    skills, document, _ = install.files(HOME, {}, lambda event: f"run {event}")
    assert isinstance(skills, SkillsFolder)
    assert isinstance(document, EditedDocument)
    assert document.hooks == {event: f"run {event}" for event in SETTINGS.events}
