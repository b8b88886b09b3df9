"""What the verbs that write notes are asked: values alone, so that a face can describe them without loading
what carries them out. The sentence below a field is what every face says of it."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.domain.project.target import Destination, EntryName, NoteOrEntry, ScopeName, Target
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class Fact:
    """What to remember, and where: `note` and `scope` as the person gave them."""

    text: str
    """The fact, in one sentence; - reads facts from standard input."""
    note: NoteOrEntry | None = None
    """The note to add it to; created if it is missing."""
    scope: ScopeName = ""
    category: str = ""
    """Its kind, e.g. gotcha: it is added to topics/gotcha.md."""
    tags: Sequence[str] = ()
    """A tag; may be given again."""
    key: str = ""
    """Replace the scope's entry with this key."""
    supersedes: EntryName | None = None
    """The entry that no longer holds: ^ID or PATH#L9."""
    with_id: bool = False
    """Give it an id that stays when its text is edited."""
    pin: bool = False
    """Pin it: sessions are shown it before other entries."""
    is_proposal: bool = False
    """Only propose it: it waits in the inbox, and no session is given it."""

    @property
    def scope_name(self) -> str:
        """The scope to write to: that of `note` before `scope`."""
        return self.note.scope if self.note and self.note.scope else self.scope


@dataclass(frozen=True)
class NewNoteRequest:
    """A `body` that has frontmatter of its own keeps it; description and tags are set in it. Without one it
    is put below the head of the `template`, whose description then does for an empty one."""

    target: NoteOrEntry
    """[SCOPE:]PATH of the new note."""
    description: str = ""
    """One line: what is found in it. A template has one."""
    tags: Sequence[str] = ()
    """A tag; may be given again."""
    body: str = ""
    """Its body; - is standard input."""
    template: str = ""
    """What it begins as: memory, task or user."""


@dataclass(frozen=True)
class TagChange:
    """Tags that a note is to get, and others that are to be taken from it."""

    target: Target
    add: Sequence[str] = ()
    remove: Sequence[str] = ()


@dataclass(frozen=True)
class TickRequest:
    """The item that is named by its id or by a part of its words, and whether it is to be ticked or made open
    again."""

    named: str
    is_done: bool
    scope: str = ""


@dataclass(frozen=True)
class RestoreRequest:
    """What is brought back: `target` as it was last, or in the commit whose id begins with `version`; it goes
    to where it was, or `to` the note that is named."""

    target: NoteOrEntry
    """[SCOPE:]PATH of a note, or ^ID of an entry, as it was."""
    to: Destination | None = None
    """The note it goes to, instead of where it was."""
    version: str = ""
    """As it was in COMMIT, also when it isn't gone."""
