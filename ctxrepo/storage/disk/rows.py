"""Records that another program keeps in an SQLite database, read as lines and without making it wait."""

from __future__ import annotations

import sqlite3
import stat
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

_BUSY_SECONDS = 0.25
_SECONDS = 2.0
"""How long a query may take; a view in a hostile database has no end."""

_STEPS = 10_000
"""Instructions of SQLite between two looks at the clock: less than a millisecond."""

_ROW_BYTES = 64 * 1024 * 1024


def ends_of_rows(path: Path, query: str, session: str, most: int) -> tuple[list[str], list[str]]:
    """The texts that `query` selects for `:session`, oldest first: those within the first and within the last
    `most` bytes; of less both times all. What is no database, or can't be read to its end, ends there."""
    head: list[str] = []
    tail: deque[str] = deque()
    room, size = most, 0
    for line in _lines(path, query, session):
        length = _size(line)
        if room >= 0:
            room -= length
            head += [line] if room >= 0 else []
        tail.append(line)
        size += length
        while size > most:
            size -= _size(tail.popleft())
    return head, [*tail]


class RowReader:
    """Reads rows of the database at `path`; of a file that is no database, none. To be closed."""

    def __init__(self, path: Path) -> None:
        self._end = 0.0
        self._db = _opened(path)
        if self._db:
            self._db.set_progress_handler(lambda: time.monotonic() > self._end, _STEPS)

    def select(self, query: str, parameters: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
        """The rows that `query` selects, as long as that takes no longer than two seconds. What can't be read
        to its end ends there."""
        self._end = time.monotonic() + _SECONDS
        try:
            if self._db:
                yield from self._db.execute(query, parameters)
        except (ValueError, sqlite3.Error):
            return

    def close(self) -> None:
        if self._db:
            self._db.close()


def rows_of(path: Path, query: str, parameters: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
    """The rows of one query to the database at `path`."""
    with closing(RowReader(path)) as rows:
        yield from rows.select(query, parameters)


def _opened(path: Path) -> sqlite3.Connection | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        address = f"{path.absolute().as_uri()}?mode=ro"
        db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _ROW_BYTES)
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        db.execute("pragma trusted_schema = off")
    except (OSError, ValueError, sqlite3.Error):
        return None
    return db


def _lines(path: Path, query: str, session: str) -> Iterator[str]:
    for row in rows_of(path, query, {"session": session, "since": "", "until": ""}):
        if isinstance(row[0], str):
            yield row[0]


def _size(line: str) -> int:
    return len(line.encode("utf-8", "replace"))
