"""Puts what programs wrote to files while we replaced them into the journal, as saves like all others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.records.save import LATE, Save
from ctxrepo.storage.disk.random_names import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.worktree.replaced import LateWrite


def journal_late_writes(memory: Memory, late: Sequence[LateWrite], now: datetime) -> None:
    """Journal them, and forget them where they were found. The write lock is held."""
    if late:
        memory.journal.add(_saves(memory, late, now))
    memory.worktree.replaced.forget(late)  # killed before this, the next run adds them once more: no harm


def _saves(memory: Memory, late: Sequence[LateWrite], now: datetime) -> list[Save]:
    objects, name = memory.objects, random_name()
    return [
        Save(
            path=one.path,
            base=objects.data(one.base) if objects.has(one.base) else None,
            after=one.data,
            op=LATE,
            by=Origin(""),
            at=stamp(now),
            id=name,
        )
        for one in late
    ]
