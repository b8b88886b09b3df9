"""What other programs write: the newest files of a folder, and rows of a database."""

import os
import sqlite3
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from ctxrepo.storage.disk.foreign import open_regular

MAX_BYTES = 16 * 1024 * 1024
HEAD_BYTES = 2 * 1024 * 1024
"""How much of the beginning of a file over MAX_BYTES is read, beside its end, where what is new stands."""


def globbed(folder: Path, patterns: str) -> Iterator[Path]:
    """What is below a folder and fits one of these patterns, which `|` parts."""
    return chain.from_iterable(folder.glob(pattern) for pattern in patterns.split("|"))


def newest(folder: Path, pattern: str, count: int) -> list[Path]:
    """The `count` regular files that were written last, the last one first; [] when there is no folder."""
    files = []
    for path in globbed(folder, pattern):
        with suppress(OSError):
            there = path.stat()
            if stat.S_ISREG(there.st_mode):
                files.append((there.st_mtime, path))
    return [path for _, path in sorted(files, reverse=True)[:count]]


Opener = Callable[[Path], AbstractContextManager[int]]
"""What gives a handle of a file's lines; OSError where it has none."""


@contextmanager
def _opened_plainly(path: Path) -> Iterator[int]:
    handle = open_regular(path)
    try:
        yield handle
    finally:
        os.close(handle)


class Ends(NamedTuple):
    """The first whole lines of something and the last ones, and whether both are all."""

    head: list[str]
    tail: list[str]
    is_whole: bool


def ends_of(path: Path, most: int, first: int, last: int, opened: Opener = _opened_plainly) -> Ends:
    """The whole lines among the `first` and among the `last` bytes of a regular file; all of one with at most
    `most` bytes. What is something else, or can't be read, is as empty."""
    try:
        with opened(path) as handle, open(handle, "rb", closefd=False) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= most:
                whole = _lines(file.read(most))
                return Ends(whole, whole, True)
            head = file.read(first).rpartition(b"\n")[0]
            file.seek(size - last)
            return Ends(_lines(head), _lines(file.read(last).partition(b"\n")[2]), False)
    except (OSError, ValueError):
        return Ends([], [], True)


def lines_of(path: Path) -> tuple[list[str], bool]:
    """Whole lines of a file, and whether these are all. What can't be read is as empty."""
    head, tail, is_whole = ends_of(path, MAX_BYTES, HEAD_BYTES, MAX_BYTES - HEAD_BYTES)
    return (head if is_whole else head + tail), is_whole


def written(path: Path) -> float:
    """When the file was last written, in unix seconds; 0 when there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").split("\n")


_BUSY_SECONDS = 0.25
_SECONDS = 2.0
"""How long a query may take; a view in a hostile database has no end."""

_STEPS = 10_000
"""Instructions of SQLite between two looks at the clock: less than a millisecond."""

_ROW_BYTES = 64 * 1024 * 1024


def ends_of_rows(path: Path, query: str, session: str, most: int) -> Ends:
    """The texts that `query` selects for `:session`, oldest first: those within the first and within the last
    `most` bytes; of less both times all. What is no database, or can't be read to its end, ends there."""
    head: list[str] = []
    tail: deque[str] = deque()
    room, size = most, 0
    for line in lines_of_rows(path, query, session):
        length = _size(line)
        if room >= 0:
            room -= length
            head += [line] if room >= 0 else []
        tail.append(line)
        size += length
        while size > most:
            size -= _size(tail.popleft())
    return Ends(head, [*tail], room >= 0)


class RowReader:
    """Reads rows of the database at `path`; of a file that is no database, none. To be closed.

    A query may have alternatives, parted by `;`, for databases of different versions: those are passed over
    whose tables aren't there. `is_refused`: so were all of the last one."""

    def __init__(self, path: Path) -> None:
        self.is_refused = False
        self._end = 0.0
        self._db = _opened(path)
        if self._db:
            self._db.set_progress_handler(lambda: time.monotonic() > self._end, _STEPS)

    def select(self, query: str, parameters: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
        """The rows that `query` selects within two seconds; what can't be read to its end ends there."""
        self._end, refused = time.monotonic() + _SECONDS, 0
        alternatives, db = query.split(";"), self._db
        for alternative in alternatives if db else ():
            try:
                yield from db.execute(alternative, parameters) if db else ()
            except sqlite3.OperationalError as error:
                refused += str(error).startswith("no such ")
            except (ValueError, sqlite3.Error):
                pass
        self.is_refused = refused == len(alternatives)

    def lines(self, query: str, session: str, since: str = "", until: str = "") -> Iterator[str]:
        """The texts that the first alternative selects which has any, for a session, from one message to
        another ('': from the first, to the last)."""
        for alternative in query.split(";"):
            rows = self.select(alternative, {"session": session, "since": since, "until": until})
            for row in rows:
                yield from (text for (text, *_) in chain((row,), rows) if isinstance(text, str))
                return

    def close(self) -> None:
        if self._db:
            self._db.close()


def rows_of(path: Path, query: str, parameters: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
    """The rows of one query to the database at `path`, of all its alternatives."""
    with closing(RowReader(path)) as rows:
        yield from rows.select(query, parameters)


def lines_of_rows(path: Path, query: str, session: str, since: str = "", until: str = "") -> Iterator[str]:
    """The texts that a query selects for a session, as `RowReader.lines` does."""
    with closing(RowReader(path)) as rows:
        yield from rows.lines(query, session, since, until)


def _opened(path: Path) -> sqlite3.Connection | None:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        address = f"{path.absolute().as_uri()}?mode=ro"
        db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS)
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _ROW_BYTES)
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        db.execute("pragma trusted_schema = off")
        db.create_function("unhexed", 1, _unhexed)
    except (OSError, ValueError, sqlite3.Error):
        return None
    return db


def _unhexed(digits: object) -> str | None:
    """The text whose bytes these digits are, which SQLite can tell from version 3.41 on."""
    try:
        return bytes.fromhex(digits).decode("utf-8", "replace") if isinstance(digits, str) else None
    except ValueError:
        return None


def _size(line: str) -> int:
    return len(line.encode("utf-8", "replace"))
