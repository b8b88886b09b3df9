"""What a detector of doubts is given, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.layout import CachedEntry
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class DetectorInput:
    """A scope that is looked through."""

    memory: Memory
    scope: str
    """Its folder."""
    entries: Sequence[CachedEntry]
    """The entries that prompts may bring, by path and line: none that is superseded, archived, an item of a
    checklist or a line of a log."""
    evidence: Mapping[str, EntryEvidence]
    """What is recorded of these, by id."""
    now: datetime


@dataclass(frozen=True)
class DoubtSource:
    """A detector, and what it depends on beside the notes of a scope and what is recorded of entries."""

    name: str
    detect: Callable[[DetectorInput], list[Doubt]]
    """The doubts about entries of the scope; those about others are dropped."""
    stamp: Callable[[Memory, str, datetime], str] = lambda *_: ""
    """What changes when the scope has to be looked through again though nothing in the memory changed."""
