"""The facts and lessons in pi-memory's SQLite file, read from a copy: the file may be in use."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from ctxrepo.errors import Busy, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read, shown
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.sources.folder import PATIENCE

MAX_BYTES = 256 * 1024 * 1024

MAX_ROWS = 100_000

_TRIES = 5

_STEPS = 200_000_000
"""Instructions of SQLite's after which a query is given up: a file can hold what never ends."""

_QUERIES = {"semantic": "select * from semantic limit ?", "lessons": "select * from lessons limit ?"}

_FACTS = ("key", "value")
_LESSONS = ("rule", "category", "negative", "project", "is_deleted")


@dataclass(frozen=True)
class StoredFact:
    key: str
    value: str


@dataclass(frozen=True)
class StoredLesson:
    """`is_negative`: it says what not to do. `project` is '' for one that holds everywhere."""

    rule: str
    category: str
    project: str
    is_negative: bool


@dataclass(frozen=True)
class StoredFacts:
    """`deleted` counts lessons that were taken back, `unread` rows that are no text."""

    facts: tuple[StoredFact, ...]
    lessons: tuple[StoredLesson, ...]
    deleted: int
    unread: int


def read_facts(outside: Outside, file: Path, *, follow: bool = True) -> StoredFacts | None:
    """What is in the file, None where there is none. Unreadable, saying why, where it can't be read."""
    return outside.ask(file, partial(_read, file, follow), PATIENCE)


def _read(file: Path, follow: bool) -> StoredFacts | None:
    with tempfile.TemporaryDirectory(prefix="ctxrepo-") as folder:
        copy = Path(folder) / "memory.db"
        if not _copied(file, copy, follow):
            return None
        try:
            with closing(sqlite3.connect(copy)) as db:
                return _stored(db)
        except sqlite3.Error as error:
            raise Unreadable(f"{shown(file)} can't be read as a memory of pi-memory: {error}") from error


def _copied(file: Path, copy: Path, follow: bool) -> bool:
    """Copy the file and the log that goes with it, both as they were at one moment; False for no file."""
    log, log_copy = (path.with_name(f"{path.name}-wal") for path in (file, copy))
    for _ in range(_TRIES):
        before = _stamps(file, log)
        data = read(file, MAX_BYTES, follow=follow)
        if data is None:
            return False
        logged = read(log, MAX_BYTES, follow=False)
        if _stamps(file, log) == before:
            copy.write_bytes(data)
            if logged:
                log_copy.write_bytes(logged)
            return True
    raise Busy(f"{shown(file)} is being written all the time", "Try again when pi is idle.")


def _stamps(*files: Path) -> list[tuple[int, int, int] | None]:
    found: list[tuple[int, int, int] | None] = []
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            found.append(None)
        else:
            found.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return found


def _stored(db: sqlite3.Connection) -> StoredFacts:
    left = [_STEPS]

    def is_over() -> bool:
        left[0] -= 1_000_000
        return left[0] < 0

    db.execute("pragma trusted_schema = off")
    db.execute("pragma query_only = on")
    db.set_progress_handler(is_over, 1_000_000)
    tables = {str(name) for (name,) in db.execute("select name from sqlite_master where type = 'table'")}
    if not tables & {"semantic", "lessons"}:
        raise sqlite3.DatabaseError("it has neither facts nor lessons")
    facts: list[StoredFact] = []
    lessons: list[StoredLesson] = []
    deleted = unread = 0
    for key, value in _rows(db, tables, "semantic", _FACTS):
        if isinstance(key, str) and (text := _text(value)):
            facts.append(StoredFact(key, text))
        else:
            unread += 1
    for rule, category, negative, project, is_deleted in _rows(db, tables, "lessons", _LESSONS):
        if is_deleted:
            deleted += 1
        elif text := _text(rule):
            lessons.append(StoredLesson(text, _text(category), _text(project), bool(negative)))
        else:
            unread += 1
    return StoredFacts(tuple(facts), tuple(lessons), deleted, unread)


def _rows(
    db: sqlite3.Connection, tables: set[str], table: str, columns: tuple[str, ...]
) -> Iterator[tuple[object, ...]]:
    """The rows of a table in an order that is the same each time, None for a column that this version of the
    program hasn't got."""
    if table not in tables:
        return
    found = db.execute(_QUERIES[table], (MAX_ROWS,))
    names = [str(column[0]) for column in found.description]
    places = [names.index(column) if column in names else None for column in columns]
    if places[0] is None:
        raise sqlite3.DatabaseError(f"its table {table} has no column {columns[0]}")
    rows = [tuple(None if n is None else row[n] for n in places) for row in found]
    yield from sorted(rows, key=lambda row: str(row[0]))


def _text(value: object) -> str:
    """A value as text; '' for what is none."""
    if isinstance(value, int | float):
        return str(value)
    return value.strip() if isinstance(value, str) else ""
