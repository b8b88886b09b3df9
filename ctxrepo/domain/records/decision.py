"""Items to decide: whatever waits for a person, in one shape."""

from datetime import datetime
from typing import Literal

from ctxrepo.lazy import dataclass

Kind = Literal["held", "deletion", "conflict", "declined", "proposal"]
"""held: a file that the write guard keeps out of commits. deletion: one of more than is likely, kept out too.
conflict: a version that lost a merge. declined: what reviewers struck out. proposal: it waits for a yes."""

Verb = Literal["accept-deletions", "restore-files", "keep-current", "keep-other", "keep-both", "dismiss"]
"""What can be done about an item. The first two decide all deletions that wait, whichever item is named."""


@dataclass(frozen=True)
class Choice:
    """One way to decide an item, for a menu or a button."""

    verb: Verb
    label: str
    """What it does, in a few words."""
    undo: Literal["undo", "restore", ""] = ""
    """The operation that takes it back; '' for none."""


OF_DELETIONS = (
    Choice("accept-deletions", "delete these files on all machines", "restore"),
    Choice("restore-files", "put the deleted files back"),
)
OF_CONFLICT = (
    Choice("keep-current", "keep the current version and drop the other one", "undo"),
    Choice("keep-other", "replace the current version with the other one", "undo"),
    Choice("keep-both", "add the other version below the current one", "undo"),
)
OF_DECLINED = (Choice("dismiss", "take what was declined off the list"),)


@dataclass(frozen=True)
class ItemToDecide:
    """One thing that waits for a person. Secrets in its texts are masked."""

    id: str
    """`kind:name`; no two items have the same one."""
    kind: Kind
    path: str
    """The file that it is about, or the ref for what was declined."""
    why: str
    """What waits, in a line."""
    before: str | None = None
    """The text that holds now; None where there is none, or where too many files are held back."""
    after: str | None = None
    """The text that waits; None where the file is gone, or where too many are held back."""
    since: datetime | None = None
    """Since when it waits; None where that isn't known."""
    who: str = ""
    """`agent on host` or `host`, whoever it came from; '' where that isn't known."""
    choices: tuple[Choice, ...] = ()
    """What can be done about it; nothing where the file has to be edited, and for a proposal."""

    @property
    def name(self) -> str:
        """The id without the kind, as the operations that decide the item take it."""
        return self.id.partition(":")[2]
