"""Packs the clone's loose objects once they are many, while nobody waits (ADR 32)."""

from __future__ import annotations

import os
from contextlib import suppress

from ctxrepo.errors import GitFailed
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.loose import Loose
from ctxrepo.storage.processes.lock import TryLock

INTERVAL = 24 * 3600.0
"""Seconds between two tries, so that a failure to pack is not repeated at every turn of a session."""


def maintain(memory: Memory, now: float) -> bool:
    """Pack the clone's objects if that is due; returns whether it packed any. GitFailed when git fails."""
    stamp = memory.state.maintained
    with suppress(FileNotFoundError):
        if abs(now - stamp.stat().st_mtime) < INTERVAL:
            return False
    lock = TryLock(memory.state.lock("maintain"))
    if not lock.acquire():
        return False
    try:
        touch(stamp)
        os.utime(stamp, (now, now))
        return _maintain(Loose(memory.clone.git_dir, memory.own_git.git(memory.env, is_offline=True)), now)
    finally:
        lock.release()


def _maintain(loose: Loose, now: float) -> bool:
    loose.clear(now)
    if not loose.are_many():
        return False
    answer = loose.pack()
    if not answer.ok:
        raise GitFailed(f"the objects of the memory could not be packed: {answer.reason}")
    return True
