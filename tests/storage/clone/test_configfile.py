"""A configuration of plain lines is read and changed as git itself would do it, without a git process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ctxrepo.errors import GitFailed
from ctxrepo.storage.clone.configfile import configure, entries, values

ORDINARY = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n"
    '[remote "origin"]\n\turl = https://git.example.org/ada/memory.git\n'
    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    "# a person's own\n[user]\n\tname = Ada Łoś\n"
)
ENV = dict(os.environ)
NO_GIT: Mapping[str, str] = {"PATH": "/nonexistent"}

lines = st.sampled_from(
    [
        "[core]",
        "[Core]",
        '[remote "origin"]',
        '[remote "Origin"]',
        '[remote ""]',
        "[a.b]",
        '[a "x\\"y"]',
        "[core] bare = true",
        "[core",
        "\tbare = true",
        "bare=true",
        "BARE = yes",
        "  name =  Ada  Łoś  ",
        "\turl = a b\tc",
        "\turl = a # said",
        '\turl = "a;b"',
        "\turl = a\\",
        "\tbare",
        "\tbare =",
        "; x",
        "# x",
        "",
        "   ",
        "\tn-1 = 2",
        "\t-n = 2",
        "\t1n = 2",
        "\tn_1 = 2",
        "\tk = v\r",
        "\tk = \x0bv",
        "\tk = v\x85w",
    ]
)


def by_git(file: Path) -> list[tuple[str, str]] | None:
    """What git says is in the file, None when it can't read it."""
    words = ["git", "config", "--file", str(file), "--no-includes", "--null", "--list"]
    completed = subprocess.run(words, capture_output=True, check=False)
    if completed.returncode:
        return None
    pairs = (item.partition("\n") for item in completed.stdout.decode().split("\0")[:-1])
    return [(key, value) for key, _, value in pairs]


@given(st.lists(lines, max_size=8), st.booleans())
@example(["[core]", "\tbare = true", "; x", '[remote "origin"]', "\turl = a"], True)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_is_read_as_git_reads_it(tmp_path: Path, chosen: list[str], ends: bool) -> None:
    file = tmp_path / "config"
    file.write_bytes(("\n".join(chosen) + ("\n" if ends else "")).encode())
    try:
        pairs: list[tuple[str, str]] | None = entries(file, ENV)
    except GitFailed:
        pairs = None
    assert pairs == by_git(file)


KEYS = ("core.bare", "remote.origin.url", "remote.Origin.url", "merge.ctxrepo.driver", "New.key", "a.x y.k")
VALUES = ("true", "", "a  b", " a", "a#b", 'say "x"', "back\\slash", "Łoś", "'/opt/my python/bin' -I %O")


@given(
    st.lists(lines, max_size=8),
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES), min_size=1, max_size=3),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_is_changed_as_git_changes_it(tmp_path: Path, chosen: list[str], wanted: dict[str, str]) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for file in (ours, theirs):
        file.write_bytes("\n".join(chosen).encode())
    codes = [
        subprocess.run(
            ["git", "config", "--file", str(theirs), "--replace-all", key, value],
            capture_output=True,
            check=False,
        ).returncode
        for key, value in wanted.items()
    ]
    if any(codes):
        with pytest.raises(GitFailed):
            configure(ours, ENV, wanted)
        return
    configure(ours, ENV, wanted)
    assert sorted(by_git(ours) or []) == sorted(by_git(theirs) or [])


def test_an_ordinary_one_needs_no_git(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(ORDINARY)
    file.chmod(0o640)
    configure(file, NO_GIT, {"remote.origin.url": "/srv/m.git", "user.email": "ada@x", "core.bare": "false"})
    assert file.read_text() == (
        ORDINARY.replace("https://git.example.org/ada/memory.git", "/srv/m.git")
        .replace("\tfilemode = true\n", "\tfilemode = true\n\tbare = false\n")
        + "\temail = ada@x\n"
    )  # fmt: skip
    assert values(file, "remote.origin.url", NO_GIT) == ["/srv/m.git"]
    assert file.stat().st_mode & 0o777 == 0o640
    assert not list(tmp_path.glob("config?*"))


def test_a_lock_of_gits_is_respected_and_stays(tmp_path: Path) -> None:
    file, lock = tmp_path / "config", tmp_path / "config.lock"
    file.write_text(ORDINARY)
    lock.touch()
    with pytest.raises(GitFailed, match="can't be written"):
        configure(file, ENV, {"core.bare": "false"})
    assert file.read_text() == ORDINARY
    assert lock.exists()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    file = tmp_path / "elsewhere"
    file.write_text(ORDINARY)
    (tmp_path / "config").symlink_to(file)
    with pytest.raises(GitFailed, match="can't be written"):
        configure(tmp_path / "config", ENV, {"core.bare": "false"})
    assert file.read_text() == ORDINARY
