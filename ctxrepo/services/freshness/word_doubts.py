"""Doubts by what other entries of the scope say: a newer one overtakes one, or has its key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import islice

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.doubts.overtaking import Overlaps, is_other_value, overtaken, words_in
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.note.entry import Entry, entries_of, normalised
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.text import entry_place
from ctxrepo.services.freshness.detector import DetectorInput
from ctxrepo.services.reading.marks import keys_in
from ctxrepo.storage.cache.evidence_rows import keyed_evidence
from ctxrepo.storage.memory import Memory

_MOST_COMMITS = 2000
"""Commits that are looked through for the one that brought an entry of which nothing is recorded."""


def word_doubts(given: DetectorInput) -> list[Doubt]:
    """Entries that a newer one overtakes, and those with the same key of which both hold."""
    doubts = _overtaken(given)
    told = {(doubt.entry, doubt.by) for doubt in doubts}
    return [*doubts, *(doubt for doubt in _other_values(given) if (doubt.entry, doubt.by) not in told)]


def _overtaken(given: DetectorInput) -> list[Doubt]:
    entries = [known.entry for known in given.entries]
    ages = Ages(given)
    overlaps = Overlaps([entry.text for entry in entries])
    by_older = overtaken(overlaps, len(entries), lambda number: ages.of(entries[number]))
    doubts = []
    for older in by_older:
        entry, newest = entries[older], entries[_end(by_older, older)]
        if words_in(entry.text) == words_in(newest.text):
            continue  # it says the same
        since = ages.of(newest)
        is_sure = is_other_value(entry.text, newest.text)
        words = f"perhaps overtaken by {_name(newest)} of {since[:10]}"
        doubts.append(Doubt(entry.id, entry.path, "overtaken", newest.id, words, since, newest.id, is_sure))
    return doubts


def _end(to: Mapping[int, int], start: int) -> int:
    """Where a chain of newer and newer entries ends; ages only rise along it."""
    while start in to:
        start = to[start]
    return start


def _name(entry: Entry) -> str:
    """`^1a2b3c4`, as entries are called in what is delivered."""
    return entry_place("", 1, 1, entry.id).rpartition(" ")[2]


def _other_values(given: DetectorInput) -> list[Doubt]:
    """Entries that have a key in common which a command gave: of these one was to hold."""
    by_key: defaultdict[str, list[Entry]] = defaultdict(list)
    for known in given.entries:
        if key := known.entry.key.casefold():
            by_key[key].append(known.entry)
    shared = {key: entries for key, entries in by_key.items() if len(entries) > 1}
    ages, doubts = Ages(given), []
    for key in sorted(shared.keys() & _keys_given(given, shared)):
        *older, newest = sorted(shared[key], key=lambda entry: (ages.of(entry), entry.path, entry.first_line))
        for entry in older:
            if normalised(entry.text) != normalised(newest.text):
                words = f"{_name(newest)} has another value of {entry.key}"
                since = ages.of(newest)
                doubts.append(Doubt(entry.id, entry.path, "value", key, words, since, newest.id))
    return doubts


def _keys_given(given: DetectorInput, keys: Collection[str]) -> set[str]:
    """Those of these keys, in small letters, to which commands gave values in the scope."""
    about = given.memory.cache.ask(keyed_evidence, keys)
    return keys_in(about)[given.scope]


class Ages:
    """Since when entries say what they say: as recorded, else by the commit that brought them."""

    def __init__(self, given: DetectorInput) -> None:
        self._given = given
        self._by_commit: dict[str, dict[str, str]] = {}

    def of(self, entry: Entry) -> str:
        """The moment in ISO form, in UTC; '' where nothing tells."""
        known = self._given.evidence.get(entry.id)
        if known and known.worded:
            return known.worded
        if entry.path not in self._by_commit:
            self._by_commit[entry.path] = _brought(self._given.memory, entry.path)
        return self._by_commit[entry.path].get(entry.id, "")


def _brought(memory: Memory, path: str) -> dict[str, str]:
    """id -> when the commit was made that brought it, of the entries of a note as the last commit has it; of
    an entry that is older than all commits that are looked through, when the oldest of these was."""
    objects, moments = memory.objects, dict[str, str]()
    waiting: set[str] | None = None
    version, oldest = None, ""  # of the commits that were seen so far
    for commit in islice(objects.recent(memory.head), _MOST_COMMITS) if memory.head else ():
        key = objects.key_at(objects.tree_of(commit), path)
        if waiting is None or key != version:
            text = decode(objects.data_or_empty(key)) if key and ":" not in key else ""
            there = {entry.id for entry in entries_of(path, text)}
            if waiting is not None and (new := waiting - there):
                moments |= dict.fromkeys(new, second(objects.header_of(oldest).when))
            waiting = there if waiting is None else waiting & there
            if not waiting:
                return moments
            version = key
        oldest = commit
    if waiting and oldest:
        moments |= dict.fromkeys(waiting, second(objects.header_of(oldest).when))
    return moments
