"""Blob ids remembered by stamp: never a stale one, and no reading where nothing changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxrepo.domain.blob import blob_id
from ctxrepo.storage import stamps
from ctxrepo.storage.scan import Scan
from ctxrepo.storage.stamps import Stamps
from ctxrepo.storage.worktree import Worktree


@pytest.fixture
def tree(tmp_path: Path) -> Worktree:
    (tmp_path / "clone").mkdir()
    return Worktree(tmp_path / "clone", tmp_path / "scratch")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "stamps.db"


def file_ids(database: Path, tree: Worktree, scan: Scan) -> dict[str, str]:
    """As a look at the worktree does it."""
    kept = Stamps(database)
    return stamps.file_ids(kept, tree, scan, kept.read())


def settled(scan: Scan) -> Scan:
    """The same files as if nobody had touched them for an hour."""
    hour = 3_600_000_000_000
    older = {
        path: stamp._replace(mtime_ns=stamp.mtime_ns - hour, ctime_ns=stamp.ctime_ns - hour)
        for path, stamp in scan.files.items()
    }
    return Scan(older, scan.skipped)


def test_what_is_settled_is_not_read_again(tree: Worktree, database: Path) -> None:
    tree.write("a.md", b"one")
    scan = settled(tree.scan())
    first = file_ids(database, tree, scan)
    assert first == {"a.md": blob_id(b"one")}
    (tree.root / "a.md").write_bytes(b"two")  # under a stamp that says nothing of it
    assert file_ids(database, tree, scan) == first
    assert file_ids(database, tree, tree.scan()) == {"a.md": blob_id(b"two")}


@pytest.mark.parametrize("field", ["mtime_ns", "ctime_ns"])
def test_what_changed_a_moment_ago_is_not_believed(tree: Worktree, database: Path, field: str) -> None:
    # Within one tick of the clock a file can change twice and keep its stamp.
    tree.write("a.md", b"one")
    old, now = settled(tree.scan()).files["a.md"], time.time_ns()
    scan = Scan({"a.md": old._replace(**{field: now})}, {})
    assert file_ids(database, tree, scan) == {"a.md": blob_id(b"one")}
    (tree.root / "a.md").write_bytes(b"two")
    assert file_ids(database, tree, scan) == {"a.md": blob_id(b"two")}


@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "inode"])
def test_a_stamp_that_differs_in_anything_is_another(tree: Worktree, database: Path, field: str) -> None:
    tree.write("a.md", b"one")
    scan = settled(tree.scan())
    file_ids(database, tree, scan)
    (tree.root / "a.md").write_bytes(b"two")
    stamp = scan.files["a.md"]
    other = Scan({"a.md": stamp._replace(**{field: getattr(stamp, field) + 1})}, {})
    assert file_ids(database, tree, other) == {"a.md": blob_id(b"two")}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        assert file_ids(database, tree, tree.scan()) == truth


def test_what_is_gone_is_forgotten(tree: Worktree, database: Path) -> None:
    tree.write("a.md", b"one")
    scan = settled(tree.scan())
    file_ids(database, tree, scan)
    assert file_ids(database, tree, Scan({}, {})) == {}
    (tree.root / "a.md").write_bytes(b"two")
    assert file_ids(database, tree, scan) == {"a.md": blob_id(b"two")}


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
        assert file_ids(database, tree, settled(tree.scan())) == {"a.md": blob_id(b"one")}
