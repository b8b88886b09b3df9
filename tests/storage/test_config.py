"""config.toml: what it says, what is wrong in it, and edits that leave its author's bytes alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.domain.settings import RepositorySettings, Settings
from ctxrepo.errors import ConfigError
from ctxrepo.storage.config import read_settings, write_repository

TEXT = """\
# mine
[[repository]]
path = "~/memory"   # here
remote = "git@example.org:me/memory.git"
branch = "trunk"

[sync]
ttl = 60
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_a_file_all_is_default(file: Path) -> None:
    assert read_settings(file) == Settings()


def test_values_are_read_and_their_origin_kept(file: Path) -> None:
    file.write_text(TEXT)
    settings = read_settings(file)
    assert settings.repository[0].remote == "git@example.org:me/memory.git"
    assert (settings.repository[0].branch, settings.sync.ttl) == ("trunk", 60.0)
    assert settings.origin["sync.ttl"] == str(file)
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[sync]\ntimeuot = 3", "sync.timeuot is unknown; did you mean timeout?"),
        ("[synk]\nttl = 3", "unknown section [synk]; did you mean sync?"),
        ('[sync]\nttl = "soon"', "sync.ttl must be a number, not 'soon'; its default is used"),
        ("[sync]\nttl = -1", "sync.ttl must be a number, not -1; its default is used"),
        ("[hooks]\nturn_end = [1]", "hooks.turn_end must be a list of texts, not [1]; its default is used"),
        ("recall = 3", "recall must be a section, [recall]"),
    ],
)
def test_what_is_wrong_is_one_line_and_costs_nothing_else(file: Path, text: str, told: str) -> None:
    file.write_text(text)
    settings = read_settings(file)
    assert [w.removeprefix(f"{file}: ") for w in settings.warnings] == [told]
    assert replace(settings, warnings=(), origin={}) == Settings()


@pytest.mark.parametrize("data", [b"[sync", b"\xff\xfe", b"repository = 3"])
def test_a_file_that_is_no_settings_is_refused_by_name(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        read_settings(file)


def test_naming_the_repository_keeps_what_the_author_wrote(file: Path) -> None:
    file.write_text(TEXT)
    settings = read_settings(file)
    write_repository(file, settings.repository[0])
    assert file.read_text().startswith('# mine\n[[repository]]\npath = "~/memory"   # here\n')
    write_repository(file, RepositorySettings(path="/other", remote="", branch="trunk"))
    after = read_settings(file)
    assert (after.repository[0].path, after.repository[0].branch, after.sync.ttl) == ("/other", "trunk", 60.0)
    assert "# mine" in file.read_text()


def test_a_new_file_is_for_its_owner_only(file: Path) -> None:
    write_repository(file, RepositorySettings(path="~/.ctxrepo", remote="/r.git"))
    assert file.stat().st_mode & 0o077 == 0
    assert read_settings(file).repository[0].remote == "/r.git"


def test_a_word_that_is_none_of_those_known_is_told(file: Path) -> None:
    file.write_text('[[repository]]\nreview = "brunch"\n')
    settings = read_settings(file)
    assert settings.repository[0].review == "direct"
    (warning,) = settings.warnings
    assert "repository.review must be 'direct' or 'branch', not 'brunch'; its default is used" in warning
