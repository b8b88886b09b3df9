"""The index of sessions is brought up to what the agents' transcripts say, within a time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxrepo.agents.known import parts_of, transcripts_of
from ctxrepo.agents.recorded import session_named
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.question.message_traits import IS_COPY
from ctxrepo.errors import CtxrepoError, KeptUnusable
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.keeping import Keeper, Keeping, TranscriptPiece, keepable, placed_lines
from ctxrepo.services.sessions.message_words import new_message
from ctxrepo.services.sessions.transcripts_here import (
    Changed,
    TranscriptsHere,
    changed,
    is_resumed_file,
    transcripts_here,
)
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.disk.recent import first_rows_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.apart import Apart
from ctxrepo.storage.processes.database import transaction
from ctxrepo.storage.processes.lock import TryLock, pause
from ctxrepo.storage.processes.process import give_precedence
from ctxrepo.storage.sessions.kept_sessions import KeptSession, Rewritten, TranscriptCopy
from ctxrepo.storage.sessions.session_index import (
    GONE,
    IndexedSession,
    NewMessage,
    SessionIndex,
    index_file,
)
from ctxrepo.storage.sessions.transcript_files import (
    PIECE,
    FilePiece,
    TranscriptFile,
    digest_before,
    first_line,
    read_piece,
)
from ctxrepo.storage.sessions.transcript_lines import NoUnpacker, is_database, opened_file

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts
    from ctxrepo.agents.recorded import Message

PATIENCE = 30.0
"""Seconds for one piece; with low priority on a busy machine it takes a while. A folder that hangs for longer
is left, with the process that reads there."""

_WAIT = 0.05
"""Seconds, at least, between two looks whether another process has finished."""

_TRIES = 2
"""Times an index is built that turns out to be damaged."""

_AGAIN = 1024 * 1024
"""Bytes that are read again at most, because the last message may go on."""

_HEAD_LINES = 100
"""Lines that mostly name the session's folder."""

_ROWS = 20_000
"""Parts of messages that are taken from a database at a time."""

_RESTORED = PIECE // 16
"""Bytes that a session counts for which is restored from what is kept."""

_NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""


@dataclass(frozen=True)
class UpdateOutcome:
    """`left` counts transcripts still to read; `unknown` are agents whose folders hang; `is_elsewhere`:
    another reads; `unkept` says why sessions that are to be kept aren't."""

    read: int = 0
    left: int = 0
    unknown: frozenset[str] = frozenset()
    is_elsewhere: bool = False
    unkept: str = ""

    @property
    def is_complete(self) -> bool:
        return not (self.left or self.unknown or self.is_elsewhere)


def unread_mark(memory: Memory) -> Path:
    """A file that is there while transcripts are left to be read that somebody has begun with."""
    return memory.state.root / "sessions.unread"


def update_index(
    memory: Memory, seconds: float, tell: Callable[[str], None] | None = None, *, is_background: bool = False
) -> UpdateOutcome:
    """Read what was said since the last time, the newest first, for at most so many seconds; `is_background`:
    only while the processor and the index are free. A process of its own reads: one that hangs is left behind
    (ADR 37), with nothing of ours."""
    if memory.why_read_only:
        here = transcripts_here(memory)
        changes = _look(memory, here, Keeper())
        return UpdateOutcome(left=len(changes), unknown=here.unknown)
    lock, end = TryLock(memory.state.lock("sessions")), time.monotonic() + seconds
    while not lock.acquire():
        if is_background or time.monotonic() >= end:
            return UpdateOutcome(is_elsewhere=True)
        pause(_WAIT, 2 * _WAIT)
    try:
        for _ in range(_TRIES):
            with suppress(sqlite3.DatabaseError):  # it was thrown away, and is built anew
                return _update(memory, end, tell, is_background=is_background)
        return UpdateOutcome(left=1)
    finally:
        lock.release()


