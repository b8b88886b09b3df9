"""Remembers what each folder of the clone held when it was last read, so that only changed files are read."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.git.oid import EMPTY_TREE, blob_id, tree_id
from ctxrepo.domain.text import blake2b
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import ready
from ctxrepo.storage.processes.database import is_locked
from ctxrepo.storage.worktree.scan import Listing, Stamp
from ctxrepo.storage.worktree.worktree import Worktree

_SETTLED_NS = 50_000_000
"""A file that changed so shortly before we hashed it could change again without a new time stamp."""

# The table gets a new name when the rules for paths change, since they decided what it holds.
_SCHEMA = (
    "create table if not exists held"
    "(folder text primary key, stamps text, ids text, skipped text, tree text) without rowid"
)


class FolderSnapshot(NamedTuple):
    """The files of one folder, mostly as JSON text, which nobody parses while nothing changes. `stamps`:
    name -> stamp of everything in it, null where it must be read again. `ids`: name -> blob id of its
    files. `skipped`: path -> why. `tree`: the id of the tree of these files alone."""

    stamps: str
    ids: str
    skipped: str
    tree: str


NO_FILES = json.dumps({})

NOTHING = FolderSnapshot(NO_FILES, NO_FILES, NO_FILES, EMPTY_TREE)

UNREAD = "can't be read"
"""Why an unreadable file is skipped: if it counted as deleted, it would be removed on every machine."""


@dataclass(frozen=True)
class Stamps:
    """A database that only saves time: it is deleted when it is damaged."""

    database: Path

    def read(self) -> Mapping[str, FolderSnapshot]:
        try:
            ready(self.database)
            with closing(sqlite3.connect(self.database)) as connection:
                connection.execute(_SCHEMA)
                rows = connection.execute("select folder, stamps, ids, skipped, tree from held").fetchall()
                return {row[0]: FolderSnapshot(*row[1:]) for row in rows}
        except (sqlite3.DatabaseError, OSError) as error:
            self._drop(error)
            return {}

    def folder(self, path: str) -> FolderSnapshot | None:
        """One folder as it was; None where that can't be told."""
        query = "select stamps, ids, skipped, tree from held where folder = ?"
        try:
            with closing(sqlite3.connect(f"{self.database.as_uri()}?mode=ro", uri=True)) as connection:
                row = connection.execute(query, (path,)).fetchone()
        except sqlite3.DatabaseError:
            return None
        return FolderSnapshot(*row) if row else None

    def keep(self, fresh: Mapping[str, FolderSnapshot], folders: Iterable[str]) -> None:
        try:
            with closing(sqlite3.connect(self.database)) as connection, connection:
                connection.executemany("delete from held where folder = ?", [(path,) for path in folders])
                rows = [(path, *snapshot) for path, snapshot in fresh.items()]
                connection.executemany("insert or replace into held values (?,?,?,?,?)", rows)
        except sqlite3.DatabaseError as error:
            self._drop(error)

    def _drop(self, error: sqlite3.DatabaseError | OSError) -> None:
        if isinstance(error, sqlite3.DatabaseError) and is_locked(error):
            return  # it is sound: what it lacks is looked for again
        with suppress(OSError):
            self.database.unlink()


def digest_of(folders: Iterable[tuple[str, str]]) -> str:
    """A digest of the stamps in folders, each given as (path, stamps as JSON)."""
    digest = blake2b(digest_size=16)
    for path, stamps in folders:
        digest.update(f"{path}\n{stamps}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def digest_now(worktree: Worktree) -> str:
    """The same digest for everything on disk, without reading a file; '' when a folder can't be listed."""
    rows = [(listing.path, json.dumps(listing.there), listing.trouble) for listing in worktree.walk()]
    return "" if any(trouble for *_, trouble in rows) else digest_of((path, text) for path, text, _ in rows)


def read_folder(worktree: Worktree, listing: Listing, was: FolderSnapshot | None) -> FolderSnapshot:
    """The files of a folder; reads only those that have changed since the snapshot `was`."""
    stamps: dict[str, Stamp | None] = {**listing.there}
    if was and was.stamps == json.dumps(stamps):
        return was
    before: dict[str, list[int] | None] = json.loads(was.stamps) if was else {}
    ids_before: dict[str, str] = json.loads(was.ids) if was else {}
    sifted = listing.sifted()
    ids: dict[str, str] = {}
    skipped = {**sifted.skipped}
    for path, stamp in sifted.files.items():
        name = path.rpartition("/")[2]
        if before.get(name) == [*stamp] and name in ids_before:
            ids[name] = ids_before[name]
            continue
        now = time.time_ns()
        oid = read_id(worktree, path)
        if oid is not None:
            ids[name] = oid
        else:
            skipped[path] = UNREAD
        if oid is None or max(stamp.mtime_ns, stamp.ctime_ns) + _SETTLED_NS >= now:
            stamps[name] = None
    return FolderSnapshot(json.dumps(stamps), json.dumps(ids), json.dumps(skipped), tree_id(ids, {}))


def read_id(worktree: Worktree, path: str) -> str | None:
    """Blob id of a file; None when it can't be read."""
    with suppress(Unreadable):
        data = worktree.read(path)
        return None if data is None else blob_id(data)
    return None
