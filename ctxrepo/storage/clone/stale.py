"""Locks that a killed git left in the clone."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.clone.reffiles import RefFiles

OLD = 60.0
"""Seconds after which a lock is taken for forgotten; a commit in an editor holds one longest."""


def old_locks(clone: Clone) -> list[Path]:
    """Locks that no git is likely to hold any more, sorted."""
    return sorted(path for path, age in RefFiles(clone.git_dir).locks() if age > OLD)
