"""SQLite files that can be made anew at any time: opening them, and writing all or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from ctxrepo.errors import CtxrepoError

_T = TypeVar("_T")
_P = ParamSpec("_P")
_R = TypeVar("_R")

_PATIENCE = 5.0
"""Seconds to wait for another writer."""

_JOURNAL_BYTES = 4 * 1024 * 1024
"""What a log of changes may keep of the disk once it is in the database."""


def open_database(
    path: Path, is_current: Callable[[sqlite3.Connection], bool], build: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    """The database at `path`; `build` lays it out where it is missing, damaged or not `is_current`."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _make_way(path)
    try:
        return _connect(path, is_current, build)
    except sqlite3.OperationalError:
        raise  # locked, or the disk: no reason to throw anything away
    except sqlite3.DatabaseError:
        discard(path)
        return _connect(path, is_current, build)


def aside_of(path: Path) -> Path:
    """Where a folder goes that was found in the place of a database."""
    return path.with_name(f"{path.name}.aside")


def discard(path: Path) -> None:
    """Take a database away; who has it open goes on reading it."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def is_sound(path: Path) -> bool:
    """Whether every page of a database reads well; one that isn't there does."""
    if not path.exists():
        return True
    try:
        with closing(sqlite3.connect(path, timeout=_PATIENCE)) as db:
            return [*db.execute("pragma quick_check(1)")] == [("ok",)]
    except sqlite3.OperationalError:
        return True  # locked, or the disk: nothing is known
    except sqlite3.DatabaseError:
        return False


def healing(
    heal: Callable[[_T], object],
) -> Callable[[Callable[Concatenate[_T, _P], _R]], Callable[Concatenate[_T, _P], _R]]:
    """Make a function that works on a database run again when it turns out to be damaged.

    `heal` is given the function's first argument and discards or empties the database; damage behind the
    first page shows only when somebody reads there.
    """

    def decorate(function: Callable[Concatenate[_T, _P], _R]) -> Callable[Concatenate[_T, _P], _R]:
        @wraps(function)
        def healed(first: _T, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return function(first, *args, **kwargs)
            except sqlite3.OperationalError:
                raise  # locked, or the disk
            except sqlite3.DatabaseError:
                heal(first)
                return function(first, *args, **kwargs)

        return healed

    return decorate


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, or nothing."""
    db.execute("begin immediate")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already
            db.execute("rollback")
        raise
    db.execute("commit")


def _make_way(path: Path) -> None:
    if path.is_dir():
        try:
            path.rename(aside_of(path))
        except OSError as error:
            raise CtxrepoError(f"{path} is a folder; ctxrepo keeps a file there", "Move it away.") from error


def _connect(
    path: Path, is_current: Callable[[sqlite3.Connection], bool], build: Callable[[sqlite3.Connection], None]
) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.execute(f"pragma journal_size_limit = {_JOURNAL_BYTES}")
        if not is_current(db):
            with transaction(db):
                if not is_current(db):  # nobody else has built it meanwhile
                    build(db)
    except BaseException:
        db.close()
        raise
    path.chmod(0o600)
    return db
