"""A plan carried out: notes and anchors by the way that every write goes, settings into config.toml."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import in_parts, with_room
from ctxrepo.domain.formats.moment import counted, day, month
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.merge.supplement import closed_note, gist
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.project.layout import tapes_of
from ctxrepo.domain.records.evidence import Evidence
from ctxrepo.domain.tape.anchor import to_line
from ctxrepo.services.imports.fitting import KnownEntries, fitted
from ctxrepo.services.imports.plan import ImportPlan, PlannedNote, PlannedTape, exact, planned_tape
from ctxrepo.services.imports.values import SourceNote
from ctxrepo.services.repository.configure import change
from ctxrepo.services.saving.describe import made, record_all
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory

_TOGETHER = 200
"""Notes that are written in one operation; a run that is killed leaves whole ones, and the next goes on."""


def carry_out(
    memory: Memory, plan: ImportPlan, origin: Origin, now: datetime, interpreter: str
) -> ImportPlan:
    """Write what `plan` says, as far as it still holds; returns what was written.

    Somebody may have written to the notes since it was made: it is made anew under the write lock.
    """
    notes: list[PlannedNote] = []
    for some in _batches(plan.notes):
        with drafting(memory, "import", origin, now) as draft:
            notes += _put_notes(draft, some, now)
            _finish(draft, plan)
    tapes: list[PlannedTape] = []
    if plan.tapes:
        with drafting(memory, "import", origin, now) as draft:
            tapes += [_put_anchors(draft, one, now) for one in plan.tapes]
            _finish(draft, plan)
    for one in plan.settings:
        if not one.kept:
            change(memory.places, memory.env, one.setting.key, one.setting.value, interpreter)
    return replace(plan, notes=tuple(notes), tapes=tuple(tapes))


def _batches(notes: Sequence[PlannedNote]) -> Iterator[Sequence[PlannedNote]]:
    for start in range(0, len(notes), _TOGETHER):
        yield notes[start : start + _TOGETHER]


def _put_notes(draft: Draft, planned: Sequence[PlannedNote], now: datetime) -> list[PlannedNote]:
    known = KnownEntries(draft.memory, day(now))

    def read(path: str) -> str | None:
        found = draft.there(path)
        return None if found is None else exact(path, encode(found))

    done = []
    records: list[Evidence] = []
    new = 0
    for one in planned:
        found = fitted(one.note, known, read)
        if found.new or found.is_new:
            before = entries_of(found.path, draft.there(found.path) or "")
            draft.put(found.path, found.text)
            records += _stated(draft, one.note, before, entries_of(found.path, found.text), now)
        records += [made(draft, "pinned", entry, found.path, now) for entry in found.pins]
        new += found.new
        done.append(PlannedNote(one.note, found))
    record_all(draft, records, now)
    draft.saying = counted(new, "entry", "entries")
    return done


def _stated(
    draft: Draft, note: SourceNote, before: Sequence[Entry], after: Sequence[Entry], now: datetime
) -> Iterator[Evidence]:
    """Records of which entries came from the source, so that one that is edited, forgotten or superseded here
    is known when it is met there again.

    Below another heading an entry has another id than it has in the source: as if it had moved.
    """
    path = note.path
    theirs: dict[str, list[str]] = {}
    for text in note.bullets or (closed_note(note.text),):
        for entry in entries_of(path, text):
            theirs.setdefault(gist(entry.text), []).append(entry.id)
    known = {entry.id for entry in before}
    for entry in after:
        was = theirs.get(gist(entry.text))
        if entry.id in known or not was:
            continue
        source_id = was.pop(0)
        if source_id == entry.id:
            yield made(draft, "stated", entry.id, entry.path, now)
        else:
            yield made(draft, "moved", source_id, entry.path, now, entry.id)


def _put_anchors(draft: Draft, planned: PlannedTape, now: datetime) -> PlannedTape:
    found = planned_tape(draft.memory, planned.tape)
    start = f"{tapes_of(found.tape.folder)}/{draft.memory.host}-{month(now)}"
    for lines in in_parts(map(to_line, found.new)):
        draft.append_line(with_room(start, draft.there), lines)
    draft.saying = counted(len(found.new), "anchor")
    return found


def _finish(draft: Draft, plan: ImportPlan) -> None:
    """Register the project that something was written for, and say where it all comes from."""
    draft.saying = f"{draft.saying} from {plan.source}"
    project = plan.project
    own = (f"{project.folder}/", f"{tapes_of(project.folder)}/") if project else ()
    if any(path.startswith(own) for path in draft.after):
        draft.register(project)
