"""A save: one change of one file, and what it was made from. The journal keeps it until a commit holds it."""

from __future__ import annotations

from ctxrepo.domain.git.origin import Origin
from ctxrepo.lazy import dataclass

TOOL = "tool"
"""An agent's own tool wrote the file, and a hook saw what it left there."""

LATE = "late"
"""A program wrote to a file that it had open while we replaced it."""

BY_HAND = "hand"
"""The file is found to have changed, and nobody told us: an editor, a shell, another program."""


@dataclass(frozen=True)
class Save:
    """Somebody changed the file at `path` from `base` to `after`; None stands for no file.

    `op` is a command's name, or one of TOOL, LATE and BY_HAND. What a command and a late writer began with is
    known. Of a tool it is only known what the file was checked out as, by `tree`: that is the `base` of its
    save until the fold finds a better one. Without a `tree` nothing is known, and the save only adds.
    """

    path: str
    base: bytes | None
    after: bytes | None
    op: str
    by: Origin
    at: str = ""
    """When, in ISO form."""
    id: str = ""
    """What the saves of one operation have in common."""
    note: str = ""
    """What to say of it in the commit: the entry's text, or the anchor's name."""
    tree: str = ""
    place: str = ""
    """Its place in the journal; '' while it is in none."""

    @property
    def is_command(self) -> bool:
        """Whether a command of ours made it, and so acknowledged it."""
        return self.op not in (TOOL, LATE, BY_HAND)

    @property
    def lacks_base(self) -> bool:
        """Whether nothing is known of what it was made from: a tool's file had been replaced when its hook
        ran."""
        return self.op == TOOL and not self.tree

    @property
    def author(self) -> tuple[str, str]:
        """The session that made it: (agent, session)."""
        return self.by.agent, self.by.session
