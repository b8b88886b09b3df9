"""Who holds a lock is named, where the system tells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from needs import needs_proc

from ctxrepo.storage.processes.lock import holder, locked

pytestmark = needs_proc

HOLD = "import fcntl, sys; f = open(sys.argv[-1], 'w'); fcntl.flock(f, 2); print('held', flush=True); input()"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "process {}"),
        (["_work"], "the worker, process {}"),
        (["ctxrepo", "sync"], "`ctxrepo sync`, process {}"),
    ],
)
def test_another_process_is_named_by_what_it_does(tmp_path: Path, words: list[str], named: str) -> None:
    file = tmp_path / "a.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, *words, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        assert holder(tmp_path / "none", file) == named.format(process.pid)
        process.communicate("\n")
    assert holder(file) == ""


def test_we_are_nobody_else(tmp_path: Path) -> None:
    with locked(tmp_path / "a.lock", 1):
        assert holder(tmp_path / "a.lock") == ""
