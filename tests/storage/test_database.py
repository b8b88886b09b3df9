"""Databases that can be made anew: what is in their place, and what they take of the disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.database import aside_of, open_database


def opened(path: Path) -> sqlite3.Connection:
    return open_database(
        path,
        lambda db: bool(db.execute("pragma user_version").fetchone()[0]),
        lambda db: [db.execute("create table kept(text)"), db.execute("pragma user_version = 1")][0].close(),
    )


def test_a_folder_in_its_place_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    path.mkdir()
    (path / "whose").touch()
    opened(path).close()
    assert path.is_file()
    assert (aside_of(path) / "whose").exists()
    path.unlink()
    path.mkdir()
    with pytest.raises(CtxrepoError, match="is a folder"):
        opened(path)


def test_its_log_gives_the_disk_back_though_somebody_reads(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    writer, reader = opened(path), opened(path)
    log = path.with_name("cache.db-wal")
    writer.execute("begin")
    writer.executemany("insert into kept values (?)", (("x" * 100_000,) for _ in range(200)))
    writer.execute("commit")
    assert log.stat().st_size > 10 << 20
    for _ in range(3):
        assert reader.execute("select count(*) from kept").fetchone()
        writer.execute("insert into kept values ('y')")
    assert log.stat().st_size < 6 << 20
    for db in (reader, writer):
        db.close()
