"""A note or a file that comes first in what a session is given at its start."""

from __future__ import annotations

from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class FirstFile:
    """`top` is '' for a note, whose `path` is relative to the memory; else the checkout that `path` is
    relative to, or `/` with an absolute one."""

    top: str
    path: str
    rank: int
    """How much it matters, from 1 on; 0 where it is here because a list says so."""
    why: str = ""
    """For a note why it is here, in a few words; for a file the lines that were touched."""

    @property
    def is_note(self) -> bool:
        return not self.top
