"""What hooks leave for the worker, a line for each event, and how they start it as a true daemon."""

import _signal
import _sqlite3
import fcntl
import os
import sys
import time

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.world import Repo, World
from ctxrepo.hooks.own_files import append, ensure_private_folder, line_json, open_own

MAX_BYTES = 4 * 1024 * 1024

_LONGEST_LINE = 64 * 1024
"""So much less than MAX_BYTES counts as full already, because the next line may not fit."""

MAX_LEFT = 2000
"""The most events that wait as files of their own."""


def spool(db: _sqlite3.Connection, repo: Repo, moment: str, event: Event, path: str = "") -> bool:
    """Append a line with the event's session, cwd, source, transcript and path, or with this memory file's
    `path`.

    With such a path, it returns when the line is on disk. Where others hold the spool's lock for too long, or
    it can't be written, the line goes to a file of its own; False when that can't be written either."""
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
    order. A full spool means that no worker has run for long: then only a `durable` line is left."""
    from ctxrepo.hooks.saves import put  # rare, and most hooks do without

    folder = f"{repo.state}/left"
    try:
        if not durable and _is_spool_full(repo):
            return False
        if not ensure_private_folder(folder) or len(os.listdir(folder)) >= MAX_LEFT:
            return False
        put(folder, f"{time.time_ns()}-{os.getpid()}", line.encode("utf-8", "replace"))
    except OSError:
        return False
    return True


def _is_spool_full(repo: Repo) -> bool:
    try:
        return os.stat(f"{repo.state}/spool.jsonl").st_size > MAX_BYTES - _LONGEST_LINE
    except OSError:
        return False


WORKER_MARK = "CTXREPO_HOOK"
"""Set in the environment of the worker, and so of all that it starts: a hook that finds it stays silent."""

LOCK = "work.lock"
"""In the state folder of a repository; held by the worker that commits."""

HELPER_LOCK = "warm.lock"
"""Beside it; held by the helper that knows meanings (faces/meaning_server.py)."""

_DEADLY = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)

_TEST_SECONDS = 0.1
"""Seconds within which a process that only tests a lock releases it: it holds it for microseconds."""

_LOCK_HANDLE = 3
"""The file descriptor at which the worker inherits the lock that was taken for it."""


def start_worker(interpreter: str, state: str, folder: str) -> bool:
    """Start `<interpreter> -I -m ctxrepo _work --state <state>`, unless a worker has the lock in `folder`.

    The caller has written down what there is to do. A worker that holds the lock will see it, because a
    worker looks for more after it has released the lock. The new worker inherits the lock from here, so of
    several hooks at once only one starts a worker. Returns whether a worker runs now; never raises. Where
    `interpreter` is gone, the one that runs this hook is used, and its worker records it."""
    return _start(interpreter, state, f"{folder}/{LOCK}", "_work")


def start_helper(interpreter: str, state: str, folder: str) -> bool:
    """The same for the helper that knows meanings."""
    return _start(interpreter, state, f"{folder}/{HELPER_LOCK}", "_warm")


def _start(interpreter: str, state: str, path: str, verb: str) -> bool:
    if interpreter and not os.access(interpreter, os.X_OK):
        interpreter = sys.executable
    if not interpreter:
        return False
    lock = -1
    # An agent that ends sends these to all its descendants; the worker is one until its parent is gone.
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, _DEADLY)
    try:
        lock = take(path)
        if lock >= 0:
            words = [interpreter, "-I", "-m", "ctxrepo", verb, "--state", state]
            _fork([*words, "--lock", str(_LOCK_HANDLE)], lock)
    except OSError:  # where not even a lock can be opened, no worker could do anything
        return False
    finally:
        if lock >= 0:
            os.close(lock)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
    return True


def take(path: str) -> int:
    """Take the lock at `path`; its handle, or -1 when it has a holder. OSError where it can't be opened."""
    lock = open_own(path, os.O_RDWR | os.O_CREAT)
    end = time.monotonic() + _TEST_SECONDS
    while not _try_lock(lock, fcntl.LOCK_EX):
        if not _try_lock(lock, fcntl.LOCK_SH) or time.monotonic() > end:
            os.close(lock)
            return -1
        fcntl.flock(lock, fcntl.LOCK_UN)  # the other process was only testing it
        time.sleep(0.001)
    return lock


def is_taken(path: str) -> bool:
    """Whether a process holds the lock at `path`. Testing it takes the lock as shared for a moment, so that
    two tests don't see each other. OSError where it can't be opened."""
    lock = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        return not _try_lock(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


def _try_lock(lock: int, how: int) -> bool:
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _fork(words: list[str], lock: int) -> None:
    """Have a child become the worker; returns once it has left our process group, which an agent may kill as
    soon as this hook has ended."""
    reading, writing = os.pipe()
    try:
        if os.fork() == 0:
            _become_daemon(words, lock, writing)
    finally:
        os.close(writing)
        os.read(reading, 1)  # nothing is written: this ends when the child closes its end of the pipe
        os.close(reading)


def _become_daemon(words: list[str], lock: int, writing: int) -> None:
    """In the child: leave session and process group, and become the worker, with the lock. Never returns. It
    is nobody's child once the hook has ended; a second fork, to be that sooner, takes as long as this one."""
    try:
        os.setsid()
        os.close(writing)  # our parent goes on
        # Signals that came until now are dropped, and the worker starts with them ignored.
        for number in _DEADLY:
            _signal.signal(number, _signal.SIG_IGN)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _DEADLY)
        os.chdir("/")
        os.dup2(lock, _LOCK_HANDLE)
        os.set_inheritable(_LOCK_HANDLE, True)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.closerange(_LOCK_HANDLE + 1, 256)
        program, *_ = words
        os.execve(program, words, {**os.environ, WORKER_MARK: "1"})
    finally:
        os._exit(0)
