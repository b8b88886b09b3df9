"""What operations on notes are done to, whether they read or write."""

from collections.abc import Sequence

from ctxrepo.domain.project.target import EntryName, NoteOrEntry, ScopeName
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class TargetRequest:
    """The note or entry that something is done to."""

    target: NoteOrEntry


@dataclass(frozen=True)
class EntriesRequest:
    """Entries that something is said of."""

    targets: Sequence[EntryName]
    """^ID or PATH#L9 of an entry; more than one may be given."""


@dataclass(frozen=True)
class ChecklistRequest:
    """A scope's checklist; `is_whole`: also what is done."""

    scope: ScopeName = ""
    is_whole: bool = False
    """List finished items too."""
