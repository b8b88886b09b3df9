"""Another program's SQLite file is read as it is by now, even while it is written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pisources
import pytest
from machines import Machine

from ctxrepo.agents.pi.pi_memory_source import TABLES, stored_in
from ctxrepo.errors import Unreadable
from ctxrepo.sources.facts import SourceFact
from ctxrepo.sources.source import NotTaken
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.sources.program_memory import read_tables


def read(file: Path) -> tuple[list[SourceFact], list[NotTaken]] | None:
    tables = read_tables(Outside(file.parent / "silent"), "pi-memory", file, TABLES)
    return None if tables is None else stored_in(tables)


def test_what_is_only_in_the_log_is_read_and_nothing_is_written(ada: Machine) -> None:
    db = pisources.open_pi_facts(ada)
    file = ada.home / ".pi" / "memory" / "memory.db"
    with closing(db):
        assert file.with_name("memory.db-wal").stat().st_size > 0
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in file.parent.iterdir()}
        contents = read(file)
        after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in file.parent.iterdir()}
    assert contents is not None
    facts, not_taken = contents
    assert [(fact.key, fact.text) for fact in facts if fact.key] == sorted(pisources.FACTS)
    assert [fact.text for fact in facts if fact.category == "lesson"] == [
        "Never force-push the release branch",
        "Run the tests before a push",
        "Don't: Use sudo in containers",
    ]
    assert not_taken == [NotTaken("1 lesson", "deleted there")]
    assert after == before


def test_a_database_that_somebody_has_locked_is_read(ada: Machine) -> None:
    pisources.pi_facts(ada)
    file = ada.home / ".pi" / "memory" / "memory.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("begin immediate")
        assert read(file) is not None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"not a database at all, though long enough to be looked at by the library" * 20, "not a database"),
        (b"SQLite format 3\0" + b"\xff" * 4096, "can't be read"),
    ],
)
def test_what_is_no_such_database_is_one_line(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(data)
    with pytest.raises(Unreadable, match=words):
        read(file)


def test_a_table_without_its_column_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with closing(sqlite3.connect(file)) as db:
        db.execute("create table semantic (name text)")
    with pytest.raises(Unreadable, match="no column key"):
        read(file)


def test_an_older_version_has_fewer_columns_and_values_of_other_kinds_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("create table semantic (key text, value)")
        db.execute("create table lessons (id text, rule text)")
        db.execute(
            "insert into semantic values ('user.age', 41), ('user.photo', x'00ff'), (null, 'x'), ('a', '')"
        )
        db.execute("insert into lessons values ('1', 'Read first')")
    contents = read(file)
    assert contents is not None
    facts, not_taken = contents
    assert [(fact.key, fact.text) for fact in facts] == [("user.age", "41"), ("", "Read first")]
    assert not_taken == [NotTaken("3 rows", "empty, or no text")]


def test_a_database_with_other_tables_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"")
    assert read_tables(Outside(tmp_path / "silent"), "pi-memory", tmp_path / "memory.db", TABLES) == {}


def test_no_file_is_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "memory.db") is None


def test_a_text_that_is_none_spoils_no_other_and_is_not_told(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("create table semantic (key text, value text)")
        db.execute("insert into semantic values ('a', cast(x'6869ff' as text)), ('b', 'whole')")
    contents = read(file)
    assert contents is not None
    assert [fact.text for fact in contents[0]] == ["hi\ufffd", "whole"]


@pytest.mark.slow
def test_what_a_column_computes_is_read_up_to_a_size_and_not_at_all_where_nobody_asks(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    for size, columns in ((100, "value as ({})"), (60, "value as ({})"), (100, "value, other as ({})")):
        file.unlink(missing_ok=True)
        with closing(sqlite3.connect(file)) as db, db:
            db.execute(f"create table semantic (key text, {columns.format(f'zeroblob({size}000000)')})")
            db.executemany("insert into semantic (key) values (?)", [(str(number),) for number in range(5)])
        if "other" in columns:
            assert read(file) is not None
        else:
            with pytest.raises(Unreadable, match="too big" if size == 100 else "more than 256 MiB"):
                read(file)
