"""Owns sessions.db, the index of what was said in sessions: where in agents' own files which words stand.

A message is a document of the full-text index, under its number. The index keeps words and their positions
and no text: that is read from the agent's own file, from `place` on, when it is shown (ADR 55). A document
without its text can't be taken out of the index, so of a message that is gone only the row goes; no number is
given out twice, and once too many have no row any more everything is built again. `copy` says which sessions,
forked from another one, begin with copies of its messages."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.domain.question.message_traits import BY_AGENT, IS_COPY, IS_SILENT, USED_TOOLS, Posting
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.processes.database import Schema, storable, transaction
from ctxrepo.storage.sessions.transcript_files import ReadTranscript

_SQL = texts_beside(__spec__, "searching.sql")
_SCHEMA = Schema(5, __spec__, "session_index.sql")

GONE = "gone"
"""The state of a session whose transcript has gone, while it is kept (ADR 96)."""

_WASTE = 10_000
"""Messages without a row that don't count."""


@dataclass(frozen=True)
class IndexedSession(ReadTranscript):
    """A session's transcript as far as it is in the index."""

    @property
    def is_gone(self) -> bool:
        """Whether its agent has deleted the transcript, so that all there is of it is what is kept."""
        return self.state == GONE


class MessageRow(NamedTuple):
    """A message as the index has it. `key` is the same for all copies, `place` is where it begins in the
    transcript of `session`, a number, and `name` its id where it is asked for by that."""

    number: int
    session: int
    key: int
    traits: int
    at: int
    place: int
    name: str
    length: int
    turn: int
    """How many messages in which something was said the transcript has up to this one."""


class NewMessage(NamedTuple):
    """A message for the index, which gives its row the three numbers. It is found by the `words` that were
    said, and by what tools were `given`, of that the files are the `paths`."""

    row: MessageRow
    words: str
    given: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class IndexSize:
    sessions: int
    messages: int
    bytes: int
    silent: tuple[IndexedSession, ...] = ()
    """Transcripts with text and no message, the last written first."""


_TURN = "select turn from message where session = ? and place < ? order by place desc limit 1"
_SAME = "select number, session, traits from message where key = ?"
_DELETE = "delete from message where number = ?"
_GONE = "select number from session where agent = ? and id = ? and state = ? and number <> ?"
_COPY = "insert or ignore into copy values (?, ?)"
_WORDS = "insert into words(rowid, said, given) values (?, ?, ?)"
_TOUCHED = "insert or ignore into touched select number, ? from path where path = ?"
_HAS = "select 1 from session where agent = ? and id = ?"
_PATH = "insert or ignore into path(path) values (?)"


def index_file(state: Path) -> Path:
    """Where the index is kept in a repository's state folder."""
    return state / "sessions.db"


def size_of_index(state: Path) -> IndexSize | None:
    """How large the index in a repository's state folder is; None where there is none that is of use."""
    file = index_file(state)
    try:
        if not file.is_file():
            return None
        with SessionIndex.opened(file) as index:
            return index.size()
    except (sqlite3.Error, CtxrepoError, OSError):
        return None


