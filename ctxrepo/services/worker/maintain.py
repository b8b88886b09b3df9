"""Packs the clone's loose objects and joins its small packs when they are many, unseen (ADR 32, 50)."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress

from ctxrepo.errors import Busy, CtxrepoError, GitFailed, in_words
from ctxrepo.services.sessions.index_update import unread_mark, update_index
from ctxrepo.storage.clone.housekeeping import no_gc
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.packing import Loose, SmallPacks
from ctxrepo.storage.processes.lock import TryLock, locked
from ctxrepo.storage.state.spool import SpoolEvent

INTERVAL = 24 * 3600.0
"""Seconds between two tries, so that a failure to pack is not repeated at every turn of a session."""

PACKS_INTERVAL = 3600.0
"""The same when there are many small packs: a day of hard work fetches hundreds of times."""

_SYNC_WAIT = 10.0
"""Seconds to wait for a sync that is under way. If it takes longer, the next try joins the packs."""


def maintain(memory: Memory, now: float) -> bool:
    """Pack the clone's objects if that is due; returns whether it packed any. GitFailed when git fails."""
    stamp = memory.state.maintained
    packs = SmallPacks(memory.clone.git_dir)
    interval = PACKS_INTERVAL if packs.are_many() else INTERVAL
    with suppress(FileNotFoundError):
        if abs(now - stamp.stat().st_mtime) < interval:
            return False
    lock = TryLock(memory.state.lock("maintain"))
    if not lock.acquire():
        return False
    try:
        touch(stamp)
        os.utime(stamp, (now, now))
        git = memory.own_git.git(memory.env, is_offline=True)
        try:
            is_joined = _join(memory, packs, git)
        finally:  # what can't be joined is no reason to leave loose objects as they are
            is_packed = _pack(Loose(memory.clone.git_dir, git), now)
        return is_joined or is_packed
    finally:
        lock.release()


def _join(memory: Memory, packs: SmallPacks, git: Git) -> bool:
    packs.clear()
    joined = packs.join(git)
    if joined is None:
        return False
    # A fetch judges the packs that have come meanwhile, and might delete the new one after the old ones; a gc
    # deletes what it has seen in other packs.
    with (
        suppress(Busy),
        locked(memory.state.lock("sync"), _SYNC_WAIT),
        no_gc(memory.clone.git_dir) as is_alone,
    ):
        return is_alone and packs.remove(joined) > 0
    return False


def _pack(loose: Loose, now: float) -> bool:
    loose.clear(now)
    if not loose.are_many():
        return False
    answer = loose.pack()
    if not answer.ok:
        raise GitFailed(f"the objects of the memory could not be packed: {answer.reason}")
    return True


SECONDS = 120.0
"""For so long one worker reads; the next one goes on. It has the lowest priority, and of our locks only the
index's, so nobody notices."""

_BY_TOOLS = ("tool", "shell")
"""Events within a turn, of which there are many: a tool wrote to the memory, or may have."""


def is_turn(events: Sequence[SpoolEvent]) -> bool:
    """Whether one of the events is a turn of a session, and no mere use of a tool."""
    return any(event.event not in _BY_TOOLS for event in events)


def index_sessions(memory: Memory, events: Sequence[SpoolEvent], log: Callable[[str], None]) -> None:
    """Bring the index up to date, the newest first, if a session had a turn or transcripts are left."""
    if not (unread_mark(memory).exists() or is_turn(events)):
        return
    try:
        if unkept := update_index(memory, SECONDS, is_background=True).unkept:
            log(f"sessions are not kept: {unkept}")
    except (CtxrepoError, OSError) as error:
        log(in_words(error))
