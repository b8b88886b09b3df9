"""Owns kept.db: copies of agents' sessions, kept for the day on which the agents delete them (ADR 96).

It is the only copy of what it holds. So it stays on this machine and out of every repository, nothing
discards it, and a damaged one is renamed. A message is a text under the key that it has in the index. Texts
are stored in compressed blocks, and a message that several sessions share is stored once. Messages that an
agent removed when it rewrote a transcript have places below 0, before all that the transcript has now."""

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from ctxrepo.domain.formats.blocks import texts_beside
from ctxrepo.errors import KeptUnusable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.processes.database import storable, transaction
from ctxrepo.storage.sessions.kept_file import SCHEMA, readable_store, unusable_store, writable_store
from ctxrepo.storage.sessions.transcript_files import Position, ReadTranscript, Rewrite

_SQL = texts_beside(__spec__, "kept_queries.sql")

_BLOCK = 64 * 1024
"""Characters of texts that are compressed together. More would save little, and to read one text, its whole
block is expanded."""

_EARLIER = 1 << 40
"""How far the places of messages move down when their transcript is rewritten: no transcript is so large."""

_LAST = 1 << 62
"""A place after all places."""


@dataclass(frozen=True)
class KeptSession(ReadTranscript):
    """A session's transcript as far as it was copied. The next copy takes messages from the place
    `next_message` on, where the last one may have grown, and lines from `next_line` on (-1: no lines are
    kept). `last_at` is when the last message was said, in Unix seconds. What stands before `floor` was
    removed to save room, and isn't copied again. `is_empty`: no message of it is kept."""

    last_at: int = 0
    next_message: int = 0
    next_line: int = -1
    floor: int = 0
    is_empty: bool = True

    @property
    def at_start(self) -> "KeptSession":
        """The same for a transcript that was rewritten: nothing that it says now is copied yet."""
        no_lines_yet = min(self.next_line, 0)
        return replace(self, position=Position(), next_message=0, next_line=no_lines_yet, floor=0)


class KeptText(NamedTuple):
    """A message to keep, as the index has it, with its `text` on one line."""

    key: int
    place: int
    name: str
    text: str


@dataclass(frozen=True)
class TranscriptCopy:
    """What was read of a transcript: its `session` after that, and all messages from the place `since` to
    `until`, where the next copy begins, or to its end if `is_last`. `lines` are all its lines there, by
    place; None where lines aren't kept. `rewrite`: the file is no longer the one that was copied before. Then
    `outgrown` are the keys of kept messages of which these are longer versions."""

    session: KeptSession
    since: int
    until: int
    is_last: bool
    messages: Sequence[KeptText]
    lines: Sequence[tuple[int, str]] | None
    rewrite: Rewrite = ""
    outgrown: Sequence[int] = ()


class KeptSize(NamedTuple):
    """How much is kept."""

    sessions: int
    messages: int
    bytes: int