class SessionIndex:
    """The open index; a damaged one, or one of another format, is thrown away: the files are still there."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self.db = db

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Self]:
        """The index at `path`, made when missing. It is thrown away where it turns out to be damaged."""
        with _SCHEMA.opened(path) as db:
            yield cls(path, db)

    def sessions(self) -> dict[str, IndexedSession]:
        """All sessions, by their names."""
        return {session.name: session for session in map(IndexedSession.of, self.db.execute(_SQL["all"]))}

    def has(self, agent: str, session: str) -> bool:
        """Whether there is a transcript of this session of an agent."""
        return self.db.execute(_HAS, (agent, session)).fetchone() is not None

    def places(self) -> list[tuple[str, str]]:
        """(agent, path) of every session."""
        return [(str(agent), str(path)) for agent, path in self.db.execute("select agent, path from session")]

    def size(self) -> IndexSize:
        sessions = int(self.db.execute("select count(*) from session").fetchone()[0])
        pages, page = (
            self.db.execute(f"pragma {what}").fetchone()[0] for what in ("page_count", "page_size")
        )
        silent = tuple(map(IndexedSession.of, self.db.execute(_SQL["silent"])))
        return IndexSize(sessions, self.message_count, int(pages) * int(page), silent)

    @property
    def message_count(self) -> int:
        return int(self.db.execute("select count(*) from message").fetchone()[0])

    def forget(self, sessions: Iterable[IndexedSession]) -> None:
        """Sessions whose files are gone, or not what they were."""
        with transaction(self.db):
            for session in sessions:
                self.db.execute("delete from message where session = ?", (session.number,))
                self.db.execute("delete from copy where session = ?", (session.number,))
                self.db.execute("delete from session where number = ?", (session.number,))

    def leave(self, session: IndexedSession, kept: Iterable[int]) -> None:
        """A session whose file has gone: of its messages those with the keys `kept` stay."""
        values = {"number": session.number, "kept": json.dumps([*kept]), "gone": GONE}
        with transaction(self.db):
            self.db.execute(_SQL["not_kept"], values)
            self.db.execute(_SQL["gone"], values)

    def missing(self, keys: Iterable[int]) -> list[int]:
        """Those of these keys that no message has."""
        return [key for (key,) in self.db.execute(_SQL["missing"], (json.dumps([*keys]),))]

    def store(self, session: IndexedSession, since: int, messages: Iterable[NewMessage]) -> IndexedSession:
        """What a session says from the place `since` on; inside the caller's transaction."""
        (number,) = self.db.execute(_SQL["session"], session.columns).fetchone()
        if not session.is_gone:
            self._take_over(number, session)
        rows = map(MessageRow._make, self.db.execute(_FROM, (number, since)).fetchall())
        before = {row.key: row for row in rows}
        (turn,) = self.db.execute(_TURN, (number, since)).fetchone() or (0,)
        for message in messages:
            turn += not message.row.traits & IS_SILENT
            row = message.row._replace(session=number, turn=turn, name=storable(message.row.name))
            if old := before.pop(row.key, None):
                if old == row._replace(number=old.number, at=old.at):
                    continue
                self.db.execute(_DELETE, (old.number,))
            self._add(message._replace(row=row))
        self.db.executemany(_DELETE, [(old.number,) for old in before.values()])
        return replace(session, number=number)

    def _take_over(self, number: int, session: IndexedSession) -> None:
        """The messages of the same session at a place where it is no more become those of this one."""
        same = (session.agent, session.id, GONE, number)
        for (gone,) in self.db.execute(_GONE, same).fetchall():
            self.db.execute("update message set session = ? where session = ?", (number, gone))
            self.db.execute("update or ignore copy set session = ? where session = ?", (number, gone))
            self.db.execute("delete from session where number = ?", (gone,))

    def _add(self, message: NewMessage) -> None:
        row = message.row
        added = self.db.execute(_SQL["message"], row[1:])
        if not added.rowcount:
            number, other, traits = self.db.execute(_SAME, (row.key,)).fetchone()
            is_theirs = other != row.session and (row.traits & IS_COPY or not traits & IS_COPY)
            if is_theirs:
                self.db.execute(_COPY, (row.session, number))
                return
            self.db.execute(_DELETE, (number,))
            added = self.db.execute(_SQL["message"], row[1:])
            if other != row.session:
                self.db.execute(_COPY, (other, added.lastrowid))
        self.db.execute(_WORDS, (added.lastrowid, storable(message.words), storable(message.given)))
        for path in map(storable, message.paths):
            self.db.execute(_PATH, (path,))
            self.db.execute(_TOUCHED, (added.lastrowid, path))

    def is_wasteful(self) -> bool:
        """Whether so many messages are gone that the index is better built again."""
        wasted, messages = self.db.execute(_SQL["wasted"]).fetchone()
        return bool(wasted > _WASTE and wasted > messages / 2)

    def clear(self) -> None:
        """Forget everything; the next look at the files reads them anew."""
        with transaction(self.db):
            _SCHEMA.build(self.db)


