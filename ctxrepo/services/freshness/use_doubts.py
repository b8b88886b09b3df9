"""Doubts by what sessions made of an entry: found it wrong, or were given it often and never used it."""

from collections.abc import Iterator
from datetime import datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.entry import explicit_id
from ctxrepo.domain.records.entry_use import Usage, is_zombie
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.usage.entry_usage import counted_here
from ctxrepo.storage.cache.layout import CachedEntry
from ctxrepo.storage.memory import Memory


def use_stamp(memory: Memory, _scope: str, now: datetime) -> str:
    """Changes when sessions were counted, and each day: an entry is idle only after some."""
    return f"{stamp_of(str(memory.state.usage))} {now.date()}" if memory.state.usage.exists() else ""


def use_doubts(work: DetectorInput) -> list[Doubt]:
    """Entries that sessions contradicted, and those that none of many used."""
    usages = counted_here(work.memory) if work.memory.state.usage.exists() else ()
    by_id = {usage.id: usage for usage in usages}
    return [doubt for known in work.entries for doubt in _of_entry(work, known, by_id.get(known.entry.id))]


def _of_entry(work: DetectorInput, known: CachedEntry, usage: Usage | None) -> Iterator[Doubt]:
    entry, evidence = known.entry, work.evidence.get(known.entry.id)
    since = evidence.contradicted_at if evidence else ""
    # An id that its author gave an entry outlasts its wording: whoever contradicted it may have mended it.
    if usage and usage.contradicted and not explicit_id(entry.text):
        since = max(since, second_at(usage.last))
    if since and not (evidence and since < evidence.worded):
        words = f"a session found otherwise on {since[:10]}"
        yield Doubt(entry.id, entry.path, "contradicted", "", words, since)
    if usage and not known.is_pinned and is_zombie(usage, work.now.timestamp()):
        words = f"given to {usage.sessions} sessions and used by none"
        yield Doubt(entry.id, entry.path, "idle", "", words, second_at(usage.first))
