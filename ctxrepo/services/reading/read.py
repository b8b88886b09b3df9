"""A note, or one entry of it, as it is in the worktree now."""

from __future__ import annotations

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.note.note import Note, encode
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.resolve import resolve
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Reading:
    """`hash` is the blob id of the note, by which an edit can tell that it changed meanwhile."""

    note: Note
    hash: str
    entry: Entry | None = None

    @property
    def text(self) -> str:
        """The entry's, or the note's."""
        return self.entry.text if self.entry else self.note.text


def read(memory: Memory, target: Target, project: Project | None, *, follows: bool = False) -> Reading:
    """The note or entry a target names; NotFound when there is none.

    `follows` accepts an id that the entry had before it was edited, moved or archived. Who changes an entry
    shall know what it says by now.
    """
    note, entry = resolve(memory, target, project, follows=follows)
    return Reading(note, blob_id(encode(note.text)), entry)
