"""The index of sessions is brought up to what the transcripts say, within a time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from ctxrepo.domain.formats.moment import counted
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.reader import read_in_steps
from ctxrepo.services.sessions.transcripts import Changed, TranscriptsHere, changed, gone, transcripts_here
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.apart import Apart
from ctxrepo.storage.processes.lock import TryLock, pause
from ctxrepo.storage.sessions.index import SessionIndex, index_file

PATIENCE = 30.0
"""Seconds for one piece; with low priority on a busy machine it takes a while. A folder that hangs for longer
is left, with the process that reads there."""

_WAIT = 0.05
"""Seconds, at least, between two looks whether another process has finished."""

_TRIES = 2
"""Times an index is built that turns out to be damaged."""


@dataclass(frozen=True)
class UpdateOutcome:
    """`left` counts the transcripts that are still to be read; `unknown` are the agents whose folders hang.
    `is_elsewhere`: another process is at it."""

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
    while no other process wants the processor, and where none is at it.

    A process of its own reads: one that a folder hangs is left behind (ADR 37), and holds nothing of ours.
    """
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
    unread = unread_mark(memory)
    touch(unread)
    try:
        here = transcripts_here(memory)
        wanted = _wanted(memory, here)
        if wanted and tell:
            tell(f"reading {counted(len(wanted), 'transcript')} of agents' sessions")
        read, left = _read(memory, wanted, end, is_background=is_background) if wanted else (0, 0)
    except sqlite3.OperationalError as error:
        raise CtxrepoError(f"the index of sessions can't be written: {error}") from error
    if not left:
        unread.unlink()
    return UpdateOutcome(read, left, here.unknown)


def _wanted(memory: Memory, here: TranscriptsHere) -> Sequence[Changed]:
    """What is to be read; what is no longer there is taken out."""
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        if index.is_wasteful():
            index.clear()
        known = index.sessions()
        if over := gone(here, known):
            index.forget(over)
        return changed(here, known)


def _read(memory: Memory, wanted: Sequence[Changed], end: float, *, is_background: bool) -> tuple[int, int]:
    """(bytes read, transcripts left)"""
    done, left = 0, len(wanted)
    steps = partial(read_in_steps, index_file(memory.state.root), wanted, is_background=is_background)
    with suppress(TimeoutError), Apart(steps, PATIENCE, spoils=is_background) as apart:
        while left and time.monotonic() < end:
            step = apart.next()
            done, left = done + step.size, step.left
    return done, left
