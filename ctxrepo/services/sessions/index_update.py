"""The index of sessions is brought up to date with the agents' transcripts, within a time."""

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
from ctxrepo.services.sessions.keeping import KeepRules, SessionKeeper, masked_messages
from ctxrepo.services.sessions.message_words import new_messages, placed_messages
from ctxrepo.services.sessions.transcripts_here import (
    ChangedTranscript,
    TranscriptsHere,
    changed_transcripts,
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
from ctxrepo.storage.sessions.session_index import GONE, IndexedSession, NewMessage, SessionIndex, index_file
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
"""Seconds to wait for one piece: with low priority on a busy machine it takes a while. A process that hangs
longer in a folder is left behind."""

_WAIT = 0.05
"""Seconds, at least, between two tries to get the lock."""

_TRIES = 2
"""How often the index is updated if it turns out to be damaged."""

_AGAIN = 1024 * 1024
"""Bytes of a last message that are read again, as it may have grown; a longer one is taken to be complete."""

_HEAD_LINES = 100
"""Lines that usually name the session's folder."""

_RESTORED = PIECE // 16
"""Bytes that count as read for a session that is restored from the store."""


@dataclass(frozen=True)
class UpdateOutcome:
    """`read` counts bytes, `left` the transcripts that are still to be read. Folders of the agents in
    `unknown` don't answer. `is_elsewhere`: another process is reading. `unkept` says why sessions that are to
    be kept aren't."""

    read: int = 0
    left: int = 0
    unknown: frozenset[str] = frozenset()
    is_elsewhere: bool = False
    unkept: str = ""

    @property
    def is_complete(self) -> bool:
        return not (self.left or self.unknown or self.is_elsewhere)


def unread_mark(memory: Memory) -> Path:
    """A file that exists while an update is unfinished."""
    return memory.state.root / "sessions.unread"


def update_index(
    memory: Memory, seconds: float, tell: Callable[[str], None] | None = None, *, is_background: bool = False
) -> UpdateOutcome:
    """Read what was said since the last update, the newest first, for about so many seconds. `is_background`:
    only while the processor and the index are free. Another process reads, so that one that hangs can be left
    behind (ADR 37). CtxrepoError when the index can't be written."""
    if memory.why_read_only:
        here = transcripts_here(memory)
        transcripts = _transcripts_to_read(memory, here, KeepRules())
        return UpdateOutcome(left=len(transcripts), unknown=here.unknown)
    lock, end = TryLock(memory.state.lock("sessions")), time.monotonic() + seconds
    while not lock.acquire():
        if is_background or time.monotonic() >= end:
            return UpdateOutcome(is_elsewhere=True)
        pause(_WAIT, 2 * _WAIT)
    try:
        for _ in range(_TRIES):
            with suppress(sqlite3.DatabaseError):  # the index was discarded, and is built again
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
        here, rules = transcripts_here(memory), KeepRules.of(memory)
        try:
            transcripts = _transcripts_to_read(memory, here, rules)
        except KeptUnusable as error:
            rules = KeepRules.after(error)
            transcripts = _transcripts_to_read(memory, here, rules)
        if transcripts and tell:
            tell(f"reading {counted(len(transcripts), 'transcript')} of agents' sessions")
        file = index_file(memory.state.root)
        steps = partial(read_in_steps, file, transcripts, rules, is_background=is_background)
        total = UpdateOutcome(0, len(transcripts), here.unknown)
        if transcripts:
            with suppress(TimeoutError), Apart(steps, PATIENCE, spoils=is_background) as apart:
                while total.left and time.monotonic() < end:
                    step = apart.next()
                    unkept = total.unkept or step.unkept
                    total = replace(total, read=total.read + step.read, left=step.left, unkept=unkept)
    except sqlite3.OperationalError as error:
        raise CtxrepoError(f"the index of sessions can't be written: {error}") from error
    if not total.left:
        unread_mark(memory).unlink()
    return replace(total, unkept=rules.problem or total.unkept)


def _transcripts_to_read(memory: Memory, here: TranscriptsHere, rules: KeepRules) -> list[ChangedTranscript]:
    """The transcripts of which the index or the store lacks something, at the end those from which agents
    don't resume. Transcripts that are gone are removed from the index, unless they are kept."""
    with SessionIndex.opened(index_file(memory.state.root)) as index, rules.opened() as keeper:
        if index.is_wasteful():
            index.clear()
        sessions = index.sessions()
        names = {file.name for file in here.files}
        keeper.trim(names, here.agents)
        known = [session for session in sessions.values() if session.agent in here.agents]
        gone = [session for session in known if session.name not in names]
        lost = [session for session in gone if not keeper.has(session.name)]
        # Messages of a lost transcript may be in copies, too, where they weren't indexed.
        agents = {session.agent for session in lost}
        present = [session for session in known if session.name in names and session.agent in agents]
        lost += [session for session in present if not is_resumed_file(session)]
        if lost:
            index.forget(lost)
        for session in gone:
            if keeper.has(session.name) and not session.is_gone:
                index.mark_gone(session, keeper.store.places(session.name))
        for session in lost:
            del sessions[session.name]
        unindexed = keeper.unindexed(sessions, names, here.agents)
        changes = changed_transcripts(here, sessions, keeper)
        changes += [ChangedTranscript(file, None) for file in unindexed]
        return sorted(changes, key=lambda change: not is_resumed_file(change.file))


class _ReadPiece(NamedTuple):
    """What was read of a transcript: its `session` after that, the `messages` from the place `since` on, and
    a `copy` if it is kept. `size` is in bytes; `is_last`: there is no more for now."""

    session: IndexedSession
    since: int
    messages: Iterable[NewMessage]
    size: int
    is_last: bool
    copy: TranscriptCopy | None = None


def read_in_steps(
    index: Path,
    transcripts: Sequence[ChangedTranscript],
    rules: KeepRules | None = None,
    *,
    is_background: bool = False,
) -> Iterator[UpdateOutcome]:
    """Read these transcripts into the index, one after the other, in steps of about a piece, of one or more
    transcripts; yields the outcome of each step. If the store fails, the rest is only indexed, and the next
    update keeps it."""
    if is_background:
        give_precedence()
    rules, unread = rules or KeepRules(), deque(transcripts)
    while unread:
        rest = deque(unread)
        try:
            size = _read_step(index, rest, rules)
        except KeptUnusable as error:
            rules = KeepRules.after(error)
            unread = deque(transcript for transcript in unread if transcript.file.state != GONE)
            continue
        unread = rest
        yield UpdateOutcome(size, len(unread), unkept=rules.problem)


def _read_step(index_path: Path, unread: deque[ChangedTranscript], rules: KeepRules) -> int:
    """Read from the first of these transcripts, and remove from `unread` those that are finished; returns how
    many bytes were read. As a file may hang, index and store are locked only when all of the step is read. A
    message is kept before the index says that it was read (ADR 96)."""
    size, pieces = 0, list[_ReadPiece]()
    with SessionIndex.opened(index_path) as index, rules.opened() as keeper:
        most = PIECE // 2 if keeper.keeps_lines else PIECE
        while unread and size < most and (not pieces or pieces[-1].is_last):
            if pieces and not is_resumed_file(unread[0].file):
                break  # its messages are compared with those that the index has by then
            transcript = unread.popleft()
            pieces.append(_next_piece(index, keeper, transcript))
            size += max(1, pieces[-1].size)
        keeper.store_copies([piece.copy for piece in pieces if piece.copy])
        with transaction(index.db):
            for piece in pieces:
                session = index.store(piece.session, piece.since, piece.messages)
                if piece.is_last:
                    keeper.restore(index, session)
    if not pieces[-1].is_last:
        unread.appendleft(ChangedTranscript(transcript.file, session))
    return size


def _next_piece(index: SessionIndex, keeper: SessionKeeper, transcript: ChangedTranscript) -> _ReadPiece:
    """The next piece of a transcript; an empty one if it can't be read, which counts until it changes."""
    file, state, transcripts = transcript.file, transcript.file.state, transcripts_of(transcript.file.agent)
    new = IndexedSession(file.name, file.agent, file.session, file.path, file.cwd)
    session = transcript.indexed or new
    if state == GONE:  # all of it is restored from the store
        return _ReadPiece(replace(session, mtime=file.mtime, state=GONE), 0, (), _RESTORED, True)
    try:
        if transcripts:
            with opened_transcript(file, transcripts.QUERY, parts_of(transcripts)) as opened:
                return _read_piece(index, transcripts, opened, file, session, keeper)
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
    keeper: SessionKeeper,
) -> _ReadPiece:
    """The piece that follows on what both the index and the store have."""
    progress = keeper.progress(file, session.id)
    rewrite = opened.rewrite_before(progress.position) if progress else ""
    progress = progress.at_start if progress and rewrite else progress
    begin = Position() if opened.rewrite_before(session.position) else session.position
    if progress and keeper.end_of(progress) < begin.place:
        begin = Position(max(0, keeper.end_of(progress)))
    piece = opened.piece(begin, 2 if keeper.keeps_lines else 1)
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
    if is_copy:  # messages of sessions that have a transcript are indexed from there
        others = {m.session for m in complete} - {"", id_}
        known = {other for other in others if index.has(file.agent, other)}
        complete = [m for m in complete if m.session not in known]
    placed = placed_messages(complete, places, session, is_named=bool(file.session))
    copy = None
    if progress and keeper.progress(file, id_):
        placed = masked_messages(placed)
        progress = replace(progress, position=max(progress.position, opened.position(piece.end)))
        copy = keeper.copy(progress, session, piece, placed, rewrite)
    new = [*new_messages(placed, session, file.mtime, IS_COPY if is_copy else 0)]
    return _ReadPiece(session, piece.since, new, piece.size, piece.is_last, copy)


def _complete(
    messages: Sequence[Message], places: Sequence[int], piece: TranscriptPiece
) -> tuple[Sequence[Message], tuple[int, str]]:
    """The messages that are complete, and the (place, id) of the message from which to read next time: the
    last message is read again, as it may grow."""
    last = places[messages[-1].line] if messages else piece.end
    if not messages or piece.end - last > _AGAIN or (last <= piece.since and not piece.is_last):
        return messages, (piece.end, "")
    return (messages if piece.is_last else messages[:-1]), (last, messages[-1].id)
