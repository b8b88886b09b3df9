"""Removes locks on refs that a killed process left: git's locks name no owner, and git doesn't wait for
them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ctxrepo.hooks.files.clock import age

STALE = 2.0
"""Seconds after which a lock on a ref counts as abandoned: updating a ref takes milliseconds.

Only a process that holds our own lock removes such locks, so it is never the lock of another process of ours.
"""


def clear_stale_locks(git_dir: Path, *names: str) -> None:
    """Remove the abandoned locks of these refs (`refs/heads/main`, `packed-refs`, `HEAD` …)."""
    for name in names:
        lock = git_dir / f"{name}.lock"
        with suppress(FileNotFoundError):
            if age(lock.stat().st_mtime) > STALE:
                lock.unlink()
