"""What hooks leave for the worker: a line for each event, and the bytes of memory files as agents wrote them.

Lines are taken up to 4 MiB, versions up to 2,000 files of 1 MiB, and no version once the lines are full. Only
where no worker has run for long is that reached. An event that can't be appended becomes a file of its own in
`left/`.
"""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.logs import append, line_json
from ctxrepo.hooks.files.private import OPENING, ensure_private_folder
from ctxrepo.hooks.files.small_files import bytes_of
from ctxrepo.hooks.known.compiled import Repo

MAX_BYTES = 4 * 1024 * 1024
MAX_VERSION = 1024 * 1024

_RESERVE = 64 * 1024
"""Room for one more line: a spool counts as full before a line fails."""

MAX_VERSIONS = 2000
"""The most versions that wait for the worker. What an agent writes beyond them is in its file only, and the
session is told so."""

_LONGEST_LINE = 64 * 1024
"""So much less than MAX_BYTES counts as full already, because the next line may not fit."""

MAX_LEFT = 2000
"""The most events that wait as files of their own."""


class KeptVersion:
    """A memory file as an agent wrote it: its path in the repository, the tree that it was made from, and the
    name of its bytes in `versions/`, '' where they could not be kept."""

    __slots__ = ("base", "name", "path")

    def __init__(self, path: str, base: str, name: str) -> None:
        self.path = path
        self.base = base
        self.name = name


def spool(
    db: _sqlite3.Connection, repo: Repo, moment: str, event: Event, kept: KeptVersion | None = None
) -> bool:
    """Append a line with the event's session, cwd, source, transcript and path, or with the version `kept`.

    With a version, it returns when the line is on disk. Where others hold the spool's lock for too long, or
    it can't be written, the line goes to a file of its own; False when that can't be written either.
    """
    fields: dict[str, object] = {
        "at": time.time(),
        "event": moment,
        "agent": event.agent,
        "session": event.session,
        "cwd": event.cwd,
        "source": event.source,
        "transcript": event.transcript,
        "path": kept.path if kept else event.path,
        "version": kept.name if kept else "",
        "base": kept.base if kept else "",
    }
    line = line_json(db, fields)
    durable = kept is not None
    if not ensure_private_folder(repo.state):
        return False
    return append(f"{repo.state}/spool.jsonl", line, MAX_BYTES, durable, may_be_replaced=True) or _leave(
        repo, line, durable
    )


def _leave(repo: Repo, line: str, durable: bool) -> bool:
    """Put the line into a file of its own, which appears whole or not at all; the files' names tell their
    order.

    A full spool means that no worker has run for long: then only a `durable` line is left.
    """
    left = f"{repo.state}/left"
    name = f"{time.time_ns()}-{os.getpid()}"
    try:
        if not durable and _is_spool_full(repo):
            return False
        if not ensure_private_folder(left) or len(os.listdir(left)) >= MAX_LEFT:
            return False
        _put(f"{left}/.{name}", line.encode("utf-8", "replace"))
        os.rename(f"{left}/.{name}", f"{left}/{name}")
        handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | OPENING)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        return False
    return True


def written_bytes(path: str, wrote: str = "") -> bytes | None:
    """What the agent says that it `wrote`, or else the file at `path` as it is now; None where there is
    neither.

    The agent's word comes first, because by now another editor may have replaced the file. Only a regular
    file of at most 1 MiB is read, and never through a link.
    """
    data = wrote.encode("utf-8", "replace") if wrote else bytes_of(path, MAX_VERSION)
    return None if data is None or len(data) > MAX_VERSION else data


def why_not_kept(repo: Repo, path: str, wrote: str, data: bytes | None) -> str:
    """Why no version of the file at `path` was kept, as the end of a sentence; '' if there was nothing to
    keep."""
    if data is not None:
        if _is_full(repo):
            return f"{MAX_VERSIONS} versions wait for a commit already, or {MAX_BYTES >> 20} MiB of events"
        return "the disk may be full or read-only"
    try:
        size = os.lstat(path).st_size
    except OSError:
        size = 0  # it has gone again
    is_large = max(size, len(wrote)) > MAX_VERSION
    return f"it is larger than {MAX_VERSION >> 20} MiB" if is_large else ""


def keep_version(repo: Repo, data: bytes | None) -> str:
    """Put the bytes into a file in `versions/`; its name, or '' where that can't be."""
    if data is None or _is_full(repo):
        return ""
    name = f"{time.time_ns()}-{os.getpid()}"
    if not ensure_private_folder(f"{repo.state}/versions"):
        return ""
    try:
        _put(f"{repo.state}/versions/{name}", data)
    except OSError:  # the agent's file still holds the bytes, and the worker is told of it
        return ""
    return name


def _put(path: str, data: bytes) -> None:
    """Make a file with these bytes and have it on disk; where that fails, no file is left."""
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


def _is_full(repo: Repo) -> bool:
    try:
        if len(os.listdir(f"{repo.state}/versions")) >= MAX_VERSIONS:
            return True
    except OSError:
        pass  # the first one makes the folder
    return _is_spool_full(repo)


def _is_spool_full(repo: Repo) -> bool:
    try:
        return os.stat(f"{repo.state}/spool.jsonl").st_size > MAX_BYTES - _LONGEST_LINE
    except OSError:
        return False
