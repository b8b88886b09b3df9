"""A snapshot of the worktree: what is on disk, and which versions the files are based on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctxrepo.domain.project.paths import is_ignored, prefixes_of, unsafe
from ctxrepo.storage.objects.trees import Key

if TYPE_CHECKING:  # who reads a snapshot needn't load what takes one
    from ctxrepo.storage.worktree.disk import Disk


@dataclass(frozen=True)
class Snapshot:
    """The worktree as found: what is on disk, what was passed over, and the trees that files are based on.

    `base` is the version each file was last based on, `next` the one that was being written.
    """

    disk: Disk
    skipped: Mapping[str, str]
    base: str | None
    next: str | None
    is_emptied: bool = False
    """Nothing is left of what was there; so nothing counts as based on anything, or as removed."""
    hidden: Mapping[str, Key] = field(default_factory=dict)
    """What files were based on until now that can't be looked at any more; `base` has them no longer."""

    def is_out_of_reach(self, path: str) -> bool:
        """Whether the file, or a folder it is in, was passed over, or may never be on disk."""
        if unsafe(path) or is_ignored(path):
            return True
        return "" in self.skipped or any(place in self.skipped for place in prefixes_of(path))

    def has_looked_at(self, path: str) -> bool:
        """Whether it is known what is at this path, or that nothing is."""
        is_asked = self.disk.only is None or path in self.disk.only
        return is_asked and not self.is_out_of_reach(path)
