"""What hooks leave for the worker: a line an event, and the bytes of memory files as agents wrote them.

Bounded: a spool of 4 MiB, which a worker that runs never lets happen, takes no more lines and no versions.
"""

import _sqlite3
import os
import time

from ctxrepo.hot.logs import append
from ctxrepo.hot.private import OPENING, make
from ctxrepo.hot.reply import line_json
from ctxrepo.hot.small import bytes_of

MAX_BYTES = 4 * 1024 * 1024
MAX_VERSION = 1024 * 1024

MAX_VERSIONS = 500
"""Versions that wait for the worker; beyond that only the file itself holds what was written."""


def spool(
    db: _sqlite3.Connection, folder: str, event: str, agent: str, said: dict[str, str], durable: bool = False
) -> bool:
    """Append the event with what `said` tells of session, cwd, source, transcript, path and version.

    `durable`: not before the disk has it.
    """
    names = ("session", "cwd", "source", "transcript", "path", "version", "base")
    fields = {name: said.get(name, "") for name in names}
    line = line_json(db, {"at": time.time(), "event": event, "agent": agent, **fields})
    return make(folder) and append(f"{folder}/spool.jsonl", line, MAX_BYTES, durable)


def written(path: str, wrote: str = "") -> bytes | None:
    """What the agent `wrote`, or the file at `path` as it is now.

    What was written is told rather than read where it can be: by now another editor may have replaced it.
    Only a regular file of at most 1 MiB is read, and never through a link.
    """
    data = wrote.encode("utf-8", "replace") if wrote else bytes_of(path, MAX_VERSION)
    return None if data is None or len(data) > MAX_VERSION else data


def keep_version(folder: str, data: bytes | None) -> str:
    """Keep what was `written` in `versions/`; its name there, or ''."""
    if data is None or _is_full(folder):
        return ""
    name = f"{time.time_ns()}-{os.getpid()}"
    if not make(f"{folder}/versions"):
        return ""
    try:
        _put(f"{folder}/versions/{name}", data)
    except OSError:  # what was written is in the file, and the worker is told of it
        return ""
    return name


def _put(path: str, data: bytes) -> None:
    """Make a file of these bytes, or none."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPENING, 0o600)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(file, view) :]
        os.fsync(file)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(file)


def _is_full(folder: str) -> bool:
    try:
        if len(os.listdir(f"{folder}/versions")) >= MAX_VERSIONS:
            return True
    except OSError:
        pass  # the first one makes the folder
    try:
        return os.stat(f"{folder}/spool.jsonl").st_size > MAX_BYTES - 64 * 1024
    except OSError:
        return False
