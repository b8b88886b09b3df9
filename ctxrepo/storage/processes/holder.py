"""Who holds a lock: what Linux tells of it. Elsewhere nobody is named."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LOCKS = Path("/proc/locks")

_WORKER = "_work"


def holder(*files: Path) -> str:
    """The process that has locked one of these files, in words: `the worker, process 4711`; '' for nobody."""
    wanted = set()
    for file in files:
        with suppress(OSError):
            status = file.stat()
            wanted.add((os.major(status.st_dev), os.minor(status.st_dev), status.st_ino))
    with suppress(OSError, ValueError, IndexError):
        for line in _LOCKS.read_text("ascii", "replace").splitlines():
            words = line.split()
            if words[1] == "->":  # one that waits
                continue
            major, minor, inode = words[5].split(":")
            pid = int(words[4])
            if (int(major, 16), int(minor, 16), int(inode)) in wanted and pid not in (os.getpid(), 0, -1):
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
