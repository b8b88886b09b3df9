"""What a report of the memory holds, and how much of it. Texts of the memory have their secrets masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import is_conflict_copy
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.errors import Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.entries import counted_notes, entries_of_scopes

if TYPE_CHECKING:
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.domain.records.entry_use import Usage
    from ctxrepo.services.health.machines import KnownMachine
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.history.recent_changes import NoteChange
    from ctxrepo.services.usage.entry_usage import UsageReport
    from ctxrepo.storage.cache.layout import CachedEntry, CachedNote
    from ctxrepo.storage.memory import Memory


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
    usage: UsageReport
    prompts: Sequence[DayOfPrompts]
    writers: Sequence[DayOfWriter]
    machines: Sequence[KnownMachine]
    left_out: Sequence[NotShown]


def quoted(word: str) -> str:
    """A word as a shell takes it."""
    from shlex import quote

    return quote(word)


_BESIDE = 200
"""Bytes of a note's history and facts beside its text, about."""

_AT_ONCE = 500
"""Texts that are searched for secrets at once: most have none, and to begin costs more than to search."""


def report_notes(
    memory: Memory,
    request: ReportRequest,
    changes: Sequence[NoteChange],
    usages: Mapping[str, Usage],
    omissions: list[NotShown],
) -> list[ReportedNote]:
    """All notes by scope and path; what is left out of them is added to `omissions`."""
    from ctxrepo.services.reading.find import note_paths

    paths = [path for path in note_paths(memory) if not is_conflict_copy(path)]
    folders = sorted({path.partition("/")[0] for path in paths})
    by_note: dict[str, list[NoteChange]] = {}
    for change in changes:
        by_note.setdefault(change.now, []).append(change)
    recent = {path: number for number, path in enumerate(by_note)}
    newest = sorted(paths, key=lambda path: (recent.get(path, len(recent)), path))
    bodies = _bodies(memory, newest, request)
    if missing := len(paths) - len(bodies):
        omissions.append(NotShown(f"the texts of {counted(missing, 'note')}", "ctxrepo read TARGET"))
    marks: dict[str, dict[int, EntryNotes]] = {path: {} for path in bodies}
    for cached in memory.cache.ask(entries_of_scopes, sorted({path.partition("/")[0] for path in bodies})):
        if (entry := cached.entry).path in marks:
            marks[entry.path][entry.first_line] = _of_entry(cached, usages.get(entry.id))
    known = {note.path: (note, count) for note, count in memory.cache.ask(counted_notes, folders)}
    heads = [_head(path, known[path][0] if path in known else None) for path in paths]
    masked = iter(_all_masked([text for head in heads for text in head]))
    notes = []
    for path in paths:
        note, count = known.get(path, (None, 0))
        notes.append(
            ReportedNote(
                path=next(masked),
                scope=next(masked),
                description=next(masked),
                tags=next(masked),
                problem=next(masked),
                updated=note.updated if note else "",
                count=count,
                is_pinned=bool(note and note.is_pinned),
                body=bodies.get(path),
                entries=marks.get(path, {}),
                changes=by_note.get(path, ()) if path in bodies else (),
            )
        )
    return sorted(notes, key=lambda note: (note.scope, note.path))


def _bodies(memory: Memory, paths: Sequence[str], request: ReportRequest) -> dict[str, NoteBody]:
    """The texts of the first of these notes, as far as the room goes."""
    room, bodies = request.note_bytes, dict[str, NoteBody]()
    for path in paths:
        if body := _body(memory, path, request.bytes_of_note):
            room -= len(body.text) + _BESIDE
            if room < 0:
                break
            bodies[path] = body
    return bodies


def _body(memory: Memory, path: str, most: int) -> NoteBody | None:
    """None for a note that can't be read."""
    from ctxrepo.services.reading.find import read_note

    try:
        note = read_note(memory, path)
    except Unreadable:
        return None
    if note is None:
        return None
    body = note.body
    first = note.text[: len(note.text) - len(body)].count("\n") + 1
    return NoteBody(mask(body)[:most], first, len(body) > most)


def _head(path: str, note: CachedNote | None) -> tuple[str, str, str, str, str]:
    """The fields of a note that may hold anything, in the order in which a reported note has them."""
    scope = path.partition("/")[0]
    if note is None:
        return path, scope, "", "", "no session is given it: it isn't committed"
    return path, scope, note.description, note.tags, note.problem


def _all_masked(texts: Sequence[str]) -> list[str]:
    """The texts without secrets."""
    masked_texts: list[str] = []
    for start in range(0, len(texts), _AT_ONCE):
        batch = texts[start : start + _AT_ONCE]
        masked_texts += map(mask, batch) if scan("\n".join(batch)) else batch
    return masked_texts


def _of_entry(cached: CachedEntry, usage: Usage | None) -> EntryNotes:
    return EntryNotes(
        is_pinned=cached.is_pinned,
        is_superseded=cached.is_struck,
        key=mask(cached.entry.key),
        used=usage.used if usage else 0,
        delivered=usage.delivered if usage else 0,
        last=f"{datetime.fromtimestamp(usage.last).astimezone():%Y-%m-%d}" if usage else "",
    )
