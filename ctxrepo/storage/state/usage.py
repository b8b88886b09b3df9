"""Owns usage.db: what became of the entries that sessions on this machine were given. No texts are in it."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ctxrepo.domain.formats.jsonl import record, render, text_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.hooks.moments.tool import ACCESS_BYTES
from ctxrepo.hooks.own_files import append_rolling, lines_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.processes.database import Schema, transaction

if TYPE_CHECKING:
    from ctxrepo.domain.records.entry_use import Kind, Usage

MEMORY_WRITE = "memory_write"
"""The name under which a change of a note by a command of ours is noted."""

MOST_RANGES = 100
"""The most ranges of one access; the hook writes one more at most."""


@dataclass(frozen=True)
class Access:
    """A tool of an agent read or edited a file."""

    at: float
    """In seconds since 1970."""
    agent: str
    session: str
    tool: str
    path: str
    """Absolute."""
    ranges: tuple[tuple[int, int], ...] = ()
    """The first and last lines of what was read or edited; none stands for the whole file."""

    @classmethod
    def of(cls, fields: Mapping[str, Any] | None) -> "Access | None":
        """What a line of the log says; None where nothing can be made of it."""
        if fields is None:
            return None
        at, path = fields.get("at"), text_of(fields, "path")
        if not isinstance(at, int | float) or not path.startswith("/") or "\0" in path:
            return None
        agent, session, tool = (text_of(fields, name) for name in ("agent", "session", "tool"))
        return cls(float(at), agent, session, tool, path, _ranges(fields.get("ranges")))

    def shows(self, first: int, last: int) -> bool:
        """Whether one of these lines is among what was read or edited."""
        return not self.ranges or any(a <= last and first <= b for a, b in self.ranges)


@dataclass(frozen=True)
class AccessLog:
    """`access.jsonl`, and the full one before it. The hook of a tool writes it (`hooks/moments/tool.py`)."""

    path: Path

    @property
    def stamp(self) -> str:
        """Changes when the log does."""
        return " ".join(map(stamp_of, self._files))

    @property
    def written(self) -> float:
        """When it was written to last, in seconds since 1970: no access is later than that."""
        return max(map(written, map(Path, self._files)))

    @property
    def lines(self) -> list[str]:
        """As they stand in the files, the oldest first."""
        return [line for file in self._files for line in lines_of(file, ACCESS_BYTES) if line]

    def newest(self) -> Iterator[Access]:
        """What can be read of it, the newest first."""
        yield from (access for line in reversed(self.lines) if (access := Access.of(record(line))))

    def add(self, access: Access) -> None:
        """Note an access that no hook sees. It is given up where the log can't be written."""
        fields = {name: value for name, value in asdict(access).items() if name != "ranges" or value}
        append_rolling(str(self.path), render(fields) + "\n", ACCESS_BYTES)

    @property
    def _files(self) -> tuple[str, str]:
        return f"{self.path}.1", str(self.path)


def _ranges(pairs: object) -> tuple[tuple[int, int], ...]:
    ranges = []
    for pair in pairs[:MOST_RANGES] if isinstance(pairs, list) else ():
        match pair:
            case [int(first), int(last)] if 0 < first <= last:
                ranges.append((first, last))
    return tuple(ranges)


MAX_ENTRIES = 2000
"""Entries remembered; those seen longest ago go first."""

MAX_PAIRS = 5000
"""An entry and a session: so many of them are known not to be counted twice."""

_SCHEMA = Schema(1, __spec__, "usage.sql")
_MEET = """
    insert into entry(id, path, first, last) values (?1, ?2, ?3, ?3)
    on conflict(id) do update set path = excluded.path, last = max(last, excluded.last)
"""
_PAIR = "insert or ignore into pair(session, entry, at) values (?, ?, ?)"
_ONCE = "update pair set {0} = 1 where session = ? and entry = ? and not {0}"
_COUNT = "update entry set {0} = {0} + 1 where id = ?"
_AGAIN = "update entry set delivered = delivered + 1 where id = ?"
_OPEN = "select entry, at from pair where session = ? and {} and not {} order by entry"
"""In the braces stand kinds, by which the columns are called."""
_DELIVERED = "select entry from pair where session = ? and delivered"
_ALL = "select id, path, first, last, delivered, sessions, opened, used, contradicted from entry order by id"
_FORGET = (
    "delete from entry where id in (select id from entry order by last desc, id limit -1 offset ?)",
    """
    delete from pair where (session, entry) in (
        select session, entry from pair order by at desc, session, entry limit -1 offset ?
    )
    """,
)


class UsageStore:
    """The open database. What is noted of an entry and a session counts once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @classmethod
    @contextmanager
    def writing(cls, path: Path) -> Iterator[Self]:
        """The store at `path`, all or nothing of what is noted in it; a damaged one is made again."""
        with _SCHEMA.opened(path) as db, transaction(db):
            yield cls(db)
            for statement, most in zip(_FORGET, (MAX_ENTRIES, MAX_PAIRS), strict=True):
                db.execute(statement, (most,))

    def note(self, kind: "Kind", session: str, entry: str, path: str, at: float) -> None:
        """That this happened to an entry in a session; a delivery counts each time, the rest once."""
        self._db.execute(_MEET, (entry, path, at))
        self._db.execute(_PAIR, (session, entry, at))
        if kind == "delivered":
            self._db.execute(_AGAIN, (entry,))
        if self._db.execute(_ONCE.format(kind), (session, entry)).rowcount:
            self._db.execute(_COUNT.format("sessions" if kind == "delivered" else kind), (entry,))

    def given(self, session: str, lacking: "Kind") -> dict[str, float]:
        """The entries that were delivered to a session and not yet `lacking`, each with when."""
        query = _OPEN.format("true" if lacking == "delivered" else "delivered", lacking)
        return dict(self._db.execute(query, (session,)).fetchall())

    def delivered_to(self, session: str) -> set[str]:
        """The entries that are known to have been delivered to a session."""
        return {row[0] for row in self._db.execute(_DELIVERED, (session,))}

    def paths(self) -> dict[str, str]:
        """Entry -> the note it was in last."""
        return dict(self._db.execute("select id, path from entry"))

    def read_to(self, log: str) -> tuple[float, str]:
        """The moment of the last line of a log that was read, and a digest of that line."""
        row = self._db.execute("select at, line from read_to where log = ?", (log,)).fetchone()
        return (float(row[0]), str(row[1])) if row else (0.0, "")

    def has_read(self, log: str, at: float, line: str) -> None:
        self._db.execute("insert or replace into read_to values (?, ?, ?)", (log, at, line))

    def all(self) -> "list[Usage]":
        from ctxrepo.domain.records.entry_use import Usage

        return [Usage(*row) for row in self._db.execute(_ALL)]
