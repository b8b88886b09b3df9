"""The cache can be asked whether it says what the notes say, and made anew."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture
def mine(cli: Terminal) -> Terminal:
    cli("remember", "the port is 5433", "--scope", "global")
    cli("new", "global:db", "--description", "about the database")
    assert cli("cache").code == 0
    return cli


def place(mine: Terminal) -> Path:
    return mine.machine.open().cache.path


def change(mine: Terminal, statement: str) -> None:
    db = sqlite3.connect(place(mine))
    db.execute(statement)
    db.commit()
    db.close()


def test_a_cache_that_is_right_is_said_to_be(mine: Terminal) -> None:
    answer = mine("cache", "verify")
    assert (answer.code, answer.out) == (0, "the cache says what the notes say\n")


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("update note set hash = 'x' where path = 'global/db.md'", "global/db.md says something else"),
        ("delete from note where path = 'global/db.md'", "global/db.md is missing"),
        ("update note set path = 'global/b.md' where path = 'global/db.md'", "is there, and is no note"),
        ("delete from words_data where id > 10", "what its words are found by is damaged"),
    ],
)
def test_what_is_wrong_is_told_and_mended(mine: Terminal, statement: str, finding: str) -> None:
    change(mine, statement)
    answer = mine("cache", "verify", "--json")
    assert answer.code == 1
    assert any(finding in line for line in answer.data["findings"]), answer.data
    assert "`ctxrepo cache rebuild`" in mine("cache").out
    rebuilt = mine("cache", "rebuild", "--json")
    assert (rebuilt.code, rebuilt.data["notes"], rebuilt.data["entries"]) == (0, 2, 4)
    assert mine("cache", "verify").code == 0
    assert "5433" in mine("search", "port").out


def test_a_cache_that_cannot_be_read_at_all_is_made_anew(mine: Terminal) -> None:
    path = place(mine)
    for name in ("cache.db-wal", "cache.db-shm"):
        path.with_name(name).unlink(missing_ok=True)
    path.write_bytes(b"\0" * 8192)
    assert mine("cache", "verify").code == 0
    assert "5433" in mine("search", "port").out
