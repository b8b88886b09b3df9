"""What hooks leave for the worker, a line for each event, and how they wake it.

Lines are taken up to 4 MiB. Only where no worker has run for long is that reached. An event that can't be
appended becomes a file of its own in `left/`.
"""

import _sqlite3
import os
import time

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.files.logs import append, line_json
from ctxrepo.hooks.files.private import OPENING, ensure_private_folder
from ctxrepo.hooks.known.compiled import Repo, World

MAX_BYTES = 4 * 1024 * 1024

_LONGEST_LINE = 64 * 1024
"""So much less than MAX_BYTES counts as full already, because the next line may not fit."""

MAX_LEFT = 2000
"""The most events that wait as files of their own."""


def spool(db: _sqlite3.Connection, repo: Repo, moment: str, event: Event, path: str = "") -> bool:
    """Append a line with the event's session, cwd, source, transcript and path, or with this memory file's
    `path`.

    With such a path, it returns when the line is on disk. Where others hold the spool's lock for too long, or
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
        "path": path or event.path,
    }
    line = line_json(db, fields)
    if not ensure_private_folder(repo.state):
        return False
    return append(
        f"{repo.state}/spool.jsonl", line, MAX_BYTES, durable=bool(path), may_be_replaced=True
    ) or _leave(repo, line, bool(path))


def wake(world: World) -> bool:
    """Start the memory's worker, unless it is at work; whether one is now. It reads what was left for it."""
    return start_worker(world.interpreter, world.state, world.repo.state)


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


def _is_spool_full(repo: Repo) -> bool:
    try:
        return os.stat(f"{repo.state}/spool.jsonl").st_size > MAX_BYTES - _LONGEST_LINE
    except OSError:
        return False
