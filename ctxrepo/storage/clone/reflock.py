"""Locks on refs that a killed process left behind: they bear no owner, and neither git nor libgit2 waits."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ctxrepo.hooks.files.clock import age

STALE = 2.0
"""Seconds after which a ref's lock is taken for abandoned: updating a ref takes milliseconds.

Only processes that hold our own lock come to look, so what is taken away is nobody's of ours.
"""


def clear_stale_locks(git_dir: Path, *names: str) -> None:
    """Remove the abandoned locks of these refs (`refs/heads/main`, `packed-refs`, `HEAD` …)."""
    for name in names:
        lock = git_dir / f"{name}.lock"
        with suppress(FileNotFoundError):
            if age(lock.stat().st_mtime) > STALE:
                lock.unlink()
