"""Locks between processes, and who holds one: flock, which dies with its holder, so that none is stale."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.hooks.own_files import open_own
from ctxrepo.hooks.wakeup import is_taken, take
from ctxrepo.storage.disk.private import make_folder, why_unwritable


def pause(least: float, most: float) -> None:
    """Sleep between `least` and `most` seconds."""
    # The module `random` takes long to load, and its state is the same in processes that one parent forked.
    fraction = int.from_bytes(os.urandom(4), "big") / 2**32
    time.sleep(least + (most - least) * fraction)


_LOCKS = Path("/proc/locks")

_WORKER = "_work"


def holder(*files: Path) -> str:
    """The process that has locked one of these files, in words: `the worker, process 4711`; '' for nobody."""
    inodes = set()
    for file in files:
        with suppress(OSError):
            status = file.stat()
            inodes.add((os.major(status.st_dev), os.minor(status.st_dev), status.st_ino))
    with suppress(OSError, ValueError, IndexError):
        for line in _LOCKS.read_text("ascii", "replace").splitlines():
            words = line.split()
            if words[1] == "->":  # one that waits
                continue
            major, minor, inode = words[5].split(":")
            pid = int(words[4])
            if (int(major, 16), int(minor, 16), int(inode)) in inodes and pid not in (os.getpid(), 0, -1):
                return f"{_named(pid)}process {pid}"
    return ""


def _named(pid: int) -> str:
    """What of ours the process is, '' for another program."""
    with suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
        if _WORKER in words:
            return "the worker, "
        for number, word in enumerate(words):
            if word.rpartition("/")[2] == "ctxrepo" and words[number + 1 : number + 2]:
                return f"`ctxrepo {words[number + 1]}`, "
    return ""


def locked(path: Path, timeout: float) -> AbstractContextManager[None]:
    """Hold `path` exclusively, waiting at most `timeout` seconds; Busy after that."""
    make_folder(path.parent)
    return _held(open_own(str(path), os.O_RDWR | os.O_CREAT), path, timeout)


def locked_folder(folder: Path, timeout: float) -> AbstractContextManager[None]:
    """Hold a folder that is there, as `locked` does; as no file is made, it needs no room on the disk."""
    return _held(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), folder, timeout)


def is_held(path: Path) -> bool:
    """Whether another process holds `path` now; where none can be written nobody does, as far as we see."""
    if why_unwritable(path.parent):
        return False
    make_folder(path.parent)
    return is_taken(str(path))


class TryLock:
    """A lock that a process takes only when it is free, as often as it likes, without waiting. Write down
    what there is to do before you try: who holds it looks for work once more after releasing it."""

    def __init__(self, path: Path, handle: int = -1) -> None:
        """`handle` is the open lock file if this process holds the lock already."""
        self._path = path
        self._handle = handle

    def acquire(self) -> bool:
        """Whether this process holds the lock now."""
        if self._handle < 0:
            self._handle = take(str(self._path))
        return self._handle >= 0

    def release(self) -> None:
        if self._handle >= 0:
            fcntl.flock(self._handle, fcntl.LOCK_UN)  # also for a child that is just being started
            os.close(self._handle)
            self._handle = -1


@contextmanager
def _held(handle: int, path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock of an open file or folder, which is closed in the end."""
    end, wait = time.monotonic() + timeout, 0.002
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= end:
                    who = holder(path)
                    raise Busy(
                        f"{who or 'another ctxrepo process'} has held {path.name} for {timeout:.0f} s",
                        "Nothing is lost; run the command again in a moment.",
                    ) from None
            except OSError as error:
                place = f"the disk of {path.parent} keeps no locks: {error.strerror}"
                raise CtxrepoError(place, "Set CTXREPO_STATE to a folder on a local disk.") from error
            pause(0.5 * wait, 1.5 * wait)
            wait = min(wait * 1.5, 0.1)
        yield
    finally:
        os.close(handle)
