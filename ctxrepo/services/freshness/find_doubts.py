"""Looks through the scopes of which something changed, and writes what is in doubt into the cache."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.records.entry_moments import Moments, moments_in
from ctxrepo.services.freshness.code_source import CODE
from ctxrepo.services.freshness.detector import DetectorInput, DoubtSource
from ctxrepo.services.freshness.use_doubts import use_doubts, use_stamp
from ctxrepo.services.freshness.word_doubts import word_doubts
from ctxrepo.services.reading.marks import evidence_at, keys_in
from ctxrepo.storage.cache.computed import put_doubts, stamp_of_part, stamp_of_scope
from ctxrepo.storage.cache.entries import all_scopes, facts_of
from ctxrepo.storage.memory import Memory

SOURCES = (DoubtSource("words", word_doubts), DoubtSource("use", use_doubts, use_stamp), CODE)


def scan(memory: Memory, now: datetime) -> int:
    """Bring the doubts in the cache up to date with the commit that it holds; returns how many scopes were
    looked through, each source counted. A scope is, when its notes changed, or what is recorded of entries,
    or what a source says it depends on. Only the cache is written to."""
    cache = memory.cache
    tree = memory.objects.tree_of(cache.head or None)
    recorded = memory.objects.key_at(tree, EVIDENCE) or ""
    due: dict[str, list[tuple[DoubtSource, str]]] = {}
    for scope in cache.ask(all_scopes):
        for source in SOURCES:
            stamp = "\n".join((cache.ask(stamp_of_scope, scope), recorded, source.stamp(memory, scope, now)))
            if cache.ask(stamp_of_part, source.name, scope) != stamp:
                due.setdefault(scope, []).append((source, stamp))
    if not due:
        return 0
    records = evidence_at(memory.objects, tree)
    moments, keys = moments_in(records), keys_in(records)
    for scope, sources in due.items():
        given = DetectorInput(memory, scope, cache.ask(facts_of, scope), moments, keys.get(scope, set()), now)
        hashes = {known.entry.id: known.hash for known in given.entries}
        for source, stamp in sources:
            found = (doubt for doubt in source.detect(given) if doubt.entry in hashes)
            doubts = {doubt: hashes[doubt.entry] for doubt in found if not is_cleared(doubt, moments)}
            cache.change(put_doubts, scope, source.name, doubts, stamp)
    return sum(map(len, due.values()))


def is_cleared(doubt: Doubt, moments: Mapping[str, Moments]) -> bool:
    """Whether the entry was verified after the doubt came up."""
    known = moments.get(doubt.entry)
    return known is not None and bool(known.verified) and known.verified >= doubt.since
