"""What is said of a database that the disk keeps from us: a line, and no report is asked for."""

from __future__ import annotations

import sqlite3

from ctxrepo.app.surprise import of_database
from ctxrepo.errors import Busy


def test_a_disk_that_takes_no_database_is_told_with_what_to_look_at() -> None:
    for words in ("unable to open database file", "database or disk is full", "disk I/O error"):
        error = of_database(sqlite3.OperationalError(words), {})
        assert error
        assert words in error.message
        assert "quota" in error.hint
    assert isinstance(of_database(sqlite3.OperationalError("database is locked"), {}), Busy)


def test_any_other_error_is_a_surprise() -> None:
    assert of_database(sqlite3.ProgrammingError("closed"), {}) is None
    assert of_database(ValueError("x"), {}) is None
