"""What the verbs that write notes are asked: values alone, so that a face can describe them without loading
what carries them out. The sentence below a field is what every face says of it."""

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
    """Its kind, e.g. gotcha, which adds it to topics/gotcha.md."""
    tags: Sequence[str] = ()
    """A tag; may be given again."""
    key: str = ""
    """Replace the entry in the scope that has this key."""
    supersedes: EntryName | None = None
    """The entry that this fact replaces: ^ID or PATH#L9."""
    with_id: bool = False
    """Give it an id that stays the same when its text is edited."""
    pin: bool = False
    """Pin it, so that sessions are shown it before other entries."""
    holds: Sequence[str] = ()
    """A claim about the code on which the fact rests, e.g. 'src/api.py::RETRIES=3'; may be given again."""
    is_proposal: bool = False
    """Only propose it: it waits in the inbox and isn't given to sessions."""

    @property
    def scope_name(self) -> str:
        """The scope to write to: that of `note` before `scope`."""
        return self.note.scope if self.note and self.note.scope else self.scope


@dataclass(frozen=True)
class NewNoteRequest:
    """Description and tags are set in the frontmatter of `body`; without frontmatter it is put below the head
    of the `template`, whose description then does for an empty one."""

    target: NoteOrEntry
    """[SCOPE:]PATH of the new note."""
    description: str = ""
    """One line that says what the note is about. Templates bring their own."""
    tags: Sequence[str] = ()
    """A tag; may be given again."""
    body: str = ""
    """A file with its text; - reads standard input."""
    template: str = ""
    """A template to start from: memory, task or user."""


@dataclass(frozen=True)
class TagChange:
    """Tags that a note is to get, and others that are to be taken from it."""

    target: Target
    add: Sequence[str] = ()
    remove: Sequence[str] = ()


@dataclass(frozen=True)
class TickRequest:
    """The item, named by its id or by a part of its words, and whether to tick it or open it again."""

    named: str
    is_done: bool
    scope: str = ""


@dataclass(frozen=True)
class RestoreRequest:
    """`target` as it was last, or in the commit whose id begins with `version`; back where it was, or `to` a
    note."""

    target: NoteOrEntry
    """The [SCOPE:]PATH or ^ID that it had."""
    to: Destination | None = None
    """Restore it into this note instead of its old place."""
    version: str = ""
    """Restore its version in COMMIT, even if it still exists."""


@dataclass(frozen=True)
class EnforceRequest:
    """A rule for an entry; without one, the rule that the entry has is approved on this machine."""

    target: Target
    rule: str = ""
    """When it bears and what is done, e.g. 'block command kubectl apply'."""
    off: bool = False
    """Hold nobody to it any more."""
