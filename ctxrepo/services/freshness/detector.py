"""What a detector of doubts is given, and what it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from itertools import islice

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.layout import CachedEntry
from ctxrepo.storage.memory import Memory

_MOST_COMMITS = 2000
"""Commits that are looked through for the one that brought an entry of which nothing is recorded."""


@dataclass(frozen=True)
class DetectorInput:
    """A scope in which doubts are looked for."""

    memory: Memory
    scope: str
    """Its folder."""
    entries: Sequence[CachedEntry]
    """The entries that prompts may bring, by path and line: none that is superseded, archived, an item of a
    checklist or a line of a log."""
    evidence: Mapping[str, EntryEvidence]
    """What is recorded of these, by id."""
    now: datetime
    _committed: dict[str, dict[str, str]] = field(default_factory=dict)

    def wording_time(self, entry: Entry) -> str:
        """Since when an entry says what it says, in ISO form and UTC: as recorded, else by the commit that
        brought it; '' where neither is known."""
        known = self.evidence.get(entry.id)
        if known and known.worded:
            return known.worded
        if entry.path not in self._committed:
            self._committed[entry.path] = _commit_times(self.memory, entry.path)
        return self._committed[entry.path].get(entry.id, "")


@dataclass(frozen=True)
class DoubtSource:
    """A detector, and what it depends on beside the notes of a scope and what is recorded of entries."""

    name: str
    detect: Callable[[DetectorInput], list[Doubt]]
    """The doubts about entries of the scope; those about others are dropped."""
    stamp: Callable[[Memory, str, datetime], str] = lambda *_: ""
    """A text that changes when the scope has to be looked through though nothing in the memory changed."""


def _commit_times(memory: Memory, path: str) -> dict[str, str]:
    """Entry id -> when the commit was made that brought it, for the entries of a note in the last commit. An
    entry that is older than all commits that are looked through has the time of the oldest of these."""
    objects, times = memory.objects, dict[str, str]()
    waiting: set[str] | None = None
    version, oldest = None, ""  # of the commits that were seen so far
    for commit in islice(objects.recent(memory.head), _MOST_COMMITS) if memory.head else ():
        key = objects.key_at(objects.tree_of(commit), path)
        if waiting is None or key != version:
            text = decode(objects.data_or_empty(key)) if key and ":" not in key else ""
            present = {entry.id for entry in entries_of(path, text)}
            if waiting is not None and (new := waiting - present):
                times |= dict.fromkeys(new, second(objects.header_of(oldest).when))
            waiting = present if waiting is None else waiting & present
            if not waiting:
                return times
            version = key
        oldest = commit
    if waiting and oldest:
        times |= dict.fromkeys(waiting, second(objects.header_of(oldest).when))
    return times