class KeptSessions:
    """The open store. Its methods raise KeptUnusable where it fails: whoever uses the index beside it must be
    able to tell the errors of the two apart."""

    def __init__(self, path: Path, db: sqlite3.Connection, *, writes: bool) -> None:
        self.db = db
        self._path = path
        self._writes = writes

    @classmethod
    @contextmanager
    def opened(cls, path: Path | None, *, writes: bool = False) -> Iterator[Self]:
        """The store at `path`. If it `writes`, a missing one is created and a damaged one renamed; else a
        missing one is empty, as without a path. KeptUnusable where it can't be used."""
        path = path or Path()
        try:
            db = writable_store(path) if writes else readable_store(path)
        except sqlite3.Error as error:
            raise unusable_store(path, error, renames=writes) from error
        except OSError as error:
            raise KeptUnusable(f"{path}, where sessions are kept, can't be used: {error}") from error
        try:
            store = cls(path, db, writes=writes)
            with store._errors_as_unusable():
                (version,) = db.execute("pragma user_version").fetchone()
            if version > int(SCHEMA.format):
                problem = f"{path} was written by a newer ctxrepo"
                raise KeptUnusable(problem, "Update ctxrepo; the file stays as it is.")
            yield store
        finally:
            db.close()

    @contextmanager
    def _errors_as_unusable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            self.db.close()
            raise unusable_store(self._path, error, renames=self._writes) from error

    def sessions(self) -> dict[str, KeptSession]:
        """All transcripts of which something was copied, by their names."""
        with self._errors_as_unusable():
            return {session.name: session for session in map(KeptSession.of, self.db.execute(_SQL["all"]))}

    def forgotten(self) -> set[tuple[str, str]]:
        """(agent, session) of what must not be kept again."""
        with self._errors_as_unusable():
            return {*self.db.execute("select agent, id from forgotten")}

    def oldest_moment(self, most: int) -> int:
        """When the last message of the oldest session was said, in Unix seconds, if the store takes more than
        `most` bytes; else 0."""
        with self._errors_as_unusable():
            oldest = self.db.execute(_SQL["oldest"]).fetchone() if self._bytes() > most else None
            return int(oldest[1]) if oldest else 0

    def size(self) -> KeptSize:
        with self._errors_as_unusable():
            sessions, messages = self.db.execute(_SQL["size"]).fetchone()
            return KeptSize(sessions, messages, self._bytes())

    def places(self, name: str) -> dict[int, int]:
        """key -> place of the messages of the transcript of this name, in their order."""
        with self._errors_as_unusable():
            return dict(self.db.execute(_SQL["places"], (name,)))

    def keys_of(self, agent: str, id_: str) -> dict[int, str]:
        """key -> message id of all that is kept of a session, in its order, whichever transcripts held it."""
        with self._errors_as_unusable():
            return dict(self.db.execute(_SQL["keys"], (agent, id_)))

    def texts(self, keys: Collection[int]) -> dict[int, str]:
        """key -> text of those of these messages that are kept and can be read."""
        wanted = frozenset(keys)
        with self._errors_as_unusable():
            rows = self.db.execute(_SQL["blocks"], (json.dumps([*wanted]),)).fetchall()
            blocks = [self._block(number) for (number,) in rows]
        return {key: text for block in blocks for key, text in block.items() if key in wanted}

    def lines(self, session: KeptSession) -> Iterator[str]:
        """The lines of a transcript that are kept, or its messages where no lines are."""
        query = "select data from raw where session = ? order by place"
        with self._errors_as_unusable():
            for (data,) in self.db.execute(query, (session.number,)):
                yield from _expanded(data).split("\n")
        if session.next_line < 0:
            yield from self.texts(self.places(session.name)).values()

    def store(self, copies: Iterable[TranscriptCopy], most: int, since: int) -> None:
        """Keep all of these copies or none. Then remove sessions whose last message is from before `since`,
        in Unix seconds, and the oldest ones until the store takes no more than `most` bytes. When this
        returns, all is on the disk."""
        with self._errors_as_unusable():
            with transaction(self.db):
                for copy in copies:
                    self._store(copy)
                is_smaller = self._trim(most, since)
            if is_smaller:
                self._shrink()

    def forget(self, sessions: Iterable[KeptSession], never: Iterable[tuple[str, str]]) -> None:
        """Remove all that is kept of these transcripts, and keep none of these (agent, session) again."""
        with self._errors_as_unusable():
            with transaction(self.db):
                for session in sessions:
                    self._empty(session.number)
                    self.db.execute("delete from session where number = ?", (session.number,))
                self.db.executemany("insert or ignore into forgotten values (?, ?)", never)
            self._shrink()

    def _store(self, copy: TranscriptCopy) -> None:
        """Replace what the store has of the transcript between the copy's bounds; all else of it stays."""
        session, until = copy.session, _LAST if copy.is_last else copy.until
        row = (*session.columns, session.last_at, session.next_message, session.next_line, session.floor)
        (number,) = self.db.execute(_SQL["session"], row).fetchone()
        if copy.rewrite:
            self.db.execute(_SQL["earlier"], (_EARLIER, number))
        if copy.rewrite == "shorter":
            self.db.execute(_SQL["earlier_lines"], (_EARLIER, number))
        elif copy.rewrite == "longer":  # the file has all lines again
            self.db.execute("delete from raw where session = ?", (number,))
        bounds: dict[str, object] = {"session": number, "since": copy.since, "until": until}
        bounds["keys"] = json.dumps([message.key for message in copy.messages])
        bounds["names"] = json.dumps([message.name for message in copy.messages if message.name])
        bounds["outgrown"] = json.dumps([*copy.outgrown])
        replaced = self.db.execute(_SQL["replaced"], bounds).fetchall()
        for key, _ in replaced:
            self.db.execute("delete from message where session = ? and key = ?", (number, key))
        self._add(number, copy.messages)
        self._sweep({block for _, block in replaced})
        if copy.lines is not None:
            self.db.execute(_SQL["replaced_lines"], bounds)
            for place, text in _joined_lines(copy.lines, copy.until):
                blob = (number, place, _compressed(text))
                self.db.execute("insert into raw(session, place, data) values (?, ?, ?)", blob)

    def _add(self, session: int, messages: Iterable[KeptText]) -> None:
        """Add messages to a session. A text that is kept already, for any session, isn't kept again."""
        number, block, size = self._last_block(session)
        is_changed = False
        for message in messages:
            row = self.db.execute("select block from message where key = ?", (message.key,)).fetchone()
            if not row:
                if size >= _BLOCK or not number:
                    self._write(number, block)
                    query = "insert into block(session, data) values (?, x'')"
                    number, block, size = int(self.db.execute(query, (session,)).lastrowid or 0), {}, 0
                block[message.key] = message.text
                size += len(message.text)
                is_changed = True
            place = (session, message.key, message.place, storable(message.name))
            self.db.execute(_SQL["message"], (*place, *(row or (number,))))
        if is_changed:
            self._write(number, block)

    def _last_block(self, session: int) -> tuple[int, dict[int, str], int]:
        """(number, texts, size in characters) of the block of a session that was written last. A block that
        can't be read is left as it is: (0, {}, 0), as where there is none."""
        query = "select max(number) from block where session = ?"
        number = int(self.db.execute(query, (session,)).fetchone()[0] or 0)
        block = self._block(number)
        return (number if block else 0), block, sum(map(len, block.values()))

    def _block(self, number: int) -> dict[int, str]:
        """key -> text; empty for a block that can't be read."""
        row = self.db.execute("select data from block where number = ?", (number,)).fetchone()
        pairs = (line.partition(" ") for line in _expanded(row[0]).split("\n") if line) if row else ()
        return {int(key): text for key, _, text in pairs}

    def _write(self, number: int, block: Mapping[int, str]) -> None:
        data = _compressed("\n".join(f"{key} {text}" for key, text in block.items()))
        self.db.execute("update block set data = ? where number = ?", (data, number))

    def _sweep(self, blocks: Iterable[int]) -> None:
        """Remove from these blocks the texts to which no message refers any more."""
        for number in blocks:
            alive = {key for (key,) in self.db.execute("select key from message where block = ?", (number,))}
            block = self._block(number)
            if not alive:
                self.db.execute("delete from block where number = ?", (number,))
            elif block.keys() - alive:
                self._write(number, {key: text for key, text in block.items() if key in alive})

    def _empty(self, session: int) -> None:
        """Remove all that is kept of a transcript; how far it was copied stays."""
        query = "select distinct block from message where session = ?"
        blocks = {block for (block,) in self.db.execute(query, (session,))}
        self.db.execute("delete from message where session = ?", (session,))
        self.db.execute("delete from raw where session = ?", (session,))
        self._sweep(blocks)

    def _trim(self, most: int, since: int) -> bool:
        """Remove sessions that are too old or too much; whether there were any."""
        emptied = [number for (number,) in self.db.execute(_SQL["old"], (since,)).fetchall()]
        for number in emptied:
            self._empty(number)
        while self._bytes() > most and (row := self.db.execute(_SQL["oldest"]).fetchone()):
            self._empty(row[0])
            emptied.append(row[0])
        query = "update session set floor = read where number = ?"
        self.db.executemany(query, [(number,) for number in emptied])
        return bool(emptied)

    def _bytes(self) -> int:
        pages, free, page = (
            int(self.db.execute(f"pragma {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * page

    def _shrink(self) -> None:
        """Give unused disk space back, and remove from the log of changes what was deleted."""
        self.db.execute("pragma incremental_vacuum").fetchall()
        self.db.execute("pragma wal_checkpoint(truncate)").fetchall()


def _joined_lines(lines: Iterable[tuple[int, str]], edge: int) -> Iterator[tuple[int, str]]:
    """Successive lines joined to texts of about a block, each with the place of its first line. Lines from
    the `edge` on are read again, so they are in texts of their own."""
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
