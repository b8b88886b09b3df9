"""Owns sessions.db, the index of what was said in sessions: which words stand where in agents' own files.

Each message is a document of the full-text index, under its number. The index has words and their positions,
but no text: when a message is shown, its text is read from the agent's file, from its `place` on (ADR 55). A
document can't be deleted without its text, so when a message goes, only its row is deleted. No number is used
twice, and once too many documents have no row, the whole index is built again. The table `copy` says which
sessions, forked from another one, begin with copies of its messages."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self

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
"""Documents without a row for which the index isn't built again."""


@dataclass(frozen=True)
class IndexedSession(ReadTranscript):
    """A session's transcript as far as it is in the index."""

    @property
    def is_gone(self) -> bool:
        """Whether its agent has deleted the transcript, so that all there is of it is what is kept."""
        return self.state == GONE


class MessageRow(NamedTuple):
    """A message as the index has it. `key` is the same for all copies of it. `session` is the number of the
    session in whose transcript it begins at `place`; `name` is its id, in transcripts that are read by ids.
    `traits` are bits of `message_traits`, `at` is in Unix seconds, and `length` counts characters."""

    number: int
    session: int
    key: int
    traits: int
    at: int
    place: int
    name: str
    length: int
    turn: int
    """How many messages in which something was said the transcript has up to this one, with it."""


class NewMessage(NamedTuple):
    """A message for the index, which sets `number`, `session` and `turn` of its row. It is found by the
    `words` that were said and by what tools were `given`; `paths` are the files among these."""

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
    """Transcripts that were read and have no message, the last written first."""


@dataclass(frozen=True)
class MessageFilter:
    """What messages of the index must have: one of the `types` `user`, `agent` and `tool` (() is any), a
    `file` (a path, or its end) that a tool was given, a moment between `since` and `until` (Unix seconds,
    0: no bound), and a place in one of the `sessions` (numbers; None: all), or in what these copied."""

    types: Sequence[str] = ()
    file: str = ""
    since: int = 0
    until: int = 0
    sessions: Sequence[int] | None = None


