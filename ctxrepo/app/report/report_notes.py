"""The notes of a report: all by name, and the texts, marks and history of those that changed last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.app.report.report_values import EntryNotes, NoteBody, NotShown, ReportedNote, ReportRequest
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.secrets import mask, scan

if TYPE_CHECKING:
    from ctxrepo.domain.records.entry_use import Usage
    from ctxrepo.services.history.recent_changes import NoteChange
    from ctxrepo.storage.cache.layout import CachedEntry, CachedNote
    from ctxrepo.storage.memory import Memory

_BESIDE = 200
"""Bytes of a note's history and facts beside its text, about."""

_AT_ONCE = 500
"""Texts that are searched for secrets at once: most have none, and to begin costs more than to search."""


def report_notes(
    memory: Memory,
    request: ReportRequest,
    changes: Sequence[NoteChange],
    usages: Mapping[str, Usage],
    left: list[NotShown],
) -> list[ReportedNote]:
    """All notes by scope and path; what is left out of them is added to `left`."""
    from ctxrepo.domain.project.layout import is_conflict_copy
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
        left.append(NotShown(f"the texts of {counted(missing, 'note')}", "ctxrepo read TARGET"))
    marks: dict[str, dict[int, EntryNotes]] = {path: {} for path in bodies}
    for one in memory.cache.entries(sorted({path.partition("/")[0] for path in bodies})):
        if (entry := one.entry).path in marks:
            marks[entry.path][entry.first_line] = _of_entry(one, usages.get(entry.id))
    known = {note.path: (note, count) for note, count in memory.cache.counted_notes(folders)}
    heads = [_head(path, known[path][0] if path in known else None) for path in paths]
    masked = iter(_all_masked([text for head in heads for text in head]))
    found = []
    for path in paths:
        note, count = known.get(path, (None, 0))
        found.append(
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
    return sorted(found, key=lambda one: (one.scope, one.path))


def _bodies(memory: Memory, paths: Sequence[str], request: ReportRequest) -> dict[str, NoteBody]:
    """The texts of the first of these notes, as far as the room goes."""
    room, found = request.note_bytes, dict[str, NoteBody]()
    for path in paths:
        if body := _body(memory, path, request.bytes_of_note):
            room -= len(body.text) + _BESIDE
            if room < 0:
                break
            found[path] = body
    return found


def _body(memory: Memory, path: str, most: int) -> NoteBody | None:
    """None for a note that can't be read."""
    from ctxrepo.errors import Unreadable
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
    found: list[str] = []
    for start in range(0, len(texts), _AT_ONCE):
        some = texts[start : start + _AT_ONCE]
        found += map(mask, some) if scan("\n".join(some)) else some
    return found


def _of_entry(known: CachedEntry, used: Usage | None) -> EntryNotes:
    return EntryNotes(
        is_pinned=known.is_pinned,
        is_superseded=known.is_struck,
        key=mask(known.entry.key),
        used=used.used if used else 0,
        delivered=used.delivered if used else 0,
        last=f"{datetime.fromtimestamp(used.last).astimezone():%Y-%m-%d}" if used else "",
    )
