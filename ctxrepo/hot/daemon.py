"""Starts the worker as a true daemon, unless one is at work: agents end everything a hook leaves behind."""

import _signal
import fcntl
import os
import time

GUARD = "CTXREPO_HOOK"
"""Set in the worker's environment: a hook below it stays silent."""

LOCK = "work.lock"
"""In the state folder of a repository; held by the worker that commits."""

_DEADLY = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)

_LOOK = 0.1
"""Seconds in which a lock is surely seen to be free: who only tests it holds it for microseconds."""


def start_worker(settings: dict[str, str]) -> bool:
    """Start `<interpreter> -I -m ctxrepo _work --state <state>`, unless a worker has the lock in `folder`.

    It is called when what there is to do has been written down; a worker looks for more once it has let go
    of its lock, so one that still holds it will see it. Returns whether somebody is at it now. Never raises.
    """
    interpreter = settings.get("interpreter", "")
    if interpreter and not os.access(interpreter, os.X_OK):
        interpreter = sys.executable
    if not interpreter:
        return False
    before = be_deaf()
    try:
        if is_taken(f"{settings['folder']}/{LOCK}"):
            return True
        if not interpreter or not os.access(interpreter, os.X_OK):
            return False
        child = os.fork()
        if child == 0:
            _become([interpreter, "-I", "-m", "ctxrepo", "_work", "--state", settings["state"]])
        os.waitpid(child, 0)
    except OSError:  # where not even a lock can be opened, no worker could do anything
        return False
    finally:
        hear_again(before)
    return True


def be_deaf() -> set[int]:
    """Put off the signals that an agent which ends sends to all that descends from it, as the worker does
    until its parent is gone; what to give to `hear_again`."""
    return set(_signal.pthread_sigmask(_signal.SIG_BLOCK, _DEADLY))


def hear_again(before: set[int]) -> None:
    _signal.pthread_sigmask(_signal.SIG_SETMASK, before)


def is_taken(path: str) -> bool:
    """Whether a process holds the lock at `path`; OSError where none can be opened."""
    lock = _open(path)
    try:
        # Shared, so that two who test it at once don't take each other for a holder.
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def take(path: str) -> int:
    """Take the lock at `path`; its handle, or -1 when another process holds it. OSError as above."""
    lock = _open(path)
    end = time.monotonic() + _LOOK
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > end:
                os.close(lock)
                return -1
        time.sleep(0.002)


def _open(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _become(words: list[str]) -> None:
    """In the child: leave session and process group, then be the worker. Never returns."""
    try:
        os.setsid()
        if os.fork() == 0:
            # What was sent to us until now is forgotten, and the worker starts deaf to it.
            for number in _DEADLY:
                _signal.signal(number, _signal.SIG_IGN)
            _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _DEADLY)
            os.chdir("/")
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.closerange(3, 256)
            os.execve(words[0], words, {**os.environ, GUARD: "1"})
    finally:
        os._exit(0)
