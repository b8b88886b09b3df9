"""Locks that a killed git left in the clone."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.clone.reffiles import RefFiles

OLD = 60.0
"""Seconds after which a lock counts as left by a killed git; a commit in an editor holds one the longest."""


def old_locks(clone: Clone) -> list[Path]:
    """The locks that probably no git holds any more, sorted."""
    return sorted(path for path, age in RefFiles(clone.git_dir).locks() if age > OLD)