def _update(
    memory: Memory, end: float, tell: Callable[[str], None] | None, *, is_background: bool
) -> UpdateOutcome:
    """The same once the lock is held; sqlite3.DatabaseError when the index was damaged."""
    touch(unread_mark(memory))
    try:
        here = transcripts_here(memory)
        keeper, transcripts = _changed_transcripts(memory, here)
        if transcripts and tell:
            tell(f"reading {counted(len(transcripts), 'transcript')} of agents' sessions")
        steps = partial(
            read_in_steps, index_file(memory.state.root), transcripts, keeper, is_background=is_background
        )
        read = _read(steps, transcripts, end, spoils=is_background)
    except sqlite3.OperationalError as error:
        raise CtxrepoError(f"the index of sessions can't be written: {error}") from error
    if not read.left:
        unread_mark(memory).unlink()
    return UpdateOutcome(read.size, read.left, here.unknown, unkept=keeper.problem or read.unkept)


def _changed_transcripts(memory: Memory, here: TranscriptsHere) -> tuple[Keeper, Sequence[Changed]]:
    """What is to be read, and who keeps it; what is no longer there is taken out of the index, unless it is
    kept."""
    keeper = Keeper.of(memory)
    try:
        return keeper, _look(memory, here, keeper)
    except KeptUnusable as error:
        keeper = keeper.without(error)
        return keeper, _look(memory, here, keeper)


def _look(memory: Memory, here: TranscriptsHere, keeper: Keeper) -> Sequence[Changed]:
    with SessionIndex.opened(index_file(memory.state.root)) as index, keeper.opened() as kept:
        if index.is_wasteful():
            index.clear()
        sessions = index.sessions()
        names = {file.name for file in here.files}
        kept.give_up(names, here.agents)
        ours = [one for one in sessions.values() if one.agent in here.agents]
        lost = [one for one in ours if one.name not in names and not kept.has(one.name)]
        # What a transcript told that is gone may stand in a copy as well.
        agents = {one.agent for one in lost}
        lost += [
            one for one in ours if one.agent in agents and one.name in names and not is_resumed_file(one)
        ]
        if lost:
            index.forget(lost)
        for one in ours:
            if one.name not in names and kept.has(one.name) and not one.is_gone:
                index.leave(one, kept.keys(one.name))
        unindexed = [Changed(file, None) for file in kept.gone(sessions, names, here.agents)]
        left = {name: sessions[name] for name in sessions.keys() - {one.name for one in lost}}
        found = changed(here, left, kept)
        return sorted([*found, *unindexed], key=lambda one: not is_resumed_file(one.file))


def _read(
    steps: Callable[[], Iterator[ReadStep]], transcripts: Sequence[Changed], end: float, *, spoils: bool
) -> ReadStep:
    """How many bytes were read until the time was over, and how many transcripts are left."""
    done = ReadStep(0, len(transcripts))
    if transcripts:
        with suppress(TimeoutError), Apart(steps, PATIENCE, spoils=spoils) as apart:
            while done.left and time.monotonic() < end:
                step = apart.next()
                done = ReadStep(done.size + step.size, step.left, done.unkept or step.unkept)
    return done


class ReadStep(NamedTuple):
    """How many bytes were read, how many transcripts are left, and why nothing of them is kept, if it was to
    be."""

    size: int
    left: int
    unkept: str = ""


class _ReadPiece(NamedTuple):
    """What was read of a transcript: its `session` by then, the `messages` from `since` on, and a `copy` of
    it where it is kept; `is_last`: no more for now."""

    session: IndexedSession
    since: int
    messages: Iterable[NewMessage]
    size: int
    is_last: bool
    copy: TranscriptCopy | None = None


def read_in_steps(
    index: Path, transcripts: Sequence[Changed], keeper: Keeper | None = None, *, is_background: bool = False
) -> Iterator[ReadStep]:
    """Read these transcripts into the index, one after the other, in steps of about a piece, of one
    transcript or of many. What can't be kept is read all the same, and kept another time."""
    if is_background:
        give_precedence()
    keeper, unread = keeper or Keeper(), deque(transcripts)
    while unread:
        rest = deque(unread)
        try:
            size = _read_step(index, rest, keeper)
        except KeptUnusable as error:
            keeper = keeper.without(error)
            unread = deque(one for one in unread if one.file.mark != GONE)
            continue
        unread = rest
        yield ReadStep(size, len(unread), keeper.problem)


