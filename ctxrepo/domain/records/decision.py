"""Items to decide: whatever waits for a person, in one shape."""

from datetime import datetime
from typing import Literal

from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.project.layout import shown
from ctxrepo.lazy import dataclass

Kind = Literal["held", "deletion", "conflict", "declined", "proposal"]
"""held: a file that the write guard keeps out of commits. deletion: one of more than is likely, kept out too.
conflict: a version that lost a merge. declined: what reviewers struck out. proposal: it waits for a yes."""

Verb = Literal[
    "accept-deletions",
    "restore-files",
    "keep-current",
    "keep-other",
    "keep-both",
    "dismiss",
    "accept",
    "decline",
]
"""What can be done about an item. The first two decide all deletions that wait, whichever item is named."""

ACCEPTS: dict[Kind, Verb] = {"proposal": "accept", "conflict": "keep-other", "deletion": "accept-deletions"}
DECLINES: dict[Kind, Verb] = {
    "proposal": "decline",
    "conflict": "keep-current",
    "deletion": "restore-files",
    "declined": "dismiss",
}
"""What it comes to that somebody accepts an item, so that what waits holds from now on, or declines it, so
that what holds now stays."""


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
OF_PROPOSAL = (
    Choice("accept", "remember what is proposed", "undo"),
    Choice("decline", "take the proposal off the list", "undo"),
)


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
    host: str = ""
    """The machine alone."""
    who_before: str = ""
    """Likewise whoever the text came from that holds now."""
    choices: tuple[Choice, ...] = ()
    """What can be done about it; nothing where the file has to be edited."""

    @property
    def name(self) -> str:
        """The id without the kind, as the operations that decide the item take it."""
        return self.id.partition(":")[2]

    @property
    def words(self) -> str:
        """How what waits begins, on one line; of what has no text of its own why it waits."""
        text = self.after or self.before or ""
        is_text = bool(text) and self.kind in ("proposal", "conflict", "declined")
        return shown(normalised(text[: 4 * _WORDS]) if is_text else self.why, _WORDS)


_WORDS = 70
"""Characters of an item that a list shows."""

KEEPS: dict[Verb, str] = {"keep-current": "kept", "keep-other": "other", "keep-both": "both"}


def command(item: ItemToDecide, choice: Choice) -> str:
    """The command that carries out a choice."""
    if choice.verb in KEEPS:
        return f"ctxrepo conflicts resolve {item.name} --keep {KEEPS[choice.verb]}"
    if choice.verb in ("accept", "decline"):
        return f"ctxrepo inbox {choice.verb} {item.name}"
    if choice.verb == "dismiss":
        return f"ctxrepo declined dismiss {item.name}"
    return "ctxrepo sync --accept deletions" if choice.verb == "accept-deletions" else "ctxrepo doctor --fix"
