"""Tests that wait until nobody is at work for a machine wait for all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from long import mostly_long
from machines import make_machine
from needs import needs_proc
from processes import processes_of

BECOMES_ITSELF = """
import os, sys
left = int(os.environ["LEFT"])
if left:
    os.execve(sys.executable, sys.orig_argv, {**os.environ, "LEFT": str(left - 1)})
sys.stdin.read()
"""


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("times", mostly_long([30, 100], keep=1))
def test_a_process_is_seen_while_it_becomes_another_program(tmp_path: Path, times: int) -> None:
    machine = make_machine(tmp_path, "ada")
    words = [sys.executable, "-ISc", BECOMES_ITSELF]
    env = {**os.environ, "HOME": str(machine.home), "LEFT": str(times)}
    with subprocess.Popen(words, env=env, stdin=subprocess.PIPE) as process:
        assert process.stdin
        seen = [process.pid in processes_of(machine) for _ in range(times)]
        process.stdin.close()
    assert all(seen)
    assert processes_of(machine) == {}