def _read_step(index: Path, unread: deque[Changed], keeper: Keeper) -> int:
    """Bytes that were read of the first of these transcripts. A file may hang, so index and store are locked
    only once all of the step is read; a message is kept before the index says that it was read (ADR 96)."""
    size, read = 0, list[tuple[TranscriptFile, _ReadPiece]]()
    with SessionIndex.opened(index) as sessions, keeper.opened() as kept:
        most = PIECE // 2 if kept.is_thorough else PIECE
        while unread and size < most and (not read or read[-1][1].is_last):
            if read and not is_resumed_file(unread[0].file):
                break  # it is compared with what is in the index by then
            transcript = unread.popleft()
            piece = _next_piece(sessions, kept, transcript)
            read.append((transcript.file, piece))
            size += max(1, piece.size)
        kept.store_copies([piece.copy for _, piece in read if piece.copy])
        with transaction(sessions.db):
            for _, piece in read:
                stored = sessions.store(piece.session, piece.since, piece.messages)
                if piece.is_last:
                    kept.restore(sessions, stored)
    if not read[-1][1].is_last:
        unread.appendleft(Changed(read[-1][0], stored))
    return size


def _next_piece(index: SessionIndex, kept: Keeping, transcript: Changed) -> _ReadPiece:
    """The next piece of a transcript; nothing of one that can't be read, until it has changed."""
    file, session = transcript.file, transcript.indexed or _unread(transcript.file)
    transcripts, mtime = transcripts_of(file.agent), file.mtime
    if file.mark == GONE:  # all of it is restored from what is kept
        return _ReadPiece(replace(session, mtime=file.mtime, mark=GONE), 0, (), _RESTORED, True)
    try:
        if transcripts and file.session:
            return _read_rows(index, transcripts, transcript, kept)
        if transcripts and (file.path.endswith(".jsonl") or not is_database(Path(file.path))):
            return _read_file(index, transcripts, transcript, kept)
    except NoUnpacker:
        mtime = 0  # it may be installed by the next time
    except (OSError, ValueError):
        pass
    nothing = replace(_unread(file), inode=file.inode, size=file.size, mtime=mtime, mark=file.mark)
    return _ReadPiece(nothing, 0, (), 0, True)


