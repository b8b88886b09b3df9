"""Blob ids remembered by stamp: never a stale one, and no reading where nothing changed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.worktree.disk import read_worktree
from ctxrepo.storage.worktree.scan import Listing, Stamp
from ctxrepo.storage.worktree.stamps import FolderSnapshot, Stamps, read_folder
from ctxrepo.storage.worktree.worktree import Worktree

HOUR = 3_600_000_000_000


@pytest.fixture
def tree(tmp_path: Path) -> Worktree:
    (tmp_path / "clone").mkdir()
    return Worktree(tmp_path / "clone", tmp_path / "scratch")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "stamps.db"


def listing(tree: Worktree) -> Listing:
    (listing,) = tree.walk()
    return listing


def settled(listing: Listing) -> Listing:
    """The same folder as if nobody had touched its files for an hour."""
    return with_stamps(listing, lambda s: s._replace(mtime_ns=s.mtime_ns - HOUR, ctime_ns=s.ctime_ns - HOUR))


def with_stamps(listing: Listing, change: Callable[[Stamp], Stamp]) -> Listing:
    return replace(listing, there={name: change(stamp) for name, stamp in listing.there.items()})


def ids(snapshot: FolderSnapshot) -> dict[str, str]:
    """name -> blob id; the tree has to be the one that git makes of them."""
    files: dict[str, str] = json.loads(snapshot.ids)
    lines = "".join(f"100644 blob {oid}\t{name}\n" for name, oid in files.items())
    words = ("git", "mktree", "--missing")
    with tempfile.TemporaryDirectory() as bare:
        subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
        made = subprocess.run(words, cwd=bare, input=lines, capture_output=True, text=True, check=True)
    assert snapshot.tree == made.stdout.strip()
    return files


def test_what_is_settled_is_not_read_again(tree: Worktree) -> None:
    tree.write("a.md", b"one")
    before = settled(listing(tree))
    first = read_folder(tree, before, None)
    assert ids(first) == {"a.md": blob_id(b"one")}
    (tree.root / "a.md").write_bytes(b"two")  # under a stamp that says nothing of it
    assert read_folder(tree, before, first) is first
    assert ids(read_folder(tree, listing(tree), first)) == {"a.md": blob_id(b"two")}


def test_beside_a_file_that_changed_the_others_are_not_read_again(tree: Worktree) -> None:
    tree.write_all({"a.md": b"one", "b.md": b"one"})
    before = settled(listing(tree))
    first = read_folder(tree, before, None)
    (tree.root / "a.md").write_bytes(b"two")
    (tree.root / "b.md").write_bytes(b"two")
    changed = replace(before, there={**before.there, "b.md": listing(tree).there["b.md"]})
    assert ids(read_folder(tree, changed, first)) == {"a.md": blob_id(b"one"), "b.md": blob_id(b"two")}


@pytest.mark.parametrize("field", ["mtime_ns", "ctime_ns"])
def test_what_changed_a_moment_ago_is_not_believed(tree: Worktree, field: str) -> None:
    # Within one tick of the clock a file can change twice and keep its stamp.
    tree.write("a.md", b"one")
    now = time.time_ns()
    before = with_stamps(settled(listing(tree)), lambda s: s._replace(**{field: now}))
    first = read_folder(tree, before, None)
    assert ids(first) == {"a.md": blob_id(b"one")}
    (tree.root / "a.md").write_bytes(b"two")
    assert ids(read_folder(tree, before, first)) == {"a.md": blob_id(b"two")}


@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_a_stamp_that_differs_in_anything_is_another(tree: Worktree, field: str) -> None:
    tree.write("a.md", b"one")
    before = settled(listing(tree))
    first = read_folder(tree, before, None)
    (tree.root / "a.md").write_bytes(b"two")
    other = with_stamps(before, lambda s: s._replace(**{field: getattr(s, field) + 1}))
    assert ids(read_folder(tree, other, first)) == {"a.md": blob_id(b"two")}


def test_what_may_not_be_part_of_the_memory_is_told_each_time(tree: Worktree) -> None:
    tree.write("a.md", b"one")
    (tree.root / "link.md").symlink_to("a.md")
    (tree.root / "con.md").write_bytes(b"x")
    (tree.root / ".a.md.swp").write_bytes(b"x")
    first = read_folder(tree, settled(listing(tree)), None)
    assert ids(first) == {"a.md": blob_id(b"one")}
    assert json.loads(first.skipped) == {
        "link.md": "is a symbolic link",
        "con.md": "has a name that Windows reserves",
    }
    assert read_folder(tree, settled(listing(tree)), first) is first


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from([b"x", b"y", None]), st.booleans(), st.booleans()),
        max_size=8,
    )
)
def test_no_sequence_of_rewrites_brings_a_stale_id(
    tree: Worktree, database: Path, steps: list[tuple[str, bytes | None, bool, bool]]
) -> None:
    for name, data, in_place, back in steps:
        file = tree.root / f"{name}.md"
        if data is None:
            file.unlink(missing_ok=True)
        elif in_place and file.exists():
            before = file.stat()
            file.write_bytes(data)
            if back:  # as a tool does that wants the old date kept
                os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        else:
            tree.write(f"{name}.md", data)
        truth = {p.name: blob_id(p.read_bytes()) for p in tree.root.iterdir()}
        assert read_worktree(Stamps(database), tree)[0].files == truth


def test_what_was_kept_comes_back_and_what_is_gone_does_not(database: Path) -> None:
    first, second = FolderSnapshot("1", "2", "3", "4"), FolderSnapshot("{}", "{}", "{}", "5")
    stamps = Stamps(database)
    assert stamps.read() == {}
    stamps.keep({"": first, "global": first}, ())
    stamps.keep({"": second}, ["global", "never there"])
    assert stamps.read() == {"": second}


@pytest.mark.parametrize("damage", [b"", b"garbage", b"SQLite format 3\0" + b"\xff" * 5000, None])
def test_a_database_that_can_not_be_used_costs_time_only(
    tree: Worktree, database: Path, damage: bytes | None
) -> None:
    tree.write("a.md", b"one")
    if damage is None:
        database.mkdir()
    else:
        database.write_bytes(damage)
    for _ in range(2):
        assert read_worktree(Stamps(database), tree)[0].files == {"a.md": blob_id(b"one")}


def test_a_database_that_somebody_else_writes_is_kept(
    tree: Worktree, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree.root / "a.md").write_text("- a\n")
    stamps = Stamps(database)
    read_worktree(stamps, tree)
    before = stamps.read()
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", partial(connect, timeout=0.01))
    with closing(connect(database, isolation_level=None)) as other:
        other.execute("begin exclusive")
        assert stamps.read() == {}
        stamps.keep({}, ["a"])
        other.execute("rollback")
    assert stamps.read() == before
