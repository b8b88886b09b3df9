"""Records in another program's database: read within bounds, and nobody is kept waiting."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ctxrepo.storage.disk import recent
from ctxrepo.storage.disk.recent import ends_of_rows

QUERY = "select line from said where session = :session order by n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a?b#c.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("pragma journal_mode = wal")
        db.execute("create table said (n integer primary key, session text, line)")
        lines = [(number, "s1", f"line {number:02}") for number in range(10)]
        db.executemany("insert into said values (?, ?, ?)", [*lines, (99, "s2", "another's")])
    return path


def test_both_ends_are_read_within_the_bound(database: Path) -> None:
    every = [f"line {number:02}" for number in range(10)]
    assert ends_of_rows(database, QUERY, "s1", 1000) == (every, every, True)
    assert ends_of_rows(database, QUERY, "s1", 21) == (every[:3], every[-3:], False)
    assert ends_of_rows(database, QUERY, "s1", 20) == (every[:2], every[-2:], False)
    assert ends_of_rows(database, QUERY, "s1", 1) == ([], [], False)
    assert ends_of_rows(database, QUERY, "nobody", 1000) == ([], [], True)


def test_what_is_no_text_is_passed_over(database: Path) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("update said set line = null where n = 1")
        db.execute("update said set line = 7 where n = 2")
        db.execute("update said set line = cast(x'ff41' as text) where n = 3")
    head, _, _ = ends_of_rows(database, QUERY, "s1", 1000)
    assert head[:3] == ["line 00", "\ufffdA", "line 04"]


def test_nothing_is_written_and_a_writer_is_not_kept_waiting(database: Path) -> None:
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as agent:
        agent.execute("begin immediate")
        agent.execute("insert into said values (50, 's1', 'not yet there')")
        head, _, _ = ends_of_rows(database, QUERY, "s1", 1000)
        agent.execute("commit")
    assert len(head) == 10
    assert ends_of_rows(database, "delete from said returning line", "s1", 1000) == ([], [], True)
    assert len(ends_of_rows(database, QUERY, "s1", 1000)[0]) == 11


def test_a_database_that_is_locked_is_left_soon(database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as agent:
        agent.execute("pragma locking_mode = exclusive")
        agent.execute("pragma journal_mode = delete")
        agent.execute("begin exclusive")
        began = time.monotonic()
        assert ends_of_rows(database, QUERY, "s1", 1000) == ([], [], True)
        assert time.monotonic() - began < 5


def test_what_is_no_database_is_as_empty(tmp_path: Path, database: Path) -> None:
    (tmp_path / "text").write_text("hello, I am no database\n" * 100)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    torn = tmp_path / "torn"
    torn.write_bytes(database.read_bytes()[:5000] + b"\xff" * 3000)
    for name in ("text", "folder", "pipe", "torn", "nothing"):
        assert ends_of_rows(tmp_path / name, QUERY, "s1", 1000) == ([], [], True), name
    assert not (tmp_path / "nothing").exists()


def test_a_view_without_end_is_left_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "_SECONDS", 0.2)
    path = tmp_path / "hostile.db"
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n where i < 0"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"create view said as select 's1' as session, 1 as n, i as line from ({endless})")
    began = time.monotonic()
    assert ends_of_rows(path, QUERY, "s1", 1000) == ([], [], True)
    assert time.monotonic() - began < 10


def test_a_row_of_any_size_ends_it(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "_ROW_BYTES", 1000)
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("update said set line = hex(zeroblob(1000)) where n = 5")
    head, tail, _ = ends_of_rows(database, QUERY, "s1", 100_000)
    assert head == tail
    assert len(head) <= 5
