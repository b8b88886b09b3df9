"""config.toml: what it says, and what is wrong in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ctxrepo.domain.settings.values import Settings
from ctxrepo.errors import ConfigError
from ctxrepo.storage.user.config import is_kept, keep_settings, line_numbers, read_settings

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
    ("text", "message"),
    [
        ("[sync]\ntimeuot = 3", "2: sync.timeuot is unknown; did you mean sync.timeout?"),
        ("[synk]\nttl = 3", "1: unknown section [synk]; did you mean sync?"),
        (
            '[sync]\nttl = "soon"',
            "2: sync.ttl must be a number up to 2592000, not 'soon'; its default is used",
        ),
        ("[sync]\nttl = -1", "2: sync.ttl must be a number up to 2592000, not -1; its default is used"),
        (
            "[hooks]\nturn_end = [1]",
            "2: hooks.turn_end must be a list of commit, not [1]; its default is used",
        ),
        ("recall = 3", "1: recall must be a section, [recall]"),
        ("timeout = 3", "1: timeout stands in no section; did you mean sync.timeout?"),
        ("# one\n[recall]\n\nttl = 3", "4: recall.ttl is unknown; did you mean sync.ttl?"),
        ("[sync]\nttl = inf", "2: sync.ttl must be a number up to 2592000, not inf; its default is used"),
        (
            "[recall]\nlimit = 1.5",
            "2: recall.limit must be a whole number up to 100, not 1.5; its default is used",
        ),
        (
            '[hooks]\nsession_end = [\n  "comit",\n]',
            "2: hooks.session_end must be a list of commit and push, not ['comit']; its default is used",
        ),
    ],
)
def test_what_is_wrong_is_one_line_and_costs_nothing_else(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    settings = read_settings(file)
    assert [w.removeprefix(f"{file}:") for w in settings.warnings] == [message]
    assert replace(settings, warnings=(), origin={}) == Settings()


@pytest.mark.parametrize("data", [b"[sync", b"\xff\xfe", b"repository = 3"])
def test_a_file_that_is_no_settings_is_refused_by_name(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        read_settings(file)


def test_a_word_that_is_none_of_those_known_is_told(file: Path) -> None:
    file.write_text('[[repository]]\nreview = "brunch"\n')
    settings = read_settings(file)
    assert settings.repository[0].review == "direct"
    (warning,) = settings.warnings
    assert ":2: repository.review must be direct or branch, not 'brunch'; its default is used" in warning


def test_the_first_repository_tells_where_it_comes_from(file: Path) -> None:
    file.write_text('[[repository]]\npath = "/a"\n\n[[repository]]\nremote = "x"\nreview = 3\n')
    settings = read_settings(file)
    assert settings.origin == {"repository.path": str(file), "repository[1].remote": str(file)}
    assert settings.warnings[0].startswith(f"{file}:6: repository[1].review must be")
    assert line_numbers(file)["repository.path"] == 2


@pytest.mark.parametrize(
    ("remote", "is_clean"),
    [("https://git.example.org/m.git", True), ("https://ada:s3cr3t-w0rd@git.example.org/m.git", False)],
)
def test_a_copy_for_bad_days_is_kept_unless_it_would_spread_a_password(
    tmp_path: Path, remote: str, is_clean: bool
) -> None:
    file, copy = tmp_path / "config.toml", tmp_path / "before.toml"
    file.write_bytes(f'[[repository]]\r\nremote = "{remote}"\r\n'.encode())
    keep_settings(file, copy)
    assert copy.exists() is is_clean
    assert not is_clean or copy.read_bytes() == file.read_bytes()
    assert is_kept(file, copy) is is_clean
    file.write_bytes(file.read_bytes().replace(b"m.git", b"n.git"))
    assert not is_kept(file, copy)
