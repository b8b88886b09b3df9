"""The file of kept sessions: where it is, opened to read or write, and renamed once it is damaged."""

import sqlite3
from contextlib import suppress
from pathlib import Path

from ctxrepo.errors import KeptUnusable
from ctxrepo.hooks.own_files import is_own_file
from ctxrepo.storage.disk.private import make_folder, ready
from ctxrepo.storage.processes.database import Schema, transaction

SCHEMA = Schema(1, __spec__, "kept_sessions.sql")

_WAIT = 10.0
"""Seconds to wait for another process that writes."""


def kept_file(state: Path) -> Path:
    """Where sessions are kept in a repository's state folder."""
    return state / "kept.db"


def damaged_files(state: Path) -> list[Path]:
    """The damaged stores that were renamed there, the oldest first."""
    return sorted(state.glob("kept.db.damaged-*[0-9]"))


def writable_store(path: Path) -> sqlite3.Connection:
    """A connection to the store, which is created where it is missing."""
    make_folder(path.parent)
    ready(path)
    db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
    try:
        if not db.execute("pragma user_version").fetchone()[0]:
            db.execute("pragma auto_vacuum = incremental")
            db.execute("pragma journal_mode = wal")
            with transaction(db):
                if not db.execute("pragma user_version").fetchone()[0]:
                    SCHEMA.build(db)
        db.execute("pragma synchronous = full")
        db.execute("pragma secure_delete = on")
    except BaseException:
        db.close()
        raise
    return db


def readable_store(path: Path) -> sqlite3.Connection:
    """A connection on which every change is an error. A store that is missing is empty."""
    if not is_own_file(str(path)):
        db = sqlite3.connect(":memory:", isolation_level=None)
        SCHEMA.build(db)
        return db
    for mode in ("mode=ro", "mode=ro&immutable=1"):  # in a sandbox SQLite can make no files beside it
        address = f"{path.absolute().as_uri()}?{mode}"
        db = sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)
        try:
            db.execute("select 1 from session limit 1")
            return db
        except sqlite3.OperationalError:
            db.close()
        except BaseException:
            db.close()
            raise
    raise KeptUnusable(f"{path}, where sessions are kept, can't be read")


def unusable_store(path: Path, error: sqlite3.Error, *, renames: bool) -> KeptUnusable:
    """What to raise for an error. If it `renames`, a damaged store and its log of changes get a new name. A
    reader renames nothing: it may see damage where somebody is only writing."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # an error of Python's has none
    if code & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return KeptUnusable(f"{path}, where sessions are kept, can't be used: {error}")
    problem = f"{path}, where sessions are kept, is damaged"
    if not renames:
        return KeptUnusable(problem)
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(f"{aside}{suffix}")
    return KeptUnusable(f"{problem} and was renamed to {aside.name}")
