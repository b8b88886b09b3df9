"""Events and versions that hooks leave for the worker."""

from __future__ import annotations

import _sqlite3
import json
import os
from pathlib import Path

import pytest

from ctxrepo.hot import spool as module
from ctxrepo.hot.spool import MAX_VERSION, MAX_VERSIONS, keep_version, spool, written


@pytest.fixture
def db() -> _sqlite3.Connection:
    return _sqlite3.connect(":memory:")


def test_a_line_says_what_is_known_and_leaves_out_the_rest(db: _sqlite3.Connection, tmp_path: Path) -> None:
    folder = tmp_path / "repo"
    said = {"session": "s", "cwd": '/a "b"\n日本', "source": "", "prompt": "not for the spool"}
    assert spool(db, str(folder), "start", "claude", said)
    (line,) = (folder / "spool.jsonl").read_text().splitlines()
    fields = json.loads(line)
    assert isinstance(fields.pop("at"), float)
    assert fields == {"event": "start", "agent": "claude", "session": "s", "cwd": '/a "b"\n日本'}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_version_is_the_bytes_as_they_are_now(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_bytes(b"\xff\x00one")
    first = keep_version(str(tmp_path), written(str(note)))
    note.write_bytes(b"two")
    second = keep_version(str(tmp_path), written(str(note)))
    assert (tmp_path / "versions" / first).read_bytes() == b"\xff\x00one"
    assert (tmp_path / "versions" / second).read_bytes() == b"two"


def test_what_is_no_small_regular_file_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (MAX_VERSION + 1))
    (tmp_path / "link").symlink_to(tmp_path / "big")
    os.mkfifo(tmp_path / "pipe")
    for name in ("big", "link", "pipe", "none", "."):
        assert keep_version(str(tmp_path), written(str(tmp_path / name))) == ""
    assert not (tmp_path / "versions").exists()
    (tmp_path / "fits").write_bytes(b"x" * MAX_VERSION)
    assert keep_version(str(tmp_path), written(str(tmp_path / "fits")))


def test_a_spool_nobody_reads_stops_growing(
    db: _sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 70_000)
    while spool(db, str(tmp_path), "stop", "claude", {"cwd": "x" * 9000}):
        pass
    (tmp_path / "note.md").write_text("x")
    assert keep_version(str(tmp_path), written(str(tmp_path / "note.md"))) == ""
    assert (tmp_path / "spool.jsonl").stat().st_size <= 70_000


def test_where_it_cannot_be_written_nothing_fails(db: _sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / "repo").write_text("a file in the way")
    assert not spool(db, str(tmp_path / "repo"), "stop", "claude", {})


def test_beyond_so_many_versions_none_is_kept(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("- a fact\n")
    names = {keep_version(str(tmp_path), written(str(note))) for _ in range(MAX_VERSIONS)}
    assert "" not in names
    assert keep_version(str(tmp_path), written(str(note))) == ""
    (tmp_path / "versions" / names.pop()).unlink()
    assert keep_version(str(tmp_path), written(str(note))) != ""