_WITH_WORDS = "words join message m on m.number = words.rowid where words match :words"
_ALL = "message m where 1"
_ROWS_WITH_WORDS, _ROWS = (_SQL["rows"].format(source=source) for source in (_WITH_WORDS, _ALL))
_FROM = _ROWS + " and m.session = ? and m.place >= ?"
_SPOKEN = f"{_ROWS} and m.session = ? and not m.traits & {IS_SILENT}"
_BEFORE = _SPOKEN + " and m.place < ? order by m.place desc limit ?"
_AFTER = _SPOKEN + " and m.place > ? order by m.place limit ?"
_NEWEST = " order by m.at desc, m.place desc limit :most"
_LATEST = " order by words.rowid desc limit :most"
_TYPES = {
    "user": f"not m.traits & {BY_AGENT}",
    "agent": f"m.traits & {BY_AGENT}",
    "tool": f"m.traits & {USED_TOOLS}",
}
_TRAITS = "select traits from message where session = ? and place between ? and ?"
_POSTING = partial(tuple.__new__, Posting)  # ten thousand in a query, and `_make` takes four times as long
_TURN = "select turn from message where session = ? and place < ? order by place desc limit 1"
_SAME_MESSAGE = "select number, session, traits from message where key = ?"
_DELETE = "delete from message where number = ?"
_SAME_SESSION = "select number from session where agent = ? and id = ? and state = ? and number <> ?"
_COPY = "insert or ignore into copy values (?, ?)"
_WORDS = "insert into words(rowid, said, given) values (?, ?, ?)"
_TOUCHED = "insert or ignore into touched select number, ? from path where path = ?"


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
    """The open index. A damaged one, or one of another format, is discarded: it can be built again."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self.db = db

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Self]:
        """The index at `path`, created when missing, and discarded when it turns out to be damaged."""
        with _SCHEMA.opened(path) as db:
            yield cls(path, db)

    def sessions(self) -> dict[str, IndexedSession]:
        """All sessions, by their names."""
        return {session.name: session for session in map(IndexedSession.of, self.db.execute(_SQL["all"]))}

    def has(self, agent: str, session: str) -> bool:
        """Whether there is a transcript of this session of an agent."""
        query = "select 1 from session where agent = ? and id = ?"
        return self.db.execute(query, (agent, session)).fetchone() is not None

    def transcripts(self) -> list[tuple[str, str]]:
        """(agent, path) of every session."""
        return [(str(agent), str(path)) for agent, path in self.db.execute("select agent, path from session")]

    def size(self) -> IndexSize:
        sessions = int(self.db.execute("select count(*) from session").fetchone()[0])
        pages, page = (
            self.db.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size")
        )
        silent = tuple(map(IndexedSession.of, self.db.execute(_SQL["silent"])))
        return IndexSize(sessions, self.message_count, int(pages) * int(page), silent)

    @property
    def message_count(self) -> int:
        return int(self.db.execute("select count(*) from message").fetchone()[0])

    def forget(self, sessions: Iterable[IndexedSession]) -> None:
        """Remove these sessions: their files are gone, or are no longer to be searched."""
        with transaction(self.db):
            for session in sessions:
                self.db.execute("delete from message where session = ?", (session.number,))
                self.db.execute("delete from copy where session = ?", (session.number,))
                self.db.execute("delete from session where number = ?", (session.number,))

    def mark_gone(self, session: IndexedSession, kept: Iterable[int]) -> None:
        """Note that a session's file is gone. Of its messages, those with the keys `kept` stay."""
        values = {"number": session.number, "kept": json.dumps([*kept]), "gone": GONE}
        with transaction(self.db):
            self.db.execute(_SQL["not_kept"], values)
            self.db.execute(_SQL["gone"], values)

    def missing(self, keys: Iterable[int]) -> list[int]:
        """Those of these keys that no message of the index has."""
        return [key for (key,) in self.db.execute(_SQL["missing"], (json.dumps([*keys]),))]

    def store(self, session: IndexedSession, since: int, messages: Iterable[NewMessage]) -> IndexedSession:
        """Replace what the index has of a session from the place `since` on, inside the caller's transaction;
        returns the session with its number."""
        (number,) = self.db.execute(_SQL["session"], session.columns).fetchone()
        if not session.is_gone:
            self._take_over(number, session)
        rows = map(MessageRow._make, self.db.execute(_FROM, (number, since)).fetchall())
        before = {row.key: row for row in rows}
        (turn,) = self.db.execute(_TURN, (number, since)).fetchone() or (0,)
        for message in messages:
            turn += not message.row.traits & IS_SILENT
            row = message.row._replace(session=number, turn=turn, name=storable(message.row.name))
            if indexed := before.pop(row.key, None):
                if indexed == row._replace(number=indexed.number, at=indexed.at):
                    continue
                self.db.execute(_DELETE, (indexed.number,))
            self._add(message._replace(row=row))
        self.db.executemany(_DELETE, [(row.number,) for row in before.values()])
        return replace(session, number=number)

    def _take_over(self, number: int, session: IndexedSession) -> None:
        """Give this session the messages of the same session in a transcript that is gone."""
        same = (session.agent, session.id, GONE, number)
        for (other,) in self.db.execute(_SAME_SESSION, same).fetchall():
            self.db.execute("update message set session = ? where session = ?", (number, other))
            self.db.execute("update or ignore copy set session = ? where session = ?", (number, other))
            self.db.execute("delete from session where number = ?", (other,))

    def _add(self, message: NewMessage) -> None:
        row = message.row
        result = self.db.execute(_SQL["message"], row[1:])
        if not result.rowcount:
            number, other, traits = self.db.execute(_SAME_MESSAGE, (row.key,)).fetchone()
            is_theirs = other != row.session and (row.traits & IS_COPY or not traits & IS_COPY)
            if is_theirs:
                self.db.execute(_COPY, (row.session, number))
                return
            self.db.execute(_DELETE, (number,))
            result = self.db.execute(_SQL["message"], row[1:])
            if other != row.session:
                self.db.execute(_COPY, (other, result.lastrowid))
        number = result.lastrowid
        self.db.execute(_WORDS, (number, storable(message.words), storable(message.given)))
        for path in map(storable, message.paths):
            self.db.execute("insert or ignore into path(path) values (?)", (path,))
            self.db.execute(_TOUCHED, (number, path))

    def is_wasteful(self) -> bool:
        """Whether so many messages are gone that the index is better built again."""
        wasted, messages = self.db.execute(_SQL["wasted"]).fetchone()
        return bool(wasted > _WASTE and wasted > messages / 2)

    def clear(self) -> None:
        """Empty the index; the next update reads all transcripts again."""
        with transaction(self.db):
            _SCHEMA.build(self.db)

    def rows(self, criteria: MessageFilter, words: str, most: int) -> list[MessageRow]:
        """The newest `most` messages that meet the criteria and, unless that is '', match `words`, an
        expression of the full-text index; the newest first."""
        query = (_ROWS_WITH_WORDS if words else _ROWS) + _conditions(criteria) + _NEWEST
        return [MessageRow(*row) for row in self.db.execute(query, _values(criteria, words, most))]

    def postings(self, criteria: MessageFilter, words: str, most: int) -> list[Posting]:
        """The same messages as postings, but of those with words the ones that were indexed last, in no
        useful order. `said :` or `given :` before the words names the column that must match."""
        query = _SQL["postings"].format(source=_WITH_WORDS if words else _ALL)
        query += _conditions(criteria) + (_LATEST if words else _NEWEST)
        return [*map(_POSTING, self.db.execute(query, _values(criteria, words, most)))]

    def row(self, number: int) -> MessageRow | None:
        """The message of this number, if it is still there."""
        row = self.db.execute(_ROWS + " and m.number = ?", (number,)).fetchone()
        return MessageRow(*row) if row else None

    def spoken_around(
        self, row: MessageRow, before: int, after: int
    ) -> tuple[list[MessageRow], list[MessageRow]]:
        """At most so many messages before and after one in its transcript, in their order, without those in
        which nothing was said."""
        sides = ((_BEFORE, before), (_AFTER, after))
        earlier, later = (
            [MessageRow(*columns) for columns in self.db.execute(query, (row.session, row.place, most))]
            for query, most in sides
        )
        return earlier[::-1], later

    def traits_between(self, first: MessageRow, last: MessageRow) -> list[int]:
        """The traits of the messages from one to another in the same transcript."""
        rows = self.db.execute(_TRAITS, (first.session, first.place, last.place))
        return [traits for (traits,) in rows]


def _conditions(criteria: MessageFilter) -> str:
    types = " or ".join(_TYPES[name] for name in criteria.types)
    query = f" and ({types})" if types else ""
    query += " and m.at >= :since" if criteria.since else ""
    query += " and m.at <= :until" if criteria.until else ""
    query += f" {_SQL['in']}" if criteria.sessions is not None else ""
    return query + (f" {_SQL['touched_file']}" if criteria.file else "")


def _values(criteria: MessageFilter, words: str, most: int) -> dict[str, object]:
    return {
        "words": storable(words),
        "most": most,
        "since": criteria.since,
        "until": criteria.until,
        "file": storable(criteria.file),
        "sessions": json.dumps([*(criteria.sessions or ())]),
    }
