"""The index of sessions is brought up to what the agents' transcripts say, within a time."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxrepo.agents.known import AGENTS, is_resumed, parts_of, transcripts_of
from ctxrepo.agents.recorded import form_of, session_named
from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.message_words import new_message
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.disk.recent import first_rows_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.apart import Apart
from ctxrepo.storage.processes.database import transaction
from ctxrepo.storage.processes.lock import TryLock, pause
from ctxrepo.storage.processes.process import give_precedence
from ctxrepo.storage.sessions.session_index import (
    IS_COPY,
    IndexedSession,
    NewMessage,
    SessionIndex,
    index_file,
)
from ctxrepo.storage.sessions.transcript_files import (
    PIECE,
    FilePiece,
    Layout,
    TranscriptFile,
    digest_before,
    first_line,
    read_piece,
    transcript_files,
)
from ctxrepo.storage.sessions.transcript_lines import NoUnpacker, is_database, opened_file
from ctxrepo.storage.state.compiled import read_checkouts

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

_NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""


@dataclass(frozen=True)
class UpdateOutcome:
    """`left` counts transcripts still to read; `unknown` are agents whose folders hang; `is_elsewhere`:
    another reads."""

    read: int = 0
    left: int = 0
    unknown: frozenset[str] = frozenset()
    is_elsewhere: bool = False

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
        return UpdateOutcome(left=len(_changed_transcripts(memory, here)), unknown=here.unknown)
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
        transcripts = _changed_transcripts(memory, here)
        if transcripts and tell:
            tell(f"reading {counted(len(transcripts), 'transcript')} of agents' sessions")
        read, left = _read(memory, transcripts, end, is_background=is_background) if transcripts else (0, 0)
    except sqlite3.OperationalError as error:
        raise CtxrepoError(f"the index of sessions can't be written: {error}") from error
    if not left:
        unread_mark(memory).unlink()
    return UpdateOutcome(read, left, here.unknown)


def _changed_transcripts(memory: Memory, here: TranscriptsHere) -> Sequence[Changed]:
    """What is to be read; what is no longer there is taken out of the index."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        if index.is_wasteful():
            index.clear()
        sessions = index.sessions()
        names = {file.name for file in here.files}
        ours = [session for session in sessions.values() if session.agent in here.agents]
        gone = [session for session in ours if session.name not in names]
        # What a transcript told that is gone may stand in a copy as well.
        agents = {session.agent for session in gone}
        gone += [one for one in ours if one.agent in agents and one.name in names and not _is_resumed(one)]
        if gone:
            index.forget(gone)
        return changed(here, {name: sessions[name] for name in sessions.keys() - {one.name for one in gone}})


def _read(
    memory: Memory, transcripts: Sequence[Changed], end: float, *, is_background: bool
) -> tuple[int, int]:
    """(bytes read, transcripts left)"""
    size, left = 0, len(transcripts)
    steps = partial(read_in_steps, index_file(memory.state.root), transcripts, is_background=is_background)
    with suppress(TimeoutError), Apart(steps, PATIENCE, spoils=is_background) as apart:
        while left and time.monotonic() < end:
            step = apart.next()
            size, left = size + step.size, step.left
    return size, left


@dataclass(frozen=True)
class TranscriptsHere:
    """What is in the folders of `agents`; of the others nothing is known, because their folders hang."""

    files: Sequence[TranscriptFile]
    agents: frozenset[str]
    unknown: frozenset[str]


@dataclass(frozen=True)
class Changed:
    """A transcript that isn't in the index as it is now; `indexed` is what is there of it, if anything."""

    file: TranscriptFile
    indexed: IndexedSession | None


def transcripts_here(memory: Memory, agent: str = "") -> TranscriptsHere:
    """All transcripts of all agents, or of one, in each profile; the one that was written last first, and
    those behind all others from which their agents don't go on."""
    profiles = Profiles(memory)
    wanted = [
        Layout(name, folder, kept.PATTERN, kept.SESSIONS, kept.FOLDER_FILE)
        for name in AGENTS
        if agent in ("", name) and (kept := transcripts_of(name))
        for folder in profiles.folders(name)
    ]
    answers = list(memory.outside.ask_each(wanted, transcript_files, lambda layout: layout.folder))
    tops = [row.top for row in read_checkouts(memory.places.state)]
    files = _of_first_form([file for layout, files in answers for file in _with_folders(layout, files, tops)])
    newest_first = sorted(files, key=lambda file: (not _is_resumed(file), -file.mtime))
    answered = [layout for layout, _ in answers]
    unknown = frozenset(layout.agent for layout in wanted if layout not in answered)
    return TranscriptsHere(newest_first, frozenset(layout.agent for layout in answered) - unknown, unknown)


