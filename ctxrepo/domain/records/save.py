"""A save: one change of a file, who made it, and the version it began with. The journal keeps it until it is
committed."""

from ctxrepo.lazy import dataclass

TOOL = "tool"
"""An agent's own tool wrote the file, and a hook saw the result."""

LATE = "late"
"""A program wrote to a file that it had opened before we replaced it."""

BY_HAND = "hand"
"""Somebody changed the file without telling us: an editor, a shell, another program."""


@dataclass(frozen=True)
class Origin:
    """Who is writing: on which machine, in which agent session, for which project."""

    host: str
    session: str = ""
    agent: str = ""
    project: str = ""


@dataclass(frozen=True)
class Save:
    """A change of the file at `path` from `base` to `after`; None stands for no file.

    `op` is a command's name, or TOOL, LATE or BY_HAND. A command and a late writer know their base. A tool's
    is only known as the version that was checked out, from `tree`: that is the `base` of its save until the
    fold infers a better one. Without a `tree` nothing is known, and the save only adds."""

    path: str
    base: bytes | None
    after: bytes | None
    op: str
    by: Origin
    at: str = ""
    """When, in ISO form."""
    id: str = ""
    """The id that the saves of one operation share."""
    note: str = ""
    """Its text in the commit message: an entry's text, or an anchor's name."""
    tree: str = ""
    undoes: str = ""
    """Of an undo or redo: the id of the operation or commit that it takes back."""
    place: str = ""
    """Its place in the journal; '' while it isn't in it."""

    @property
    def is_command(self) -> bool:
        """Whether one of our commands made it, and so acknowledged it."""
        return self.op not in (TOOL, LATE, BY_HAND)

    @property
    def lacks_base(self) -> bool:
        """Whether its base is unknown: a tool's file had been replaced before its hook ran."""
        return self.op == TOOL and not self.tree

    @property
    def author(self) -> tuple[str, str]:
        """The session that made it: (agent, session)."""
        return self.by.agent, self.by.session
