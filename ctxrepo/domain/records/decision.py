"""Items to decide: whatever waits for a person, in one shape."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ctxrepo.lazy import dataclass

Kind = Literal["held", "deletion", "conflict", "declined", "proposal"]
"""held: a file that the write guard keeps out of commits. deletion: one of more than is likely, kept out too.
conflict: a version that lost a merge. declined: what reviewers struck out. proposal: it waits for a yes."""


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
    choices: tuple[str, ...] = ()
    """The commands that decide it; none where the file is to be mended in an editor."""
