"""What a hook reads from hooks.db: settings, repositories, and which project a checkout is."""

import _sqlite3
import os

from ctxrepo.hooks.files.private import is_own_file

FORMAT = 3
"""Version of the layout, kept as SQLite's `user_version`."""

_PATIENCE = 2.5
"""Seconds a hook waits for a lock. A reader of a write-ahead log meets one only while its last writer closes,
which takes as long as a disk does; a hook that gave up would lose its event."""


_BESIDE = """
    select distinct config, stamp, project, folder from given where config = ? and stamp = ?
    and (select value from settings where key = 'worktrees') = 'share'"""


def open_hooks(state: str) -> _sqlite3.Connection | None:
    """The compiled settings under `state`; None before `init` and when they can't be used."""
    return open_database(f"{state}/hooks.db", "pragma user_version", FORMAT)


def open_database(path: str, query: str, expected: object) -> _sqlite3.Connection | None:
    """The database at `path`, never created; None when it is missing, broken, or answers otherwise."""
    if not is_own_file(path):
        return None
    quoted = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    db = None
    try:
        db = _sqlite3.connect(f"file:{quoted}?mode=rw", timeout=_PATIENCE, isolation_level=None, uri=True)
        if db.execute(query).fetchone() == (expected,):
            return db
    except _sqlite3.Error:
        pass
    if db is not None:
        db.close()
    return None


def settings_of(db: _sqlite3.Connection, state: str) -> dict[str, str] | None:
    """The settings, with `state`, and `home` and `folder` (of its state) of the first repository.

    None when there is no repository.
    """
    first = db.execute("select id, home from repository order by position limit 1").fetchone()
    if first is None:
        return None
    settings = dict(db.execute("select key, value from settings"))
    return {**settings, "state": state, "home": first[1], "folder": f"{state}/{first[0]}"}


def number(settings: dict[str, str], key: str, default: int) -> int:
    """The setting as a whole number; `default` when it is missing or none."""
    try:
        return int(float(settings.get(key, default)))
    except (ValueError, OverflowError):
        return default


def checkout_of(db: _sqlite3.Connection, top: str) -> tuple[str, str, str, str] | None:
    """(git config file, its stamp, project, folder) recorded for the checkout at `top`; one that is given
    nothing has no project."""
    row = db.execute("select config, stamp, project, folder from given where top = ?", (top,)).fetchone()
    return (row[0], row[1], row[2], row[3]) if row else None


def claim_of(db: _sqlite3.Connection, top: str) -> tuple[str, bool]:
    """(why the checkout at `top` may not be what it says, or ''; whether it is given nothing for that)."""
    row = db.execute("select claim, is_held from given where top = ?", (top,)).fetchone()
    return (row[0], bool(row[1])) if row else ("", False)


def tree_beside(db: _sqlite3.Connection, config: str, stamp: str) -> tuple[str, str, str, str] | None:
    """The same for any working tree of the repository that has this git config, which still has this stamp.
    None where worktrees aren't one project, or none of them is recorded."""
    rows = db.execute(_BESIDE, (config, stamp)).fetchall()
    return rows[0] if len(rows) == 1 else None


def stamp_of(path: str) -> str:
    """`mtime_ns:size` of a file, or '' when it can't be looked at."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}"
