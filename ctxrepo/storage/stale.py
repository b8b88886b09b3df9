"""Locks that a killed git left in the clone, and keys that somebody wrote into its configuration."""

from __future__ import annotations

from pathlib import Path

from ctxrepo.storage.broken import Broken
from ctxrepo.storage.clone import Clone
from ctxrepo.storage.git import Git
from ctxrepo.storage.reffiles import RefFiles

OLD = 60.0
"""Seconds after which a lock is taken for forgotten; a commit in an editor holds one longest."""


def old_locks(clone: Clone) -> list[Path]:
    """Locks that no git is likely to hold any more, sorted."""
    return sorted(path for path, age in RefFiles(clone.git_dir).locks() if age > OLD)


def remove_keys(clone: Clone, git: Git, broken: Broken) -> list[str]:
    """Take foreign keys out of the clone's configuration, kept aside as it was; returns their names."""
    removed = clone.foreign_keys(git)
    files = [clone.git_dir / name for name in ("config", "config.worktree") if removed]
    for file in filter(Path.is_file, files):
        broken.copy(file)
        there = git.ask("config", "--file", str(file), "--null", "--name-only", "--list").split("\0")
        for key in {k for k in there if k in removed}:
            git.ask("config", "--file", str(file), "--unset-all", key)
    return removed
