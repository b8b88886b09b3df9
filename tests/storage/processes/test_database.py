"""Databases that can be made anew: what is in their place, and what they take of the disk."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from needs import needs_proc

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.storage.disk.private import aside_of
from ctxrepo.storage.processes import database
from ctxrepo.storage.processes.database import Schema, discard, is_sound, transaction
from ctxrepo.storage.processes.lock import is_held

FORK = multiprocessing.get_context("fork")


class Kept(Schema):
    """A table with a column."""

    def make_tables(self, db: sqlite3.Connection) -> None:
        db.execute("create table kept(text)")


def opened(path: Path) -> sqlite3.Connection:
    return Kept(1, None, "").open(path)


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
    for more in range(3):
        assert reader.execute("select count(*) from kept").fetchone() == (200 + more,)
        writer.execute("insert into kept values ('y')")
    assert log.stat().st_size < 6 << 20
    for db in (reader, writer):
        db.close()


def test_one_that_is_only_busy_is_sound_and_one_that_cant_be_read_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_LOCK_WAIT", 0.01)
    path = tmp_path / "cache.db"
    assert is_sound(path), "one that isn't there"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("create table kept(text)")
        writer.execute("begin exclusive")
        with closing(sqlite3.connect(path, timeout=0)) as reader, pytest.raises(sqlite3.OperationalError):
            reader.execute("select * from kept")
        assert is_sound(path)
        writer.execute("rollback")
    assert is_sound(path)
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 9000)
    assert not is_sound(path)


def spoil(path: Path, damage: bytes | None) -> Callable[[], None]:
    """What puts `damage` in the place of a database; None takes it away."""

    def act() -> None:
        discard(path)
        if damage is not None:
            path.write_bytes(damage)

    return act


@pytest.mark.parametrize("damage", [b"", b"garbage", b"SQLite format 3\x00" + b"\xff" * 9000, None])
def test_processes_that_find_it_damaged_at_once_make_it_anew_and_all_go_on(
    tmp_path: Path, damage: bytes | None
) -> None:
    path, rounds, many = tmp_path / "cache.db", 25, 4
    begun = FORK.Barrier(many, spoil(path, damage))
    queue = FORK.SimpleQueue()

    def write(begun: Barrier) -> None:
        failed = []
        for _ in range(rounds):
            begun.wait()
            try:
                with closing(opened(path)) as db:
                    db.execute("insert into kept values ('mine')")
            except sqlite3.Error as error:
                failed.append(str(error))
        queue.put(failed)

    writers = [FORK.Process(target=write, args=(begun,)) for _ in range(many)]
    for writer in writers:
        writer.start()
    assert [queue.get() for _ in writers] == [[]] * many
    for writer in writers:
        writer.join()
    with closing(opened(path)) as db:
        assert db.execute("select count(*) from kept").fetchone()[0] >= 1


def test_who_writes_for_long_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_LOCK_WAIT", 0.01)
    path = tmp_path / "cache.db"
    long = opened(path)

    def write() -> None:
        with closing(opened(path)) as db, transaction(db):
            db.execute("insert into kept values ('short')")

    short = threading.Thread(target=write)
    with transaction(long):
        long.execute("insert into kept values ('long')")
        short.start()
        while not is_held(path.with_name("cache.db.lock")):  # it has met the lock, and says that it waits
            time.sleep(0.01)
        assert short.is_alive()
    short.join()
    assert [row[0] for row in long.execute("select text from kept")] == ["long", "short"]
    long.close()


@needs_proc
def test_who_writes_for_ever_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LOCK_WAIT", "_WRITERS_WAIT"):
        monkeypatch.setattr(database, name, 0.01)
    path = tmp_path / "cache.db"
    opened(path).close()
    has_it, is_over = FORK.Event(), FORK.Event()

    def hold() -> None:
        with closing(opened(path)) as db, transaction(db):
            has_it.set()
            is_over.wait()

    process = FORK.Process(target=hold)
    process.start()
    try:
        has_it.wait()
        with closing(opened(path)) as db, pytest.raises(Busy) as busy, transaction(db):
            pass
    finally:
        is_over.set()
        process.join()
    assert busy.value.message == f"{path} is being written by process {process.pid}"
    assert process.pid != os.getpid()
