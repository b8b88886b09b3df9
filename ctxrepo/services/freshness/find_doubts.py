"""Looks through the scopes of which something changed, and writes what is in doubt into the cache: by what
other entries say, by what sessions made of an entry, and by a project's code."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.doubts.overtaking import Overlaps, is_other_value, overtaken, words_in
from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.entry import Entry, explicit_id, normalised
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.records.entry_use import Usage, is_zombie
from ctxrepo.domain.text import entry_place
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.services.freshness.code_source import code_doubts
from ctxrepo.services.freshness.detector import DetectorInput, DoubtSource
from ctxrepo.services.freshness.project_code import code_stamp
from ctxrepo.services.reading.marks import keys_in
from ctxrepo.services.usage.entry_usage import counted_here
from ctxrepo.storage.cache.computed import put_doubts, stamp_of_part, stamp_of_scope
from ctxrepo.storage.cache.entries import all_scopes, facts_of
from ctxrepo.storage.cache.evidence_rows import entry_evidence, evidence_files, keyed_evidence
from ctxrepo.storage.cache.layout import CachedEntry, digest_of
from ctxrepo.storage.memory import Memory


def scan(memory: Memory, now: datetime) -> int:
    """Bring the doubts in the cache up to date with the tree that it holds; returns how many scopes sources
    looked through, each source counted. One does when the scope's notes changed, or what is recorded of
    entries, or what the source says it depends on. Only the cache is written to."""
    cache, looks = memory.cache, 0
    recorded = digest_of(repr(sorted(cache.ask(evidence_files).values())))
    for scope in cache.ask(all_scopes):
        notes = cache.ask(stamp_of_scope, scope)
        stamps = {source: f"{notes}\n{recorded}\n{source.stamp(memory, scope, now)}" for source in _SOURCES}
        due = [source for source in stamps if cache.ask(stamp_of_part, source.name, scope) != stamps[source]]
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


def word_doubts(work: DetectorInput) -> list[Doubt]:
    """Entries that a newer one overtakes, and those with the same key of which both hold."""
    doubts = _overtaken(work)
    pairs = {(doubt.entry, doubt.by) for doubt in doubts}
    return [*doubts, *(doubt for doubt in _other_values(work) if (doubt.entry, doubt.by) not in pairs)]


def _overtaken(work: DetectorInput) -> list[Doubt]:
    entries = [known.entry for known in work.entries]
    overlaps = Overlaps([entry.text for entry in entries])
    by_older = overtaken(overlaps, lambda number: work.wording_time(entries[number]))
    doubts = []
    for older, newest in by_older.items():
        while newest in by_older:  # ends: ages only rise along the chain
            newest = by_older[newest]
        entry, rival = entries[older], entries[newest]
        if words_in(entry.text) == words_in(rival.text):
            continue  # it says the same
        since = work.wording_time(rival)
        is_sure = is_other_value(entry.text, rival.text)
        words = f"perhaps overtaken by {_name(rival)} of {since[:10]}"
        doubts.append(Doubt(entry.id, entry.path, "overtaken", rival.id, words, since, rival.id, is_sure))
    return doubts


def _name(entry: Entry) -> str:
    """`^1a2b3c4`, as entries are called in what is delivered."""
    return entry_place("", 1, 1, entry.id).rpartition(" ")[2]


def _other_values(work: DetectorInput) -> list[Doubt]:
    """Entries that share a key which a command gave them: only the newest of them was to hold."""
    by_key: defaultdict[str, list[Entry]] = defaultdict(list)
    for known in work.entries:
        if key := known.entry.key.casefold():
            by_key[key].append(known.entry)
    shared = {key: entries for key, entries in by_key.items() if len(entries) > 1}
    command_keys = keys_in(work.memory.cache.ask(keyed_evidence, shared))[work.scope]
    doubts = []
    for key in sorted(shared.keys() & command_keys):
        *older, newest = sorted(
            shared[key], key=lambda entry: (work.wording_time(entry), entry.path, entry.first_line)
        )
        for entry in older:
            if normalised(entry.text) != normalised(newest.text):
                words = f"{_name(newest)} has another value of {entry.key}"
                since = work.wording_time(newest)
                doubts.append(Doubt(entry.id, entry.path, "value", key, words, since, newest.id))
    return doubts


_SOURCES = (
    DoubtSource("words", word_doubts),
    DoubtSource("use", use_doubts, use_stamp),
    DoubtSource("code", code_doubts, code_stamp),
)
