"""Starts the worker as a true daemon, unless one is at work: agents end everything a hook leaves behind."""

import _signal
import fcntl
import os
import sys
import time

from ctxrepo.hooks.files.private import open_own

GUARD = "CTXREPO_HOOK"
"""Set in the worker's environment: a hook below it stays silent."""

LOCK = "work.lock"
"""In the state folder of a repository; held by the worker that commits."""

WARM_LOCK = "warm.lock"
"""Beside it; held by the helper that knows meanings."""

_DEADLY = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)

_LOOK = 0.1
"""Seconds in which who only looks at a lock has surely let go of it: it is had for microseconds."""

_HANDED = 3
"""The worker's file descriptor of the lock that was taken for it."""


def start_worker(interpreter: str, state: str, folder: str) -> bool:
    """Start `<interpreter> -I -m ctxrepo _work --state <state>`, unless a worker has the lock in `folder`.

    It is called when what there is to do has been written down; a worker looks for more once it has let go
    of its lock, so one that still holds it will see it. The new one is given the lock: of many that start one
    at once, one does. Returns whether somebody is at it now. Never raises.
    Where the interpreter is gone the one that runs here is taken: its worker writes down the new one.
    """
    return _start(interpreter, state, f"{folder}/{LOCK}", "_work")


def start_helper(interpreter: str, state: str, folder: str) -> bool:
    """The same for the helper that knows meanings."""
    return _start(interpreter, state, f"{folder}/{WARM_LOCK}", "_warm")


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
            child = os.fork()
            if child == 0:
                _become([*words, "--lock", str(_HANDED)], lock)
            os.waitpid(child, 0)
    except OSError:  # where not even a lock can be opened, no worker could do anything
        return False
    finally:
        if lock >= 0:
            os.close(lock)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
    return True


def take(path: str) -> int:
    """Take the lock at `path`; its handle, or -1 when it has a holder. OSError where none can be opened."""
    lock = open_own(path, os.O_RDWR | os.O_CREAT)
    end = time.monotonic() + _LOOK
    while not _has(lock, fcntl.LOCK_EX):
        if not _has(lock, fcntl.LOCK_SH) or time.monotonic() > end:
            os.close(lock)
            return -1
        fcntl.flock(lock, fcntl.LOCK_UN)  # somebody was only looking
        time.sleep(0.001)
    return lock


def is_taken(path: str) -> bool:
    """Whether the lock at `path` has a holder; who looks is none. OSError where it can't be opened."""
    lock = open_own(path, os.O_RDWR | os.O_CREAT)
    try:
        return not _has(lock, fcntl.LOCK_SH)
    finally:
        os.close(lock)


def _has(lock: int, how: int) -> bool:
    try:
        fcntl.flock(lock, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _become(words: list[str], lock: int) -> None:
    """In the child: leave session and process group, then be the worker, who has the lock. Never returns."""
    try:
        os.setsid()
        if os.fork() == 0:
            # What was sent to us until now is forgotten, and the worker starts deaf to it.
            for number in _DEADLY:
                _signal.signal(number, _signal.SIG_IGN)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _DEADLY)
            os.chdir("/")
            os.dup2(lock, _HANDED)
            os.set_inheritable(_HANDED, True)
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.closerange(_HANDED + 1, 256)
            program, *_ = words
            os.execve(program, words, {**os.environ, GUARD: "1"})
    finally:
        os._exit(0)