def _is_resumed(file: TranscriptFile | IndexedSession) -> bool:
    return is_resumed(transcripts_of(file.agent), file.path)


def _with_folders(
    layout: Layout, files: Sequence[TranscriptFile], tops: Sequence[str]
) -> Iterator[TranscriptFile]:
    """The files, each with the checkout that a folder above it is named after, where nothing else tells."""
    names = getattr(transcripts_of(layout.agent), "folder_names", None)
    named = {name: top for top in tops for name in names(top)} if names else {}
    for file in files:
        above = Path(file.path).relative_to(layout.folder).parts if named and not file.cwd else ()
        yield replace(file, cwd=next((named[part] for part in above if part in named), file.cwd))


def _of_first_form(files: Sequence[TranscriptFile]) -> list[TranscriptFile]:
    """The files without those of a session that its agent has in another form, too, which comes before."""
    first: dict[tuple[str, str], int] = {}
    keyed: list[tuple[TranscriptFile, tuple[str, str], int]] = []
    for file in files:
        transcripts = transcripts_of(file.agent)
        form, session = form_of(file.path, transcripts.OF_SESSION if transcripts else "")
        key = file.agent, file.session or session
        first[key] = min(form, first.get(key, form))
        keyed.append((file, key, form))
    return [file for file, key, form in keyed if form == first[key]]


def changed(here: TranscriptsHere, sessions: Mapping[str, IndexedSession]) -> list[Changed]:
    """The transcripts that are to be read, the newest first; `sessions` are those of the index by name."""
    return [
        Changed(file, sessions.get(file.name))
        for file in here.files
        if file.name not in sessions or not _is_read(file, sessions[file.name])
    ]


def _is_read(file: TranscriptFile, indexed: IndexedSession) -> bool:
    if file.cwd not in ("", indexed.cwd):  # its checkout is known by now
        return False
    if file.session:
        return file.mark == indexed.mark and file.inode == indexed.inode
    return (file.inode, file.size, file.mtime) == (indexed.inode, indexed.size, indexed.mtime)


class ReadStep(NamedTuple):
    """How many bytes were read, and how many transcripts are left."""

    size: int
    left: int


class _ReadPiece(NamedTuple):
    """What was read of a transcript: its `session` by then, the `messages` from `since` on; `is_last`: no
    more for now."""

    session: IndexedSession
    since: int
    messages: Sequence[NewMessage]
    size: int
    is_last: bool


def read_in_steps(
    index: Path, transcripts: Sequence[Changed], *, is_background: bool = False
) -> Iterator[ReadStep]:
    """Read these transcripts into the index, one after the other, in steps of about a piece, of one
    transcript or of many. A file may hang, so the index is locked only once all of a step is read."""
    if is_background:
        give_precedence()
    unread = deque(transcripts)
    while unread:
        size, read = 0, list[tuple[TranscriptFile, _ReadPiece]]()
        with SessionIndex.opened(index) as sessions:
            while unread and size < PIECE and (not read or read[-1][1].is_last):
                if read and not _is_resumed(unread[0].file):
                    break  # it is compared with what is in the index by then
                transcript = unread.popleft()
                piece = _next_piece(sessions, transcript)
                read.append((transcript.file, piece))
                size += max(1, piece.size)
            with transaction(sessions.db):
                stored = [sessions.store(piece.session, piece.since, piece.messages) for _, piece in read]
        if not read[-1][1].is_last:
            unread.appendleft(Changed(read[-1][0], stored[-1]))
        yield ReadStep(size, len(unread))