_WITH_WORDS = "words join message m on m.number = words.rowid where words match :words"
_ALL = "message m where 1"
_HELD, _ANY = (_SQL["rows"].format(source=source) for source in (_WITH_WORDS, _ALL))
_FROM = _ANY + " and m.session = ? and m.place >= ?"
_TYPES = {
    "user": f"not m.traits & {BY_AGENT}",
    "agent": f"m.traits & {BY_AGENT}",
    "tool": f"m.traits & {USED_TOOLS}",
}
_SINCE = " and m.at >= :since"
_UNTIL = " and m.at <= :until"
_NEWEST = " order by m.at desc, m.place desc limit :most"
_POSTING = partial(tuple.__new__, Posting)  # ten thousand in a query, and `_make` takes four times as long
_LATEST = " order by words.rowid desc limit :most"
_BEFORE = _ANY + " and m.session = ? and m.place < ? order by m.place desc limit ?"
_AFTER = _ANY + " and m.session = ? and m.place > ? order by m.place limit ?"
_SAID_BEFORE, _SAID_AFTER = (
    query.replace(" order", f" and not m.traits & {IS_SILENT} order") for query in (_BEFORE, _AFTER)
)
_NUMBERED = _ANY + " and m.number = ?"
_TRAITS = "select traits from message where session = ? and place between ? and ?"


@dataclass(frozen=True)
class MessageFilter:
    """What messages of the index must have: one of the `types` `user`, `agent` and `tool` (() is any), a
    `file` (a path, or its end) that a tool was given, and a moment between `since` and `until` (Unix seconds,
    0: no bound)."""

    types: Sequence[str] = ()
    file: str = ""
    since: int = 0
    until: int = 0


def matching(
    db: sqlite3.Connection, asked: MessageFilter, words: str, most: int, sessions: Sequence[int] | None
) -> list[MessageRow]:
    """At most `most` messages that have all that is asked for, and these `words`, an expression of the
    full-text index; in these `sessions` (numbers; None: all) and what they copied. The newest come first."""
    query = (_HELD if words else _ANY) + _conditions(asked, sessions) + _NEWEST
    return [MessageRow(*row) for row in db.execute(query, _values(asked, words, most, sessions))]


def postings(
    db: sqlite3.Connection, asked: MessageFilter, words: str, most: int, sessions: Sequence[int] | None
) -> list[Posting]:
    """At most `most` of the same messages, those that the index had last, in no order of their worth. The
    `words` are looked for in a column, if `said :` or `given :` stands before them."""
    query = _SQL["postings"].format(source=_WITH_WORDS if words else _ALL)
    query += _conditions(asked, sessions) + (_LATEST if words else _NEWEST)
    rows = db.execute(query, _values(asked, words, most, sessions))
    return [*map(_POSTING, rows)]


def _conditions(asked: MessageFilter, sessions: Sequence[int] | None) -> str:
    types = " or ".join(_TYPES[name] for name in asked.types)
    query = f" and ({types})" if types else ""
    query += _SINCE if asked.since else ""
    query += _UNTIL if asked.until else ""
    query += f" {_SQL['in']}" if sessions is not None else ""
    return query + (f" {_SQL['touched_file']}" if asked.file else "")


def _values(asked: MessageFilter, words: str, most: int, sessions: Sequence[int] | None) -> dict[str, Any]:
    return {
        "words": storable(words),
        "most": most,
        "since": asked.since,
        "until": asked.until,
        "file": storable(asked.file),
        "sessions": json.dumps([*(sessions or ())]),
    }


def beside(
    db: sqlite3.Connection, row: MessageRow, count: int, more: int | None = None, *, is_said: bool = False
) -> tuple[list[MessageRow], list[MessageRow]]:
    """So many messages before one in its transcript, and as many or `more` after it, in their order; if
    `is_said`, those in which something was said."""
    queries = (_SAID_BEFORE, _SAID_AFTER) if is_said else (_BEFORE, _AFTER)
    counts = (count, count if more is None else more)
    before, after = (
        [MessageRow(*r) for r in db.execute(query, (row.session, row.place, most))]
        for query, most in zip(queries, counts, strict=True)
    )
    return before[::-1], after


def row_of(db: sqlite3.Connection, number: int) -> MessageRow | None:
    """The message of this number."""
    row = db.execute(_NUMBERED, (number,)).fetchone()
    return MessageRow(*row) if row else None


def traits_between(db: sqlite3.Connection, session: int, first: int, last: int) -> list[int]:
    """The traits of the messages between two places of a transcript."""
    return [traits for (traits,) in db.execute(_TRAITS, (session, first, last))]
