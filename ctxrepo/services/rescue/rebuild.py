"""Throws the cache away and builds it again from the notes."""

from __future__ import annotations

from ctxrepo.lazy import dataclass
from ctxrepo.services.delivery.recent_files import update_recent_files
from ctxrepo.services.saving.refresh import build, refresh
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Rebuilt:
    """How much is in the new cache, the archived and superseded too."""

    notes: int
    entries: int


def rebuild(memory: Memory) -> Rebuilt:
    """Build the cache again from the branch's commit; meanwhile hooks answer from the old one."""
    head = memory.head
    memory.cache.clear()
    build(memory, head)
    refresh(memory, head)
    update_recent_files(memory)
    return Rebuilt(len(memory.cache.digests()), memory.cache.entry_count)
