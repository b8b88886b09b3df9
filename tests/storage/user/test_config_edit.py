"""config.toml edited, with its author's bytes left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.domain.settings.keys import key_named
from ctxrepo.domain.settings.values import RepositorySettings
from ctxrepo.errors import ConfigError
from ctxrepo.storage.user.config import read_settings, write_repository, write_value

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


def test_one_value_is_written_and_all_else_stays(file: Path) -> None:
    file.write_text(TEXT)
    assert write_value(file, key_named("sync.ttl"), 90)
    assert write_value(file, key_named("repository.review"), "branch")
    assert write_value(file, key_named("recall.limit"), 3)
    after = TEXT.replace("ttl = 60", "ttl = 90").replace('"trunk"\n', '"trunk"\nreview = "branch"\n')
    assert file.read_text() == f"{after}\n[recall]\nlimit = 3\n"
    assert not write_value(file, key_named("recall.limit"), 3)


def test_a_new_file_for_one_value_is_for_its_owner_only(file: Path) -> None:
    place = file.parent / "new" / "config.toml"
    assert write_value(place, key_named("sync.ttl"), 90)
    assert (place.stat().st_mode & 0o777, place.read_text()) == (0o600, "[sync]\nttl = 90\n")


@pytest.mark.parametrize("text", ["sync = 3\n", "[sync\n", "[sync]\nttl = 3\nttl = 4\n", "x = \n"])
def test_what_can_not_be_read_is_not_written(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError):
        write_value(file, key_named("sync.ttl"), 90)
    assert file.read_text() == text
