"""What a report of the memory holds, and how much of it. Texts of the memory have their secrets masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.history.recent_changes import NoteChange
    from ctxrepo.services.usage.entry_usage import Report as UsageTotals

WEEK = 7
PERIOD = 28
"""Days that plots go back."""


@dataclass(frozen=True)
class ReportRequest:
    """How much the report may hold; the bounds keep a page of it quick in a browser."""

    commits: int = 500
    """Commits that are gone through, the newest first."""
    diffs: int = 300
    diffs_of_note: int = 5
    note_bytes: int = 600_000
    """Texts of notes, all together: of those that changed last."""
    bytes_of_note: int = 64_000
    items: int = 200
    """Items to decide of each kind; those that came first."""
    item_chars: int = 10_000
    """Of each text of an item."""
    anchors: int = 200
    entries: int = 15
    """Entries whose usage is shown, the most delivered first."""


@dataclass(frozen=True)
class WaitingItem:
    """An item, and for each of its choices what it does and the command that does it."""

    item: ItemToDecide
    commands: Sequence[tuple[str, str]]
    diff: Sequence[str] = ()
    """How what waits differs from what holds, where both are known."""


@dataclass(frozen=True)
class VersionsApart:
    """Two versions of one text that two machines made: what it was before, what holds, what was set aside."""

    waiting: WaitingItem
    base: str
    kept: str
    other: str


@dataclass(frozen=True)
class EntryNotes:
    """What is known of an entry besides its text."""

    is_pinned: bool
    is_superseded: bool
    key: str
    used: int = 0
    delivered: int = 0
    last: str = ""
    """The day on which a session was last given it or used it."""


@dataclass(frozen=True)
class NoteBody:
    """The text of a note without its head; it begins with line `first_line` of the file."""

    text: str
    first_line: int
    is_cut: bool


@dataclass(frozen=True)
class ReportedNote:
    """A note of a scope. `body` is None where others took the room; then it has no `entries`, which are by
    their first line, and no `changes`. `count` says how many entries it has."""

    path: str
    scope: str
    description: str
    tags: str
    problem: str
    updated: str
    count: int
    is_pinned: bool
    body: NoteBody | None
    entries: Mapping[int, EntryNotes]
    changes: Sequence[NoteChange]

    @property
    def target(self) -> str:
        """How commands name it, wherever they are run, as a shell takes it."""
        return quoted(f"{self.scope}:{self.path.partition('/')[2]}")


@dataclass(frozen=True)
class DayOfScope:
    """What happened in a scope on a day: entries that came, changed and went."""

    day: date
    scope: str
    came: int
    changed: int
    went: int


@dataclass(frozen=True)
class DayOfWriter:
    """How many changes of entries one machine and agent made on a day; '' is a hand."""

    day: date
    host: str
    agent: str
    changes: int


@dataclass(frozen=True)
class SeenMachine:
    """What is known here of a machine: its last commit, and the agents that wrote there."""

    host: str
    last: datetime
    agents: Sequence[str]
    changes: int
    is_here: bool


@dataclass(frozen=True)
class MarkOnTape:
    """An anchor or handoff that a session left."""

    when: datetime
    scope: str
    name: str
    is_handoff: bool
    agent: str
    host: str
    summary: str


@dataclass(frozen=True)
class DayOfPrompts:
    """The prompts of a day that were given entries, those that were given none, and the entries given."""

    day: date
    given: int
    silent: int
    entries: int


@dataclass(frozen=True)
class NotShown:
    """What the bounds kept out of the report, and the command that shows it."""

    what: str
    command: str


@dataclass(frozen=True)
class MemoryReport:
    """The memory at one moment. Days are by this machine's time zone, the oldest first."""

    made: datetime
    days: Sequence[date]
    status: Status
    host: str
    waiting: Sequence[WaitingItem]
    apart: Sequence[VersionsApart]
    week: Sequence[DayOfScope]
    latest: Sequence[NoteChange]
    """The changes of the last week, the newest first."""
    scopes: Mapping[str, str]
    """folder -> the project whose it is; '' for none."""
    notes: Sequence[ReportedNote]
    tape: Sequence[MarkOnTape]
    usage: UsageTotals
    prompts: Sequence[DayOfPrompts]
    writers: Sequence[DayOfWriter]
    machines: Sequence[SeenMachine]
    left_out: Sequence[NotShown]


def quoted(word: str) -> str:
    """A word as a shell takes it."""
    from shlex import quote

    return quote(word)
