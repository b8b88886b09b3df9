"""What commands are expected to do when a remote is away, refuses, or is back."""

from __future__ import annotations

import subprocess
import time

from machines import Machine

from ctxrepo.domain.git.remote import Outcome, meanings
from ctxrepo.storage.processes.lock import is_held


def failed(run: subprocess.CompletedProcess[str], outcome: Outcome, *words: str) -> None:
    """A command that could not reach the remote says one line with the next step, and ends with 5."""
    assert (run.returncode, run.stdout) == (5, ""), run
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("ctxrepo: not ")
    assert lines[0].endswith(meanings()[outcome].next_step), lines[0]
    for word in words:
        assert word in lines[0]


def agree(first: Machine, *others: Machine) -> None:
    """A sync of the first ends with 0; when the others have followed, all have one tree."""
    run = first.ctxrepo("sync")
    assert run.returncode == 0, run.stderr
    for machine in (*others, first):
        assert machine.sync().remote.ok
    assert len({machine.tree() for machine in (first, *others)}) == 1


def logged(machine: Machine, word: str) -> bool:
    """Wait until a worker that was woken has written `word` into its log, and is through."""
    state = machine.open().state
    end = time.monotonic() + 30
    locks = state.lock("work"), state.lock("post")
    while not (state.log.exists() and word in state.log.read_text()) or any(map(is_held, locks)):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True
