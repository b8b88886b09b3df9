"""A note or entry is taken out of the memory; its history keeps it."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import ENTRY_ID
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import bump_updated
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.read import read
from ctxrepo.services.saving.describe import record
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Forgotten:
    """What is gone: the place it had, and the id and the text if it was an entry."""

    at: str
    id: str = field(default="", metadata=ENTRY_ID)
    text: str = ""


def forget(
    memory: Memory, target: Target, project: Project | None, origin: Origin, now: datetime
) -> Forgotten:
    """Remove the note or entry that a target names; `history` of its path or id shows it still."""
    with drafting(memory, "forget", origin, now) as draft:
        reading = read(memory, target, project)
        note, entry = reading.note, reading.entry
        if entry is None:
            draft.saying = note.path
            draft.remove(note.path)
            return Forgotten(note.path)
        draft.saying = normalised(entry.text)[:100]
        text = draft.text(note.path) or note.text
        draft.put(note.path, bump_updated(compose.replace(text, entry, ""), day(now)))
        record(draft, "forgotten", entry.id, note.path, now)
        return Forgotten(entry.at, entry.id, normalised(entry.text))
