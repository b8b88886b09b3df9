"""Starts the worker as a true daemon: agents end everything that a hook leaves in its session."""

import os
import sys

GUARD = "CTXREPO_HOOK"
"""Set in the worker's environment: a hook below it stays silent."""


def start_worker(settings: dict[str, str]) -> bool:
    """Start `<interpreter> -I -m ctxrepo _work --state <state>`; whether it could be tried. Never raises.

    Where that interpreter is gone the one that runs here is taken: its worker writes down the new one.
    """
    interpreter = settings.get("interpreter", "")
    if interpreter and not os.access(interpreter, os.X_OK):
        interpreter = sys.executable
    if not interpreter:
        return False
    words = [interpreter, "-I", "-m", "ctxrepo", "_work", "--state", settings["state"]]
    try:
        child = os.fork()
        if child == 0:
            _become(words)
        os.waitpid(child, 0)
    except OSError:
        return False
    return True


def _become(words: list[str]) -> None:
    """In the child: leave session and process group, then be the worker. Never returns."""
    try:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.closerange(3, 256)
            os.execve(words[0], words, {**os.environ, GUARD: "1"})
    finally:
        os._exit(0)
