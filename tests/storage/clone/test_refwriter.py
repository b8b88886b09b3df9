"""Refs that we move, make and remove are to git as if it had done so itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ctxrepo.errors import Damaged, GitFailed
from ctxrepo.storage.clone.refwriter import RefWriter, logs_setting

MAIN = "refs/heads/main"
NAMES = (MAIN, "refs/heads/a", "refs/heads/a/b", "refs/remotes/origin/main", "refs/ctxrepo/wt", "refs/tags/t")


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def made(root: Path) -> list[str]:
    """A repository with three commits on no branch."""
    git(root, "init", "-q", "-b", "main")
    tree = git(root, "write-tree").strip()
    return [git(root, "commit-tree", tree, "-m", name).strip() for name in "xyz"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.slow
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([("move", "refs/heads/a/b", 0), ("remove", "refs/heads/a", 0)])
@given(
    st.lists(
        st.tuples(st.sampled_from(("move", "set", "remove", "head", "pack", "git")), st.sampled_from(NAMES),
                  st.integers(0, 2)),
        max_size=12,
    )
)  # fmt: skip
def test_git_finds_what_we_wrote_whoever_wrote_before(deeds: list[tuple[str, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        commits = made(root)
        refs = RefWriter(root / ".git")
        expected: dict[str, str] = {}
        logged: dict[str, list[str]] = {}

        def note(name: str, oid: str) -> None:
            if name.startswith(("refs/heads/", "refs/remotes/")) and expected.get(name) != oid:
                logged.setdefault(name, []).insert(0, oid)
            expected[name] = oid

        for deed, name, number in deeds:
            oid = commits[number]
            in_the_way = any(
                ref != name and (ref.startswith(f"{name}/") or name.startswith(f"{ref}/")) for ref in expected
            )
            if deed == "pack":
                git(root, "pack-refs", "--all")
            elif deed == "head":
                refs.point_head(MAIN if number else "refs/heads/a")
            elif deed == "remove":
                refs.remove(name)
                expected.pop(name, None)
                logged.pop(name, None)
            elif in_the_way:
                with pytest.raises(GitFailed, match=r"in its way|isn't a folder"):
                    refs.set(name, oid)
            elif deed == "git":
                git(root, "update-ref", name, oid)
                note(name, oid)
            elif deed == "set":
                refs.set(name, oid)
                note(name, oid)
            else:
                assert not refs.move(name, oid, commits[number - 1] if name not in expected else None)
                assert refs.move(name, oid, expected.get(name))
                note(name, oid)
            assert refs.all() == dict(sorted(expected.items()))
        listed = git(root, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")[:-1]
        assert dict(line.split() for line in listed) == expected
        for name, oids in logged.items():
            assert git(root, "reflog", "show", "--format=%H", name).split() == oids
        assert "error" not in git(root, "fsck", "--no-dangling", "--no-progress")
        assert not list((root / ".git").rglob("*.lock"))


def test_many_at_once_lose_no_step(root: Path) -> None:
    commits = made(root)
    refs = RefWriter(root / ".git")
    refs.set(MAIN, commits[0])
    done: list[int] = []

    def turn() -> None:
        for _ in range(10):
            while True:
                now = refs.find(MAIN)
                assert now
                new = commits[(commits.index(now) + 1) % 3]
                if refs.move(MAIN, new, now):
                    done.append(1)
                    break

    threads = [threading.Thread(target=turn) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 30
    assert refs.find(MAIN) == commits[30 % 3]
    assert len(git(root, "reflog", "show", MAIN).splitlines()) == 31


def test_no_link_is_followed(root: Path) -> None:
    commits = made(root)
    refs = RefWriter(root / ".git")
    elsewhere = root / "elsewhere"
    elsewhere.mkdir()
    (root / ".git/refs/heads/link").symlink_to(elsewhere)
    with pytest.raises(GitFailed, match="isn't a folder"):
        refs.set("refs/heads/link/x", commits[0])
    (root / "file").write_text("mine\n")
    (root / ".git/refs/heads/main").symlink_to(root / "file")
    (root / ".git/logs/refs/heads").mkdir(parents=True)
    (root / ".git/logs/refs/heads/main").symlink_to(root / "file")
    refs.set(MAIN, commits[0])
    assert (root / "file").read_text() == "mine\n"
    assert list(elsewhere.iterdir()) == []
    assert not (root / ".git/refs/heads/main").is_symlink()


@pytest.mark.parametrize(
    "name", ["refs/heads/../../x", "refs/heads/a..b", "refs/heads/x.lock", "refs/heads/a b"]
)
def test_a_name_that_git_would_not_take_is_none(root: Path, name: str) -> None:
    with pytest.raises(GitFailed, match="can't be the name of a ref"):
        RefWriter(root / ".git").set(name, made(root)[0])


def test_a_ref_that_says_nothing_is_damage_and_a_symbolic_one_is_never_swapped(root: Path) -> None:
    commits = made(root)
    refs = RefWriter(root / ".git")
    (root / ".git" / MAIN).write_text("")
    with pytest.raises(Damaged):
        refs.move(MAIN, commits[0], None)
    (root / ".git" / MAIN).write_text("ref: refs/heads/other\n")
    assert not refs.move(MAIN, commits[0], None)
    os.mkfifo(root / ".git/refs/heads/pipe")
    assert refs.all() == {}


@pytest.mark.parametrize(
    ("text", "setting"),
    [("", ""), ("[core]\n\tlogAllRefUpdates = true\n", ""),
     ("[core]\n\tlogallrefupdates = always\n", "always"),
     ("[core]\n\tlogAllRefUpdates = false\n", "false")],
)  # fmt: skip
def test_whether_logs_are_begun_is_read_from_the_configurations_text(
    root: Path, text: str, setting: str
) -> None:
    assert logs_setting(text) == setting
    commits = made(root)
    RefWriter(root / ".git", setting).set("refs/tags/t", commits[0])
    RefWriter(root / ".git", setting).set(MAIN, commits[0])
    there = [name for name in ("refs/tags/t", MAIN) if (root / ".git/logs" / name).is_file()]
    assert there == {"": [MAIN], "always": ["refs/tags/t", MAIN], "false": []}[setting]
