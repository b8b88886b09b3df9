"""Reads the versions of memory files that hooks saved in the spool and nobody has committed yet."""

from __future__ import annotations

from collections.abc import Iterable

from ctxrepo.domain.project.paths import is_ignored, unsafe
from ctxrepo.services.saving.pending import Version
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import Spool, SpoolEvent


def spooled_versions(memory: Memory, events: Iterable[SpoolEvent] | None = None) -> list[Version]:
    """The versions of `events`, or of all waiting events, oldest first; the worker drops them later."""
    spool = Spool(memory.state)
    waiting = spool.read()[0] if events is None else events
    return [version for event in waiting if (version := _version(memory, spool, event))]


def touched_paths(events: Iterable[SpoolEvent]) -> set[str]:
    """The memory files that tools wrote to, also those of which no version could be saved."""
    return {e.path for e in events if e.path and not (unsafe(e.path) or is_ignored(e.path))}


def _version(memory: Memory, spool: Spool, event: SpoolEvent) -> Version | None:
    data = spool.version(event) if event.version else None
    if data is None or unsafe(event.path) or is_ignored(event.path):
        return None
    base = memory.objects.find(event.base, event.path)
    return Version(event.path, event.agent, event.session, data, base)
