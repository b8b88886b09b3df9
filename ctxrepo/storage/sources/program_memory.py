"""What another memory program keeps on this machine, read and never written: a folder of markdown, with
what in it is no note or can't be read; tables in an SQLite file, read from a copy, as it may be in use."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.project.layout import is_note, unsafe
from ctxrepo.errors import BeyondBounds, Busy, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.foreign import read, shown
from ctxrepo.storage.processes.outside import Outside

MAX_FILES = 20_000
"""Files that one folder is looked through for."""

MAX_TOTAL = 256 * 1024 * 1024
"""Bytes of notes that are read of one folder."""

PATIENCE = 60.0
"""Seconds for a folder to be read: a large one takes some, and one that hangs is left."""


@dataclass(frozen=True)
class SourceFolder:
    """`notes` are the bytes of the notes by their path in the folder, sorted; `unread` says of others why
    they are not read; `others` are files that are no notes, hidden ones left out."""

    root: Path
    notes: Mapping[str, bytes]
    unread: Mapping[str, str]
    others: tuple[str, ...] = ()


def read_folder(outside: Outside, root: Path) -> SourceFolder:
    """Everything below `root`, however deep, and no link followed. NoAnswer where the folder hangs."""
    return outside.ask(root, partial(_read_folder, root), PATIENCE)


def is_folder(outside: Outside, place: Path) -> bool:
    """Whether a folder is there that can be looked at. NoAnswer where it hangs."""
    return outside.ask(place, place.is_dir)


def _read_folder(root: Path) -> SourceFolder:
    notes: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    others: list[str] = []
    total = 0
    for path in sorted(_paths(root, unread)):
        if not is_note(path):
            others.append(path)
        elif reason := unsafe(path):
            unread[shown(path)] = f"its path {reason}"
        else:
            try:
                data = read(root / path, MAX_BYTES, follow=False)
            except Unreadable as error:
                unread[path] = error.message.removeprefix(f"{shown(root / path)} ")
                continue
            if data is not None:
                notes[path] = data
                total += len(data)
        if len(notes) > MAX_FILES or total > MAX_TOTAL:
            raise _too_much(root)
    return SourceFolder(root, notes, unread, tuple(others))


def _paths(root: Path, unread: dict[str, str]) -> Iterator[str]:
    """The files below `root` that aren't hidden; `unread` gets links and folders that can't be opened."""
    count = 0
    pending = [""]
    while pending:
        below = pending.pop()
        try:
            entries = sorted(os.scandir(root / below), key=lambda entry: entry.name)
        except OSError as error:
            unread[shown(below) or "."] = f"can't be read: {error.strerror or error}"
            continue
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            count += 1
            if count > 2 * MAX_FILES:
                raise _too_much(root)
            if entry.name.startswith("."):
                continue
            if entry.is_symlink():
                unread[shown(path)] = "is a link, and isn't followed"
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path


def _too_much(root: Path) -> BeyondBounds:
    return BeyondBounds(
        f"{shown(root)} has more than {MAX_FILES:,} files or {MAX_TOTAL >> 20} MiB of notes",
        "Name a folder in it with --from.",
    )


MAX_TABLE_BYTES = 256 * 1024 * 1024

MAX_ROWS = 100_000

MAX_VALUE_BYTES = 64 * 1024 * 1024
"""Bytes of one value: a small file can have a column that is computed, and as large as SQLite allows."""

_TRIES = 5

_STEPS = 200_000_000
"""Instructions of SQLite's after which a query is given up: a file can hold what never ends."""


def read_tables(
    outside: Outside, program: str, file: Path, columns: Mapping[str, Sequence[str]], *, follow: bool = True
) -> Mapping[str, Sequence[Sequence[object]]] | None:
    """The rows of those tables in `columns` that the file has; None for no file. A table must have its
    first column; others that it lacks are None. Unreadable where the file is none of this `program`'s."""
    return outside.ask(file, partial(_read_tables, program, file, columns, follow), PATIENCE)


def _read_tables(
    program: str, file: Path, columns: Mapping[str, Sequence[str]], follow: bool
) -> Mapping[str, Sequence[Sequence[object]]] | None:
    with tempfile.TemporaryDirectory(prefix="ctxrepo-") as folder:
        copy = Path(folder) / "memory.db"
        if not _copied(program, file, copy, follow):
            return None
        try:
            with closing(sqlite3.connect(copy)) as db:
                return _stored(db, columns)
        except sqlite3.Error as error:
            raise Unreadable(f"{shown(file)} can't be read as a memory of {program}: {error}") from error


def _copied(program: str, file: Path, copy: Path, follow: bool) -> bool:
    """Copy the file and the log that goes with it, both as they were at one moment; False for no file."""
    log, log_copy = (path.with_name(f"{path.name}-wal") for path in (file, copy))
    for _ in range(_TRIES):
        before = _stamps(file, log)
        data = read(file, MAX_TABLE_BYTES, follow=follow)
        if data is None:
            return False
        logged = read(log, MAX_TABLE_BYTES, follow=False)
        if _stamps(file, log) == before:
            copy.write_bytes(data)
            if logged:
                log_copy.write_bytes(logged)
            return True
    raise Busy(f"{shown(file)} is being written all the time", f"Try again when {program} is idle.")


def _stamps(*files: Path) -> list[tuple[int, int, int] | None]:
    stamps: list[tuple[int, int, int] | None] = []
    for file in files:
        try:
            status = os.stat(file)
        except OSError:
            stamps.append(None)
        else:
            stamps.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return stamps


def _stored(
    db: sqlite3.Connection, columns: Mapping[str, Sequence[str]]
) -> Mapping[str, Sequence[Sequence[object]]]:
    steps_left = [_STEPS]

    def is_over() -> bool:
        steps_left[0] -= 1_000_000
        return steps_left[0] < 0

    db.execute("pragma trusted_schema = off")
    db.execute("pragma query_only = on")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    db.set_progress_handler(is_over, 1_000_000)
    tables = {str(name) for (name,) in db.execute("select name from sqlite_master where type = 'table'")}
    return {table: _rows(db, table, columns[table]) for table in columns if table in tables}


def _rows(db: sqlite3.Connection, table: str, columns: Sequence[str]) -> Sequence[Sequence[object]]:
    """The rows of a table in an order that is the same each time; other columns aren't even computed."""
    quoted = table.replace('"', '""')
    there = {str(name) for _, name, *_ in db.execute(f'pragma table_xinfo("{quoted}")')}
    if columns[0] not in there:
        raise sqlite3.DatabaseError(f"its table {table} has no column {columns[0]}")
    picked = ", ".join(f'"{column}"' if column in there else "null" for column in columns)
    rows: list[tuple[object, ...]] = []
    room = MAX_TABLE_BYTES
    for row in db.execute(f'select {picked} from "{quoted}" limit ?', (MAX_ROWS,)):
        room -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if room < 0:
            raise sqlite3.DatabaseError(f"its table {table} holds more than {MAX_TABLE_BYTES >> 20} MiB")
        rows.append(row)
    return sorted(rows, key=lambda row: str(row[0]))
