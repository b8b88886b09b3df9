"""Reads transcripts into the index, one piece at a time, so that it can be ended between any two."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxrepo.agents.known import transcripts_of
from ctxrepo.services.sessions.said import new_message, new_messages
from ctxrepo.services.sessions.transcripts import Changed
from ctxrepo.storage.disk.recent import rows_of
from ctxrepo.storage.processes.database import transaction
from ctxrepo.storage.processes.process import give_precedence
from ctxrepo.storage.sessions.index import IndexedSession, NewMessage, SessionIndex
from ctxrepo.storage.sessions.lines import (
    PIECE,
    FilePiece,
    digest_before,
    first_line,
    opened_file,
    read_piece,
)

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts
    from ctxrepo.agents.recorded import Message

_AGAIN = 1024 * 1024
"""Bytes that are read again for the sake of a last message that may go on."""

_HEAD_LINES = 100
"""Lines in which a session's folder is mostly told."""

_ROWS = 20_000
"""Parts of messages that are taken from a database at a time."""

_SECONDS = 1_000_000_000


class ReadStep(NamedTuple):
    """How many bytes were read, and how many transcripts are left."""

    size: int
    left: int


class _ReadPiece(NamedTuple):
    """What was read of a transcript: its `session` as it is by then, and the messages from the place `since`
    on. `is_done`: there is no more for now."""

    session: IndexedSession
    since: int
    new: Sequence[NewMessage]
    size: int
    is_done: bool


def read_in_steps(index: Path, wanted: Sequence[Changed], *, is_background: bool) -> Iterator[ReadStep]:
    """Read these transcripts into the index; a step is over when its piece is in the index."""
    if is_background:
        give_precedence()
    reader = TranscriptReader(index, wanted)
    while not reader.is_done:
        yield reader.step()


class TranscriptReader:
    """What is left to read, the newest first."""

    def __init__(self, index: Path, wanted: Sequence[Changed]) -> None:
        self._index = index
        self._left = deque(wanted)

    @property
    def is_done(self) -> bool:
        return not self._left

    def step(self) -> ReadStep:
        """Read about a piece, be it of one transcript or of many.

        A file may hang, so the index is locked only when all is read that it is to take.
        """
        done, read = 0, list[tuple[Changed, _ReadPiece]]()
        with SessionIndex.opened(self._index) as index:
            while self._left and done < PIECE and (not read or read[-1][1].is_done):
                wanted = self._left.popleft()
                piece = _read(index, wanted)
                read.append((wanted, piece))
                done += max(1, piece.size)
            with transaction(index.db):
                stored = [index.store(piece.session, piece.since, piece.new) for _, piece in read]
        if read and not read[-1][1].is_done:
            self._left.appendleft(Changed(read[-1][0].file, stored[-1]))
        return ReadStep(done, len(self._left))


def _read(index: SessionIndex, wanted: Changed) -> _ReadPiece:
    """The next piece of a transcript; nothing of one that is gone meanwhile or can't be read, which is tried
    again once it has changed."""
    transcripts, file = transcripts_of(wanted.file.agent), wanted.file
    try:
        if transcripts:
            return _read_rows(index, transcripts, wanted) if file.session else _read_file(transcripts, wanted)
    except (OSError, ValueError):
        pass
    nothing = replace(_unread(wanted), inode=file.inode, size=file.size, mtime=file.mtime, mark=file.mark)
    return _ReadPiece(nothing, 0, (), 0, True)


def _read_file(transcripts: Transcripts, wanted: Changed) -> _ReadPiece:
    file, known = wanted.file, wanted.known or _unread(wanted)
    with opened_file(file.path) as handle:
        there = os.fstat(handle)
        is_same = there.st_ino == known.inode and there.st_size >= known.offset
        if not is_same or digest_before(handle, known.offset) != known.before:
            known = replace(known, offset=0, is_midline=False)
        piece = read_piece(handle, known.offset, known.is_midline)
        head = [first_line(handle)] if known.offset else []
        told = transcripts.head(head or islice(piece.lines, _HEAD_LINES))
        found = [m for m in transcripts.messages([*head, *piece.lines]) if m.line >= len(head)]
        found = [replace(m, line=m.line - len(head)) for m in found] if head else found
        taken, end = _taken(found, piece, known.offset)
        before = digest_before(handle, end)
    id_ = told.id or known.id or Path(file.path).stem
    session = replace(known, id=id_, cwd=file.cwd or known.cwd or told.cwd, inode=there.st_ino)
    session = replace(session, offset=end, is_midline=piece.is_midline, before=before)
    if piece.is_last:
        session = replace(session, size=file.size, mtime=file.mtime)
    new = [*new_messages(taken, piece.starts, file.agent, id_, file.mtime // _SECONDS)]
    return _ReadPiece(session, known.offset, new, piece.end - known.offset, piece.is_last)


def _taken(found: Sequence[Message], piece: FilePiece, start: int) -> tuple[Sequence[Message], int]:
    """The messages to take now, and where to go on. The last one may have a further part, so it is read again
    with what comes next."""
    if not found or piece.is_midline:
        return found, piece.end
    last = piece.starts[found[-1].line]
    if piece.end - last > _AGAIN or (last <= start and not piece.is_last):
        return found, piece.end
    return (found if piece.is_last else found[:-1]), last


def _read_rows(index: SessionIndex, transcripts: Transcripts, wanted: Changed) -> _ReadPiece:
    file, known = wanted.file, wanted.known or _unread(wanted)
    place, since = index.last(known.number)
    asked = {"session": file.session, "since": since, "until": ""}
    rows = islice(rows_of(Path(file.path), transcripts.QUERY, asked), _ROWS)
    lines = [row[0] for row in rows if isinstance(row[0], str)]
    found = list(transcripts.messages(lines))
    is_done = len(lines) < _ROWS or len(found) < 2
    new: list[NewMessage] = []
    for order, message in enumerate(found if is_done else found[:-1]):
        made = new_message(message, file.agent, file.session, place + order, is_named=True)
        new += [made] if made else []
    session = replace(known, id=file.session, cwd=file.cwd, inode=file.inode)
    session = replace(session, mark=file.mark, mtime=file.mtime) if is_done else session
    return _ReadPiece(session, place, new, sum(map(len, lines)), is_done)


def _unread(wanted: Changed) -> IndexedSession:
    file = wanted.file
    return IndexedSession(file.name, file.agent, file.session, file.path, file.cwd)
