"""git's own lock on `git gc`, held while objects are made that no ref leads to yet.

`git gc --prune=now` deletes such objects. While a `git gc` runs we wait for it, for `GC_WAIT` seconds at
most. While we hold the lock, a new `git gc` gives up."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.clone.reffiles import RefFiles
from ctxrepo.storage.processes.lock import pause

GC_WAIT = 5.0
"""Seconds to wait for a `git gc` that is under way. A longer one is not waited for: what it may delete of
ours is stored again by `services/rescue/repair`."""

_ABANDONED = 12 * 3600.0
"""Seconds after which git itself takes the lock for abandoned."""

_HALF_MADE = 1.0
"""The same for a lock that names no process: whoever made it was ended before it was written."""

_LONGEST = 4096
"""Bytes of a lock; what has more is none."""


@contextmanager
def no_gc(git_dir: Path) -> Iterator[bool]:
    """Keep `git gc` of this clone from beginning, and say whether none goes on; inside another a no-op."""
    lock = git_dir / "gc.pid"
    is_ours = _names_us(lock)
    is_outermost = not is_ours and _take(lock)
    try:
        yield is_ours or is_outermost
    finally:
        if is_outermost and _names_us(lock):
            lock.unlink(missing_ok=True)


def _take(lock: Path) -> bool:
    """Take the lock; False when a gc goes on for too long, or the disk takes no file."""
    end = time.monotonic() + GC_WAIT
    while time.monotonic() < end:
        try:
            _remove_abandoned(lock)
            if _create(lock):
                # A git that looked for `gc.pid` before ours was there puts its own in its place.
                while os.path.lexists(f"{lock}.lock") and time.monotonic() < end:
                    pause(0.001, 0.01)
                if _names_us(lock):
                    return True
        except OSError:
            return False
        pause(0.001, 0.005)
    return False


def _create(lock: Path) -> bool:
    """False when there is one already."""
    try:
        handle = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    try:
        os.write(handle, _mine())
    except OSError:
        lock.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    return True


def _remove_abandoned(lock: Path) -> None:
    """Remove the lock of a process that is gone, recognised as git does it; a pipe names no process."""
    with suppress(FileNotFoundError, ValueError):
        text = bytes_of(str(lock), _LONGEST) or b""
        pid, _, host = text.decode("utf-8", "replace").partition(" ")
        names_one = pid.isdecimal() and bool(host.strip())
        is_old = time.time() - lock.lstat().st_mtime > (_ABANDONED if names_one else _HALF_MADE)
        if is_old or (host.strip() == os.uname().nodename and names_one and not _is_alive(int(pid))):
            lock.unlink()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _names_us(lock: Path) -> bool:
    return bytes_of(str(lock), _LONGEST) == _mine()


def _mine() -> bytes:
    return f"{os.getpid()} {os.uname().nodename}".encode()


OLD = 60.0
"""Seconds after which a lock counts as left by a killed git; a commit in an editor holds one the longest."""


def old_locks(clone: Clone) -> list[Path]:
    """The locks that probably no git holds any more, sorted."""
    return sorted(path for path, age in RefFiles(clone.git_dir).locks() if age > OLD)
