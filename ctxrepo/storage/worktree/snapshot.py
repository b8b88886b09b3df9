"""A snapshot of the worktree: what is on disk, and which versions the files are based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from ctxrepo.domain.project.layout import is_ignored, prefixes_of, unsafe
from ctxrepo.lazy import dataclass
from ctxrepo.storage.objects.trees import Key

if TYPE_CHECKING:  # reading a snapshot doesn't need the modules that take one
    from ctxrepo.storage.worktree.disk import Disk


@dataclass(frozen=True)
class Snapshot:
    """The worktree at one moment: the files on disk, the skipped paths, and what the files are based on.

    The tree `base` has the version that each file is based on, `next` the version that was being written.
    """

    disk: Disk
    skipped: Mapping[str, str]
    base: str | None
    next: str | None
    is_emptied: bool = False
    """All files are gone; so nothing counts as removed, and no file is based on anything."""
    hidden: Mapping[str, Key] = field(default_factory=dict)
    """What the files that an obstacle hides were based on until now; `base` no longer has them."""

    def is_out_of_reach(self, path: str) -> bool:
        """Whether the file or a folder on its path was skipped, or the file may never be on disk."""
        if unsafe(path) or is_ignored(path):
            return True
        return "" in self.skipped or any(place in self.skipped for place in prefixes_of(path))

    def has_looked_at(self, path: str) -> bool:
        """Whether the snapshot knows what is at this path, or that nothing is there."""
        is_asked = self.disk.only is None or path in self.disk.only
        return is_asked and not self.is_out_of_reach(path)
