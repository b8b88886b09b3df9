"""Somebody looked at a note and found that it still holds."""

from __future__ import annotations

from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note.note import Note, bump_updated
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.resolve import find_note
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class TouchResult:
    """`updated` is the day that the note has now, '' for one without the field: none is added."""

    path: str
    updated: str
    changed: bool


def touch(
    memory: Memory, target: Target, project: Project | None, origin: Origin, now: datetime
) -> TouchResult:
    """Set the note's `updated` to today where its head has that field."""
    with drafting(memory, "touch", origin, now) as draft:
        path = find_note(memory, target, project).path
        before = draft.text(path) or ""
        after = bump_updated(before, day(now))
        draft.saying = path
        draft.put(path, after)
        return TouchResult(path, Note(path, after).head.updated, before != after)
