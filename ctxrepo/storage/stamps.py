"""Blob ids of the worktree's files, remembered by stamp so that an unchanged file is not read again."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.domain.blob import blob_id
from ctxrepo.errors import Unreadable
from ctxrepo.storage.scan import Scan, Stamp
from ctxrepo.storage.worktree import Worktree

_SETTLED_NS = 50_000_000
"""A file changed so shortly before it was hashed could change again within the clock's grain."""

# Named anew when the rules for paths change: what is known here has passed them.
_SCHEMA = (
    "create table if not exists stamp"
    "(path text primary key, size int, mtime int, ctime int, inode int, id text) without rowid"
)

Known = Mapping[str, tuple[Stamp, str]]
"""path -> (stamp, blob id), of files that were seen before."""


@dataclass(frozen=True)
class Stamps:
    """A database that saves time and holds nothing else: torn or in the way, it is dropped."""

    database: Path

    def read(self) -> Known:
        try:
            with closing(sqlite3.connect(self.database)) as connection:
                connection.execute(_SCHEMA)
                rows = connection.execute("select path, size, mtime, ctime, inode, id from stamp").fetchall()
                return {row[0]: (Stamp(*row[1:5]), row[5]) for row in rows}
        except sqlite3.DatabaseError:
            self._drop()
            return {}

    def keep(self, fresh: Known, gone: Iterable[str]) -> None:
        rows = [(path, *stamp, oid) for path, (stamp, oid) in fresh.items()]
        try:
            with closing(sqlite3.connect(self.database)) as connection, connection:
                connection.executemany("delete from stamp where path = ?", [(p,) for p in gone])
                connection.executemany("insert or replace into stamp values (?,?,?,?,?,?)", rows)
        except sqlite3.DatabaseError:
            self._drop()

    def _drop(self) -> None:
        with suppress(OSError):
            self.database.unlink()


def file_ids(stamps: Stamps, worktree: Worktree, scan: Scan, known: Known) -> dict[str, str]:
    """path -> blob id of every file in `scan` that can be read; reads only what is not as it was `known`."""
    ids: dict[str, str] = {}
    fresh: dict[str, tuple[Stamp, str]] = {}
    for path, stamp in scan.files.items():
        was = known.get(path)
        if was and was[0] == stamp:
            ids[path] = was[1]
            continue
        now = time.time_ns()
        if (oid := read_id(worktree, path)) is not None:
            ids[path] = oid
            if max(stamp.mtime_ns, stamp.ctime_ns) + _SETTLED_NS < now:
                fresh[path] = (stamp, oid)
    gone = known.keys() - scan.files.keys()
    if fresh or gone:
        stamps.keep(fresh, gone)
    return ids


def read_id(worktree: Worktree, path: str) -> str | None:
    """Blob id of a file; None when it can't be read."""
    with suppress(Unreadable):
        data = worktree.read(path)
        return None if data is None else blob_id(data)
    return None
