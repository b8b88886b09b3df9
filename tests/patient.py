"""Commands in the process of the tests that have to end: one that hangs is interrupted, and a test fails."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from types import FrameType

from machines import Machine

PATIENT = 25
"""Seconds after which a command hangs: it never takes a quarter of that, unless it waits for something."""


def run_patiently(machine: Machine, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that ends; what it says is no accident's. No worker comes between."""

    rung: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        rung.append(number)
        raise AssertionError(f"{words} hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENT)
    try:
        run = Machine(machine.home, {**machine.more, "CTXREPO_HOOK": "1"}).ctxrepo(*words, cwd=folder)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert not rung, (words, "hangs", run.stderr)
    assert "Traceback" not in run.stderr, (words, run.stderr)
    assert "unexpected" not in run.stderr, (words, run.stderr)
    return run
