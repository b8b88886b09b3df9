"""Doubts by what other entries of the scope say: a newer one overtakes one, or has its key."""

from collections import defaultdict

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.doubts.overtaking import Overlaps, is_other_value, overtaken, words_in
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.text import entry_place
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.reading.marks import keys_in
from ctxrepo.storage.cache.evidence_rows import keyed_evidence


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
    given = keys_in(work.memory.cache.ask(keyed_evidence, shared))[work.scope]
    doubts = []
    for key in sorted(shared.keys() & given):
        *older, newest = sorted(
            shared[key], key=lambda entry: (work.wording_time(entry), entry.path, entry.first_line)
        )
        for entry in older:
            if normalised(entry.text) != normalised(newest.text):
                words = f"{_name(newest)} has another value of {entry.key}"
                since = work.wording_time(newest)
                doubts.append(Doubt(entry.id, entry.path, "value", key, words, since, newest.id))
    return doubts
