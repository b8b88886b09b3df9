"""Processes that are made by fork, so that a killed one is replaced in a millisecond, and killed at will."""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    """A forked child that leads a process group of its own; `kind` is what it does, in a word."""

    pid: int
    kind: str
    machine: str

    def ended(self) -> int | None:
        """How it ended, below 0 by a signal; None while it runs. After it ended nobody may ask again."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def kill(self, whole_group: bool) -> None:
        """SIGKILL it, with or without what it started."""
        with suppress(ProcessLookupError):
            if whole_group:
                os.killpg(os.getpgid(self.pid), signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)


def fork(kind: str, machine: str, job: Callable[[], None], log: Path) -> Process:
    """Start `job`; what it raises becomes a traceback in `log`, and it never returns into the caller."""
    pid = os.fork()
    if pid:
        with suppress(OSError):
            os.setpgid(pid, pid)
        return Process(pid, kind, machine)
    code = 1
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        job()
        code = 0
    except BaseException:
        with log.open("a") as file:
            file.write(f"{kind} of {machine}:\n{traceback.format_exc()}\n")
    finally:
        os._exit(code)
