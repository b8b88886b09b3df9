"""The index of sessions is brought up to what the agents' transcripts say, within a time."""

from __future__ import annotations

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
from ctxrepo.services.sessions.keeping import Keeper, Keeping, masked_messages
from ctxrepo.services.sessions.message_words import new_messages, placed_messages
from ctxrepo.services.sessions.transcripts_here import (
    Changed,
    TranscriptsHere,
    changed,
    is_resumed_file,
    transcripts_here,
)
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.apart import Apart
from ctxrepo.storage.processes.database import transaction
from ctxrepo.storage.processes.lock import TryLock, pause
from ctxrepo.storage.processes.process import give_precedence
from ctxrepo.storage.sessions.kept_sessions import TranscriptCopy
from ctxrepo.storage.sessions.session_index import (
    GONE,
    IndexedSession,
    NewMessage,
    SessionIndex,
    index_file,
)
from ctxrepo.storage.sessions.transcript_files import (
    PIECE,
    OpenTranscript,
    Position,
    TranscriptFile,
    TranscriptPiece,
    opened_transcript,
)
from ctxrepo.storage.sessions.transcript_lines import NoUnpacker

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

_RESTORED = PIECE // 16
"""Bytes that a session counts for which is restored from what is kept."""


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
                index.leave(one, kept.store.places(one.name))
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
            unread = deque(one for one in unread if one.file.state != GONE)
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
    file, state, transcripts = transcript.file, transcript.file.state, transcripts_of(transcript.file.agent)
    new = IndexedSession(file.name, file.agent, file.session, file.path, file.cwd)
    if state == GONE:  # all of it is restored from what is kept
        gone = replace(transcript.indexed or new, mtime=file.mtime, state=GONE)
        return _ReadPiece(gone, 0, (), _RESTORED, True)
    try:
        if transcripts:
            with opened_transcript(file, transcripts.QUERY, parts_of(transcripts)) as opened:
                return _read_piece(index, transcripts, opened, file, transcript.indexed or new, kept)
    except NoUnpacker:
        state = "packed"  # it may be installed by the next time
    except (OSError, ValueError):
        pass
    return _ReadPiece(replace(new, mtime=file.mtime, state=state), 0, (), 0, True)


def _read_piece(
    index: SessionIndex,
    transcripts: Transcripts,
    opened: OpenTranscript,
    file: TranscriptFile,
    session: IndexedSession,
    kept: Keeping,
) -> _ReadPiece:
    """What stands behind that what both the index and the store have."""
    own = kept.wanted(file, session.id)
    rewritten = opened.rewritten(own.position) if own else ""
    own = own.anew if own and rewritten else own
    begin = Position() if opened.rewritten(session.position) else session.position
    if own and kept.copied(own) < begin.place:
        begin = Position(max(0, kept.copied(own)))
    piece = opened.piece(begin, 2 if kept.is_thorough else 1)
    first = [opened.first_line()] if begin.place else []
    head = transcripts.head(first or islice(piece.lines, _HEAD_LINES))
    places = [-1, *piece.places] if first else piece.places
    messages = [m for m in transcripts.messages([*first, *piece.lines]) if places[m.line] >= 0]
    complete, last = _complete(messages, places, piece)
    id_ = file.session or head.id or session.id or session_named(file.path, transcripts.OF_SESSION)
    session = replace(session, id=id_, cwd=file.cwd or session.cwd or head.cwd, state="")
    session = replace(session, mtime=file.mtime, state=file.state) if piece.is_last else session
    session = replace(session, position=opened.position(*last))
    is_copy = not is_resumed_file(file)
    if is_copy:  # what sessions that have a transcript say is known from there
        others = {m.session for m in complete} - {"", id_}
        known = {other for other in others if index.has(file.agent, other)}
        complete = [m for m in complete if m.session not in known]
    placed = placed_messages(complete, places, session, is_named=bool(file.session))
    copy = None
    if own and kept.wanted(file, id_):
        placed = masked_messages(placed)
        own = replace(own, position=max(own.position, opened.position(piece.end)))
        copy = kept.copy(own, session, piece, placed, rewritten)
    new = [*new_messages(placed, session, file.mtime, IS_COPY if is_copy else 0)]
    return _ReadPiece(session, piece.since, new, piece.size, piece.is_last, copy)


def _complete(
    messages: Sequence[Message], places: Sequence[int], piece: TranscriptPiece
) -> tuple[Sequence[Message], tuple[int, str]]:
    """The messages to take now, and where to go on, by place and id: the last is read again, as a part may
    follow."""
    last = places[messages[-1].line] if messages else piece.end
    if not messages or piece.end - last > _AGAIN or (last <= piece.since and not piece.is_last):
        return messages, (piece.end, "")
    return (messages if piece.is_last else messages[:-1]), (last, messages[-1].id)
