"""Looks through the scopes of which something changed, and writes what is in doubt into the cache."""

from collections.abc import Mapping
from datetime import datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.services.freshness.code_source import code_doubts
from ctxrepo.services.freshness.detector import DetectorInput, DoubtSource
from ctxrepo.services.freshness.project_code import code_stamp
from ctxrepo.services.freshness.use_doubts import use_doubts, use_stamp
from ctxrepo.services.freshness.word_doubts import word_doubts
from ctxrepo.storage.cache.computed import put_doubts, stamp_of_part, stamp_of_scope
from ctxrepo.storage.cache.entries import all_scopes, facts_of
from ctxrepo.storage.cache.evidence_rows import entry_evidence, evidence_files
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.memory import Memory

_SOURCES = (
    DoubtSource("words", word_doubts),
    DoubtSource("use", use_doubts, use_stamp),
    DoubtSource("code", code_doubts, code_stamp),
)


def scan(memory: Memory, now: datetime) -> int:
    """Bring the doubts in the cache up to date with the tree that it holds; returns how many scopes sources
    looked through, each source counted. One does when the scope's notes changed, or what is recorded of
    entries, or what the source says it depends on. Only the cache is written to."""
    cache, looks = memory.cache, 0
    recorded = digest_of(repr(sorted(cache.ask(evidence_files).values())))
    for scope in cache.ask(all_scopes):
        notes = cache.ask(stamp_of_scope, scope)
        stamps = {one: f"{notes}\n{recorded}\n{one.stamp(memory, scope, now)}" for one in _SOURCES}
        due = [one for one in _SOURCES if cache.ask(stamp_of_part, one.name, scope) != stamps[one]]
        if not due:
            continue
        entries = cache.ask(facts_of, scope)
        hashes = {known.entry.id: known.hash for known in entries}
        evidence = cache.ask(entry_evidence, hashes)
        work = DetectorInput(memory, scope, entries, evidence, now)
        for source in due:
            doubts = (doubt for doubt in source.detect(work) if doubt.entry in hashes)
            judged = {doubt: hashes[doubt.entry] for doubt in doubts if not _is_cleared(doubt, evidence)}
            cache.change(put_doubts, scope, source.name, judged, stamps[source])
        looks += len(due)
    return looks


def _is_cleared(doubt: Doubt, evidence: Mapping[str, EntryEvidence]) -> bool:
    """Whether the entry was verified after the doubt came up."""
    known = evidence.get(doubt.entry)
    return known is not None and bool(known.verified) and known.verified >= doubt.since
