"""What an agent may do for us without asking its user, where that can be said in advance; and whether it asks
us before it does anything.

It may run those of our commands that read, and those that add: none that takes away, sends, or changes a
setting. What adds is handed over where a sandbox keeps it from being written, which takes one folder."""

from collections.abc import Sequence
from pathlib import Path

from ctxrepo.lazy import dataclass

READING = (
    *("search", "recall", "read", "list", "status", "context", "history", "tags", "links"),
    *("scratch list", "tape list", "tape search", "tape info", "conflicts list", "conflicts show"),
)
ADDING = (
    *("remember", "log", "new", "edit", "touch", "reinforce", "verify"),
    *("scratch add", "scratch done", "anchor", "handoff"),
)

LEVELS = {"none": (), "read": READING, "write": (*READING, *ADDING)}
"""What may be asked for -> the commands, as they begin."""


@dataclass(frozen=True)
class Permissions:
    """What the `level`, a key of LEVELS, allows; `handover` is the folder of what is handed over, None where
    there is no machine yet to have one. `enforces`: the agent asks us before it uses a tool."""

    level: str = "none"
    handover: Path | None = None
    enforces: bool = False

    @property
    def commands(self) -> Sequence[str]:
        """The commands that may be run, as they begin."""
        return LEVELS[self.level]

    @property
    def folders(self) -> Sequence[Path]:
        """The folders that commands in a sandbox may write to."""
        return self.folders_of_any_level if self.level == "write" else ()

    @property
    def folders_of_any_level(self) -> Sequence[Path]:
        """Those that another level may have let them write to, too."""
        return (self.handover,) if self.handover else ()


NOTHING = Permissions()
"""What holds for an agent that was told nothing."""
