"""read: a note, or one entry of it, as it is in the worktree now."""

from __future__ import annotations

from dataclasses import dataclass

from ctxrepo.domain.entry import Entry
from ctxrepo.domain.note import Note, encode
from ctxrepo.domain.oid import blob_id
from ctxrepo.domain.target import Target
from ctxrepo.services.find import find_entry, find_note
from ctxrepo.services.project import Project
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Reading:
    """`hash` is the blob id of the note, by which an edit can tell that it changed meanwhile."""

    note: Note
    hash: str
    entry: Entry | None = None


def read(memory: Memory, target: Target, project: Project | None) -> Reading:
    """The note or entry a target names; NotFound when there is none."""
    if target.entry_id:
        note, entry = find_entry(memory, target.entry_id, project)
        return Reading(note, blob_id(encode(note.text)), entry)
    note = find_note(memory, target, project)
    return Reading(note, blob_id(encode(note.text)))