def _next_piece(index: SessionIndex, transcript: Changed) -> _ReadPiece:
    """The next piece of a transcript; nothing of one that can't be read, until it has changed."""
    file, session = transcript.file, transcript.indexed or _unread(transcript.file)
    transcripts, mtime = transcripts_of(file.agent), file.mtime
    try:
        if transcripts and file.session:
            return _read_rows(index, transcripts, file, session)
        if transcripts and (file.path.endswith(".jsonl") or not is_database(Path(file.path))):
            return _read_file(index, transcripts, file, session)
    except NoUnpacker:
        mtime = 0  # it may be installed by the next time
    except (OSError, ValueError):
        pass
    nothing = replace(_unread(file), inode=file.inode, size=file.size, mtime=mtime, mark=file.mark)
    return _ReadPiece(nothing, 0, (), 0, True)


def _read_file(
    index: SessionIndex, transcripts: Transcripts, file: TranscriptFile, indexed: IndexedSession
) -> _ReadPiece:
    with opened_file(file.path, parts_of(transcripts)) as handle:
        is_same = file.inode == indexed.inode and os.fstat(handle).st_size >= indexed.offset
        if not is_same or digest_before(handle, indexed.offset) != indexed.before:
            indexed = replace(indexed, offset=0, is_midline=False)
        piece = read_piece(handle, indexed.offset, indexed.is_midline)
        first = [first_line(handle)] if indexed.offset else []
        head = transcripts.head(first or islice(piece.lines, _HEAD_LINES))
        messages = [m for m in transcripts.messages([*first, *piece.lines]) if m.line >= len(first)]
        messages = [replace(m, line=m.line - len(first)) for m in messages] if first else messages
        complete, end = _complete(messages, piece, indexed.offset)
        before = digest_before(handle, end)
    id_ = head.id or indexed.id or session_named(file.path, transcripts.OF_SESSION)
    session = replace(indexed, id=id_, cwd=file.cwd or indexed.cwd or head.cwd, inode=file.inode)
    session = replace(session, offset=end, is_midline=piece.is_midline, before=before)
    if piece.is_last:
        session = replace(session, size=file.size, mtime=file.mtime)
    at = file.mtime // _NANOSECONDS
    is_copy = not is_resumed(transcripts, file.path)
    if is_copy:  # what sessions that have a transcript say is known from there
        others = {m.session for m in complete} - {"", id_}
        known = {other for other in others if index.has(file.agent, other)}
        complete = [m for m in complete if m.session not in known]
    new = (new_message(m, file.agent, id_, piece.starts[m.line], at=at) for m in complete)
    found = [replace(m, traits=m.traits | IS_COPY) if is_copy else m for m in new if m]
    return _ReadPiece(session, indexed.offset, found, piece.end - indexed.offset, piece.is_last)


def _complete(messages: Sequence[Message], piece: FilePiece, start: int) -> tuple[Sequence[Message], int]:
    """The messages to take now, and where to go on: the last is read again, as a part may follow."""
    if not messages or piece.is_midline:
        return messages, piece.end
    last = piece.starts[messages[-1].line]
    if piece.end - last > _AGAIN or (last <= start and not piece.is_last):
        return messages, piece.end
    return (messages if piece.is_last else messages[:-1]), last


def _read_rows(
    index: SessionIndex, transcripts: Transcripts, file: TranscriptFile, indexed: IndexedSession
) -> _ReadPiece:
    place, since = index.last(indexed.number)
    values = {"session": file.session, "since": since, "until": ""}
    rows = islice(first_rows_of(Path(file.path), transcripts.QUERY, values), _ROWS)
    lines = [row[0] for row in rows if isinstance(row[0], str)]
    messages = list(transcripts.messages(lines))
    is_last = len(lines) < _ROWS or len(messages) < 2
    new = [
        new_message(message, file.agent, file.session, place + order, is_named=True)
        for order, message in enumerate(messages if is_last else messages[:-1])
    ]
    session = replace(indexed, id=file.session, cwd=file.cwd, inode=file.inode)
    session = replace(session, mark=file.mark, mtime=file.mtime) if is_last else session
    return _ReadPiece(session, place, [*filter(None, new)], sum(map(len, lines)), is_last)


def _unread(file: TranscriptFile) -> IndexedSession:
    return IndexedSession(file.name, file.agent, file.session, file.path, file.cwd)
