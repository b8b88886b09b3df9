"""What is wrong between entries: what is said twice, and keys that have no value any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.project.layout import DAILY, is_archived, is_conflict_copy, shown
from ctxrepo.domain.records.evidence import Evidence, fate, marks
from ctxrepo.domain.secrets import mask

_SHOWN = 60
"""Characters of an entry that are quoted."""

_TELLING = 4
"""Words from which on it is no accident that two notes say the same."""

Found = tuple[Entry, str, str]
"""(the entry that is to be looked at, what is wrong with it, what helps)"""


def between_entries(notes: Sequence[Note], evidence: Sequence[Evidence]) -> Iterator[Found]:
    """What is wrong in the notes of a memory; those of the archive and those kept aside need no care."""
    notes = [note for note in notes if not is_conflict_copy(note.path)]
    live = [note for note in notes if not is_archived(note.path)]
    copies = list(_copies(live))
    yield from copies
    # What happened twice is logged twice.
    lasting = [note for note in live if note.path.split("/")[1] != DAILY]
    for note in lasting:
        yield from _twice(note)
    copied = {entry.path for entry, _, _ in copies}
    struck = marks(evidence).struck
    yield from _elsewhere([note for note in lasting if note.path not in copied], struck)
    if struck:
        there = {entry.id for note in notes for entry in note.entries} - struck
        yield from _without_value(live, evidence, struck, there)


def _copies(notes: Iterable[Note]) -> Iterator[Found]:
    """Notes of one scope that say the same, whatever their heads say."""
    first: dict[tuple[str, str], Note] = {}
    for note in notes:
        other = first.setdefault((note.scope_folder, note.body.strip()), note)
        if other is not note and note.entries:
            remedy = "Keep one of them: `ctxrepo archive` takes the other one out of view."
            yield note.entries[0], f"the note says the same as {other.path}", remedy


def _twice(note: Note) -> Iterator[Found]:
    """Entries under one heading that differ at most in the case of their letters."""
    same: dict[tuple[tuple[str, ...], str], list[Entry]] = {}
    for entry in note.entries:
        same.setdefault((entry.heading, normalised(entry.text).casefold()), []).append(entry)
    for first, *others in same.values():
        if others:
            more = f" and {len(others) - 1} more below" if len(others) > 1 else ""
            problem = f"it says the same as line {first.first_line}{more}"
            yield others[0], problem, "Keep one of them, or say what tells them apart."


def _elsewhere(notes: Iterable[Note], struck: Set[str]) -> Iterator[Found]:
    """Entries that another note of the scope has as well, whatever the case of their letters."""
    first: dict[tuple[str, str], Entry] = {}
    for note in notes:
        for entry in note.entries:
            text = normalised(entry.text).casefold()
            if len(text.split()) < _TELLING or entry.id in struck:
                continue
            other = first.setdefault((note.scope_folder, text), entry)
            if other.path != entry.path:
                yield entry, f"it says the same as {other.at}", "Keep it in one of the two notes."


def _without_value(
    notes: Iterable[Note], evidence: Sequence[Evidence], struck: Set[str], there: Set[str]
) -> Iterator[Found]:
    """Keys of which the entry that was stated last is struck, and what superseded it isn't there."""
    said = {e.entry: e.ts for e in sorted(evidence, key=lambda e: e.ts) if e.kind == "stated"}
    last: dict[tuple[str, str], Entry] = {}
    for entry in (entry for note in notes for entry in note.entries):
        if key := entry.key.casefold():
            place = entry.path.partition("/")[0], key
            if place not in last or said.get(entry.id, "") >= said.get(last[place].id, ""):
                last[place] = entry
    for entry in last.values():
        if entry.id in struck and fate(evidence, entry.id)[1] not in there:
            text = shown(mask(normalised(entry.text)), _SHOWN)
            remedy = f"If it holds, say it again: `ctxrepo remember TEXT --key {entry.key}`."
            yield entry, f'"{text}" is superseded, and what superseded it is gone', remedy
