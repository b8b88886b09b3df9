"""Owns kept.db: what is kept of agents' sessions for the day on which the agents delete them (ADR 96).

It is the only copy of what it holds. So it is in no repository and on no other machine, nothing throws it
away, and a damaged one is put aside. A message is a text under the key that the index has for it, too. Texts
lie in compressed blocks, and a message that several sessions share lies there once. What an agent took out of
a transcript that it rewrote has places below 0, before all that is in the transcript now."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, Self, TypeVar

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.errors import KeptUnusable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.processes.database import storable, transaction
from ctxrepo.storage.sessions.kept_file import SCHEMA, damaged_store, readable_store, writable_store
from ctxrepo.storage.sessions.transcript_files import Position, ReadTranscript, Rewritten

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Store = TypeVar("_Store", bound="KeptSessions")

_SQL = texts_beside(__spec__, "kept_queries.sql")

_BLOCK = 64 * 1024
"""Characters of texts that are compressed together: more saves little, and all of them are read for one."""

_EARLIER = 1 << 40
"""How far the places of messages move down when their transcript is rewritten: no transcript is so large."""

_LAST = 1 << 62
"""A place behind all places."""


@dataclass(frozen=True)
class KeptSession(ReadTranscript):
    """A session's transcript as far as it was copied. To go on, it is read from the place `read` on, as the
    last message may do so too; its lines from `raw` on (-1: none is kept). `last` is when the last message
    was said, in Unix seconds. What stands before `floor` was given up for room, and isn't copied again;
    `is_empty`: no message of it is kept."""

    last: int = 0
    read: int = 0
    raw: int = -1
    floor: int = 0
    is_empty: bool = True

    @property
    def anew(self) -> "KeptSession":
        """The same once its transcript was rewritten: of what that says now nothing is copied."""
        return replace(self, position=Position(), read=0, raw=min(self.raw, 0), floor=0)


class KeptText(NamedTuple):
    """A message to keep, as the index has it, with its `text` on one line."""

    key: int
    place: int
    name: str
    text: str


@dataclass(frozen=True)
class TranscriptCopy:
    """What was read of a transcript: its `session` by then, and all messages from the place `since` to
    `until`, where the next copy begins, or if `is_last` to its end. `lines` are all its lines there, by
    place, where these are kept too. `rewritten`: it isn't the file any more that was copied before. Then
    messages with the keys `grown` have longer versions among these, and where the file got longer it says
    all lines anew."""

    session: KeptSession
    since: int
    until: int
    is_last: bool
    messages: Sequence[KeptText]
    lines: Sequence[tuple[int, str]] | None
    rewritten: Rewritten = ""
    grown: Sequence[int] = ()


class KeptSize(NamedTuple):
    """How much is kept."""

    sessions: int
    messages: int
    bytes: int


def _told(
    method: Callable[Concatenate[_Store, _P], _R],
) -> Callable[Concatenate[_Store, _P], _R]:
    """A method of the store whose errors are KeptUnusable: who reads the index beside it must be able to tell
    them from those of the index."""

    @wraps(method)
    def tells(store: _Store, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(store, *args, **kwargs)
        except sqlite3.DatabaseError as error:
            raise store.failure(error) from error

    return tells


class KeptSessions:
    """The open store. What fails in it is KeptUnusable."""

    def __init__(self, path: Path, db: sqlite3.Connection, *, writes: bool) -> None:
        self.db = db
        self._path = path
        self._writes = writes

    @classmethod
    @contextmanager
    def opened(cls, path: Path | None, *, writes: bool = False) -> Iterator[Self]:
        """The store at `path`, made when missing if it `writes`, else an empty one, as without a path.
        KeptUnusable where it can't be used; whoever writes puts a damaged one aside."""
        path = path or Path()
        try:
            store = cls(path, writable_store(path) if writes else readable_store(path), writes=writes)
        except (OSError, sqlite3.OperationalError) as error:
            raise KeptUnusable(f"{path}, where sessions are kept, can't be used: {error}") from error
        except sqlite3.DatabaseError as error:
            raise damaged_store(path, puts_aside=writes) from error
        try:
            store._require_known_format()
            yield store
        finally:
            store.db.close()

    def failure(self, error: sqlite3.DatabaseError) -> KeptUnusable:
        """What to say of an error; a damaged store is put aside."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # an error of Python's has none
        if code & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return KeptUnusable(f"{self._path}, where sessions are kept, can't be used: {error}")
        self.db.close()
        return damaged_store(self._path, puts_aside=self._writes)

    @_told
    def _require_known_format(self) -> None:
        if int(SCHEMA.format) < int(self.db.execute("pragma user_version").fetchone()[0]):
            problem = f"{self._path} was written by a newer ctxrepo"
            raise KeptUnusable(problem, "Update ctxrepo; the file stays as it is.")

    @_told
    def sessions(self) -> dict[str, KeptSession]:
        """All transcripts of which something was copied, by their names."""
        return {session.name: session for session in map(KeptSession.of, self.db.execute(_SQL["all"]))}

    @_told
    def forgotten(self) -> set[tuple[str, str]]:
        """(agent, session) of what must not be kept again."""
        return {*self.db.execute("select agent, id from forgotten")}

    @_told
    def oldest_of(self, most: int) -> int:
        """When the last message of the oldest session was said, where more than so many bytes are taken; else
        0."""
        oldest = self.db.execute(_SQL["oldest_moment"]).fetchone() if self._bytes() > most else None
        return int(oldest[0]) if oldest else 0

    @_told
    def size(self) -> KeptSize:
        sessions, messages = self.db.execute(_SQL["size"]).fetchone()
        return KeptSize(sessions, messages, self._bytes())

    @_told
    def places(self, name: str) -> dict[int, tuple[int, str]]:
        """key -> (place, id) of a transcript's messages, in their order."""
        return {key: (place, id_) for key, place, id_ in self.db.execute(_SQL["places"], (name,))}

    @_told
    def keys_of(self, agent: str, id_: str) -> dict[int, str]:
        """key -> id of all that is kept of a session, in its order, whichever transcripts held it."""
        return dict(self.db.execute(_SQL["keys"], (agent, id_)))

    @_told
    def texts(self, keys: Collection[int]) -> dict[int, str]:
        """The texts of these messages by key, of those that are kept and can be read."""
        wanted = frozenset(keys)
        rows = self.db.execute(_SQL["blocks"], (json.dumps([*wanted]),)).fetchall()
        blocks = (self._block(number) for (number,) in rows)
        return {key: text for block in blocks for key, text in block.items() if key in wanted}

    def lines(self, session: KeptSession) -> Iterator[str]:
        """The lines of a transcript that are kept, and where none is its messages."""
        query = "select data from raw where session = ? order by place"
        for (data,) in self.db.execute(query, (session.number,)):
            yield from _expanded(data).split("\n")
        if session.raw < 0:
            yield from self.texts(self.places(session.name)).values()

    @_told
    def store(self, copies: Iterable[TranscriptCopy], most: int, since: int) -> None:
        """Keep all of these or nothing, and of all no more than `most` bytes, and no session whose last
        message is from before `since`; the oldest sessions go. What is kept is on the disk then."""
        with transaction(self.db):
            for copy in copies:
                self._store(copy)
            is_smaller = self._trim(most, since)
        if is_smaller:
            self._shrink()

    @_told
    def forget(self, sessions: Iterable[KeptSession], never: Iterable[tuple[str, str]]) -> None:
        """Take away all that is kept of these transcripts, and keep none of these (agent, session) again."""
        with transaction(self.db):
            for session in sessions:
                self._empty(session.number)
                self.db.execute("delete from session where number = ?", (session.number,))
            self.db.executemany("insert or ignore into forgotten values (?, ?)", never)
        self._shrink()

    def _store(self, copy: TranscriptCopy) -> None:
        """The transcript's rows become what was read of it; whatever else it held before stays."""
        session, until = copy.session, _LAST if copy.is_last else copy.until
        row = (*session.columns, session.last, session.read, session.raw, session.floor)
        (number,) = self.db.execute(_SQL["session"], row).fetchone()
        if copy.rewritten:
            self.db.execute(_SQL["earlier"], (_EARLIER, number))
            if copy.rewritten == "shorter":
                self.db.execute(_SQL["earlier_lines"], (_EARLIER, number))
            else:
                self.db.execute("delete from raw where session = ?", (number,))
        named = [message.name for message in copy.messages if message.name]
        among: dict[str, object] = {"since": copy.since, "until": until, "names": json.dumps(named)}
        keys = json.dumps([message.key for message in copy.messages])
        among |= {"session": number, "keys": keys, "grown": json.dumps([*copy.grown])}
        gone = self.db.execute(_SQL["replaced"], among).fetchall()
        for key, _ in gone:
            self.db.execute("delete from message where session = ? and key = ?", (number, key))
        self._add(number, copy.messages)
        self._sweep({block for _, block in gone})
        if copy.lines is not None:
            span = (number, copy.since, until)
            self.db.execute("delete from raw where session = ? and place >= ? and place < ?", span)
            for place, text in _filled(copy.lines, copy.until):
                blob = (number, place, _compressed(text))
                self.db.execute("insert into raw(session, place, data) values (?, ?, ?)", blob)

    def _add(self, session: int, messages: Iterable[KeptText]) -> None:
        """Messages that the session has now; the text of one that is kept already isn't kept again."""
        insert = "insert or replace into message(session, key, place, name, block) values (?, ?, ?, ?, ?)"
        new = []
        for message in messages:
            row = self.db.execute("select block from message where key = ?", (message.key,)).fetchone()
            if row:
                place = (session, message.key, message.place, storable(message.name), row[0])
                self.db.execute(insert, place)
            else:
                new.append(message)
        number, block, size = self._last_block(session)
        for message in new:
            if size >= _BLOCK or not number:
                self._write(number, block)
                query = "insert into block(session, data) values (?, x'')"
                number, block, size = int(self.db.execute(query, (session,)).lastrowid or 0), {}, 0
            block[message.key] = message.text
            size += len(message.text)
            place = (session, message.key, message.place, storable(message.name), number)
            self.db.execute(insert, place)
        if new:
            self._write(number, block)

    def _last_block(self, session: int) -> tuple[int, dict[int, str], int]:
        """The block of a session that was written last, and its size."""
        query = "select max(number) from block where session = ?"
        number = int(self.db.execute(query, (session,)).fetchone()[0] or 0)
        block = self._block(number) if number else {}
        if number and not block:  # it can't be read, and stays as it is
            return 0, {}, 0
        return number, block, sum(map(len, block.values()))

    def _block(self, number: int) -> dict[int, str]:
        """key -> text; nothing of a block that can't be read."""
        row = self.db.execute("select data from block where number = ?", (number,)).fetchone()
        pairs = (line.partition(" ") for line in _expanded(row[0]).split("\n") if line) if row else ()
        return {int(key): text for key, _, text in pairs}

    def _write(self, number: int, block: Mapping[int, str]) -> None:
        data = _compressed("\n".join(f"{key} {text}" for key, text in block.items()))
        self.db.execute("update block set data = ? where number = ?", (data, number))

    def _sweep(self, blocks: Iterable[int]) -> None:
        """Take out of these blocks what no message refers to any more."""
        for number in blocks:
            alive = {key for (key,) in self.db.execute("select key from message where block = ?", (number,))}
            block = self._block(number)
            if not alive:
                self.db.execute("delete from block where number = ?", (number,))
            elif block.keys() - alive:
                self._write(number, {key: text for key, text in block.items() if key in alive})

    def _empty(self, session: int) -> None:
        """Nothing of a transcript is kept any more but that it was read."""
        query = "select distinct block from message where session = ?"
        blocks = {block for (block,) in self.db.execute(query, (session,))}
        self.db.execute("delete from message where session = ?", (session,))
        self.db.execute("delete from raw where session = ?", (session,))
        self._sweep(blocks)

    def _trim(self, most: int, since: int) -> bool:
        """Whether something had to go."""
        gone = [number for (number,) in self.db.execute(_SQL["old"], (since,)).fetchall()]
        for number in gone:
            self._empty(number)
        while self._bytes() > most and (row := self.db.execute(_SQL["oldest"]).fetchone()):
            self._empty(row[0])
            gone.append(row[0])
        self.db.executemany("update session set floor = read where number = ?", [(n,) for n in gone])
        return bool(gone)

    def _bytes(self) -> int:
        pages, free, page = (
            int(self.db.execute(f"pragma {what}").fetchone()[0])
            for what in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * page

    def _shrink(self) -> None:
        """Give back the disk that isn't needed; the log of changes holds nothing that was taken away."""
        self.db.execute("pragma incremental_vacuum").fetchall()
        self.db.execute("pragma wal_checkpoint(truncate)").fetchall()


def _filled(lines: Iterable[tuple[int, str]], edge: int) -> Iterator[tuple[int, str]]:
    """Lines that follow one another, as many together as a block takes, with the place of the first; those
    from the `edge` on are read again, so that they stand apart."""
    first, texts, size = 0, list[str](), 0
    for place, text in lines:
        if texts and (size >= _BLOCK or first < edge <= place):
            yield first, "\n".join(texts)
            texts, size = [], 0
        first = first if texts else place
        texts.append(text)
        size += len(text)
    if texts:
        yield first, "\n".join(texts)


def _compressed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "replace"), 9)


def _expanded(data: bytes) -> str:
    with suppress(zlib.error):
        return zlib.decompress(data).decode("utf-8", "replace") if data else ""
    return ""
