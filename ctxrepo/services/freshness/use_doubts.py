"""Doubts by what sessions made of an entry: found it wrong, or were given it often and never used it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.note.entry import explicit_id
from ctxrepo.domain.records.entry_use import SESSIONS, Usage, is_zombie
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.usage.entry_usage import counted_here
from ctxrepo.storage.cache.layout import CachedEntry
from ctxrepo.storage.memory import Memory


def use_stamp(memory: Memory, _scope: str, now: datetime) -> str:
    """Changes when sessions were counted, and each day: an entry is idle only after some."""
    return f"{stamp_of(str(memory.state.usage))} {now.date()}" if memory.state.usage.exists() else ""


def use_doubts(given: DetectorInput) -> list[Doubt]:
    """Entries that sessions contradicted, and those that none of many used."""
    counted = {one.id: one for one in counted_here(given.memory)} if given.memory.state.usage.exists() else {}
    return [doubt for known in given.entries for doubt in _of(given, known, counted.get(known.entry.id))]


def _of(given: DetectorInput, known: CachedEntry, use: Usage | None) -> Iterator[Doubt]:
    entry, evidence = known.entry, given.evidence.get(known.entry.id)
    since = evidence.contradicted_at if evidence else ""
    # What its author gave an id has it in each wording: whoever contradicted it may have mended it.
    if use and use.contradicted and not explicit_id(entry.text):
        since = max(since, _moment(use.last))
    if since and not (evidence and since < evidence.worded):
        words = f"a session found otherwise on {since[:10]}"
        yield Doubt(entry.id, entry.path, "contradicted", "", words, since)
    if use and not known.is_pinned and is_zombie(use, given.now.timestamp(), SESSIONS):
        words = f"given to {use.sessions} sessions and used by none"
        yield Doubt(entry.id, entry.path, "idle", "", words, _moment(use.first))


def _moment(at: float) -> str:
    return second(datetime.fromtimestamp(at, UTC))
