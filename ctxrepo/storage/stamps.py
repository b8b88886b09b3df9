"""Blob ids of the worktree's files, remembered by stamp so that an unchanged file is not read again."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from ctxrepo.errors import Unreadable
from ctxrepo.storage.scan import Scan, Stamp
from ctxrepo.storage.worktree import Worktree, blob_id

_SETTLED_NS = 50_000_000
"""A file changed so shortly before it was hashed could change again within the clock's grain."""

_SCHEMA = (
    "create table if not exists file"
    "(path text primary key, size int, mtime int, ctime int, inode int, seen int, id text) without rowid"
)


def file_ids(database: Path, worktree: Worktree, scan: Scan) -> dict[str, str]:
    """path -> blob id of every file in `scan` that can be read; reads only what changed since the last call.

    A database that is torn or in the way is dropped: it saves time and holds nothing else.
    """
    known = _load(database)
    ids: dict[str, str] = {}
    fresh: dict[str, tuple[Stamp, int, str]] = {}
    for path, stamp in scan.files.items():
        if path in known and known[path][0] == stamp:
            ids[path] = known[path][1]
            continue
        now = time.time_ns()
        data = None
        with suppress(Unreadable):
            data = worktree.read(path)
        if data is not None:
            ids[path] = blob_id(data)
            if max(stamp.mtime_ns, stamp.ctime_ns) + _SETTLED_NS < now:
                fresh[path] = (stamp, now, ids[path])
    if fresh or known.keys() - scan.files.keys():
        _save(database, fresh, known.keys() - scan.files.keys())
    return ids


def _load(database: Path) -> dict[str, tuple[Stamp, str]]:
    try:
        with closing(sqlite3.connect(database)) as connection:
            connection.execute(_SCHEMA)
            rows = connection.execute("select path, size, mtime, ctime, inode, id from file")
            return {path: (Stamp(*stamp), oid) for path, *stamp, oid in rows}
    except sqlite3.DatabaseError:
        _drop(database)
        return {}


def _save(database: Path, fresh: Mapping[str, tuple[Stamp, int, str]], gone: set[str]) -> None:
    rows = [
        (path, s.size, s.mtime_ns, s.ctime_ns, s.inode, seen, oid) for path, (s, seen, oid) in fresh.items()
    ]
    try:
        with closing(sqlite3.connect(database)) as connection, connection:
            connection.executemany("delete from file where path = ?", [(p,) for p in gone])
            connection.executemany("insert or replace into file values (?,?,?,?,?,?,?)", rows)
    except sqlite3.DatabaseError:
        _drop(database)


def _drop(database: Path) -> None:
    with suppress(OSError):
        database.unlink()