def _read_file(
    index: SessionIndex, transcripts: Transcripts, transcript: Changed, kept: Keeping
) -> _ReadPiece:
    file, indexed = transcript.file, transcript.indexed or _unread(transcript.file)
    own = kept.wanted(file, indexed.id)
    with opened_file(file.path, parts_of(transcripts)) as handle:
        rewritten = _rewritten(handle, own) if own else ""
        copied = None if own is None else 0 if rewritten else kept.copied(own)
        indexed = _where_to_begin(handle, file, indexed, copied)
        most = [PIECE // 2] if kept.is_thorough else []
        piece = read_piece(handle, indexed.offset, indexed.is_midline, *most)
        first = [first_line(handle)] if indexed.offset else []
        head = transcripts.head(first or islice(piece.lines, _HEAD_LINES))
        messages = [m for m in transcripts.messages([*first, *piece.lines]) if m.line >= len(first)]
        messages = [replace(m, line=m.line - len(first)) for m in messages] if first else messages
        complete, end = _complete(messages, piece, indexed.offset)
        before, before_all = digest_before(handle, end), digest_before(handle, piece.end)
    id_ = head.id or indexed.id or session_named(file.path, transcripts.OF_SESSION)
    session = replace(indexed, id=id_, cwd=file.cwd or indexed.cwd or head.cwd, inode=file.inode)
    seen = (file.size, file.mtime) if piece.is_last else (0, indexed.mtime)
    session = replace(session, offset=end, is_midline=piece.is_midline, before=before)
    session = replace(session, size=seen[0], mtime=seen[1], mark="")
    is_copy = not is_resumed_file(file)
    if is_copy:  # what sessions that have a transcript say is known from there
        others = {m.session for m in complete} - {"", id_}
        known = {other for other in others if index.has(file.agent, other)}
        complete = [m for m in complete if m.session not in known]
    own = kept.wanted(file, id_)
    placed = [(piece.starts[m.line], m) for m in complete]
    said = keepable(placed, file.agent, id_, is_kept=own is not None)
    at = file.mtime // _NANOSECONDS
    new = (new_message(one.message, session, one.place, one.key, at=at) for one in said)
    found = [replace(m, traits=m.traits | IS_COPY) if is_copy else m for m in new if m]
    until, lines = None if piece.is_last else end, [*zip(piece.starts, piece.lines, strict=True)]
    part = TranscriptPiece(indexed.offset, until, said, lines, piece.end, before_all, rewritten=rewritten)
    copy = kept.copy(own, session, part) if own else None
    return _ReadPiece(session, indexed.offset, found, piece.end - indexed.offset, piece.is_last, copy)


def _where_to_begin(
    handle: int, file: TranscriptFile, indexed: IndexedSession, copied: int | None
) -> IndexedSession:
    """The session as far as both the index has it and the store, which has the file up to the place `copied`
    (None: it isn't to be kept, less than 0: nothing is); from the beginning where the file isn't the one any
    more that the index has."""
    is_same = file.inode == indexed.inode and os.fstat(handle).st_size >= indexed.offset
    if not is_same or digest_before(handle, indexed.offset) != indexed.before:
        indexed = replace(indexed, offset=0, is_midline=False)
    if copied is not None and copied < indexed.offset:
        indexed = replace(indexed, offset=max(0, copied), is_midline=False)
    return indexed


def _rewritten(handle: int, own: KeptSession) -> Rewritten:
    """Whether the file isn't the one any more that was copied, and how long it is beside that."""
    if own.end and os.fstat(handle).st_size < own.end:
        return "shorter"
    return "longer" if own.end and digest_before(handle, own.end) != own.before else ""


def _complete(messages: Sequence[Message], piece: FilePiece, start: int) -> tuple[Sequence[Message], int]:
    """The messages to take now, and where to go on: the last is read again, as a part may follow."""
    if not messages or piece.is_midline:
        return messages, piece.end
    last = piece.starts[messages[-1].line]
    if piece.end - last > _AGAIN or (last <= start and not piece.is_last):
        return messages, piece.end
    return (messages if piece.is_last else messages[:-1]), last


def _read_rows(
    index: SessionIndex, transcripts: Transcripts, transcript: Changed, kept: Keeping
) -> _ReadPiece:
    file, indexed = transcript.file, transcript.indexed or _unread(transcript.file)
    place, since = index.last(indexed.number)
    own = kept.wanted(file, file.session)
    if own:
        place, since = min((place, since), kept.last(own))
    values = {"session": file.session, "since": since, "until": ""}
    rows = islice(first_rows_of(Path(file.path), transcripts.QUERY, values), _ROWS)
    lines = [row[0] for row in rows if isinstance(row[0], str)]
    messages = list(transcripts.messages(lines))
    is_last = len(lines) < _ROWS or len(messages) < 2
    messages = messages if is_last else messages[:-1]
    session = replace(indexed, id=file.session, cwd=file.cwd, inode=file.inode, mark="")
    session = replace(session, mark=file.mark, mtime=file.mtime) if is_last else session
    placed = [*enumerate(messages, place)]
    said = keepable(placed, file.agent, file.session, is_kept=own is not None)
    new = [new_message(one.message, session, one.place, one.key, is_named=True) for one in said]
    until = None if is_last else place + len(messages)
    part = TranscriptPiece(place, until, said, placed_lines(placed, lines), is_named=True)
    copy = kept.copy(own, session, part) if own else None
    return _ReadPiece(session, place, [*filter(None, new)], sum(map(len, lines)), is_last, copy)


def _unread(file: TranscriptFile) -> IndexedSession:
    return IndexedSession(file.name, file.agent, file.session, file.path, file.cwd)
