"""Streams that can't be written, or were closed: one line where somebody should know, and nothing lost."""

from __future__ import annotations

import subprocess
import sys

import pytest
from long import rotating
from machines import Machine

FULL = "ctxrepo: standard output can't be written: No space left on device\n"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.remember("The basket needs Postgres")
    return ada


def shell(machine: Machine, line: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell in which `c` is the command."""
    return subprocess.run(
        ["sh", "-c", f'c() {{ "{sys.executable}" -m ctxrepo "$@"; }}; {line}'],
        cwd=machine.project_folder,
        env=machine.env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", rotating(["list", "list --json", "read MEMORY.md", "--version", "search Postgres"])
)
def test_a_full_disk_behind_standard_output_is_told_in_one_line(mine: Machine, words: str) -> None:
    run = shell(mine, f"c {words} > /dev/full")
    assert (run.returncode, run.stderr) == (1, FULL)


def test_what_failed_has_its_own_exit_code_on_a_full_disk(mine: Machine) -> None:
    assert shell(mine, "c read NOPE --json > /dev/full").returncode == 3


def test_nobody_can_be_told_where_both_streams_are_full(mine: Machine) -> None:
    assert shell(mine, "c list > /dev/full 2>&1").returncode == 1


@pytest.mark.parametrize("closed", rotating([">&-", "2>&-", "<&-", "<&- >&- 2>&-"]))
def test_where_streams_are_closed_a_command_does_what_it_does(mine: Machine, closed: str) -> None:
    run = shell(mine, f'c remember "The till speaks German" {closed}')
    assert (run.returncode, run.stderr) == (0, "")
    assert "The till speaks German" in mine.read("shop/MEMORY.md")
    assert "remembered" not in mine.read("shop/MEMORY.md")


def test_a_reader_that_had_enough_is_no_fault(mine: Machine) -> None:
    run = shell(mine, "c read MEMORY.md | head -n 1")
    assert (run.returncode, run.stderr) == (0, "")
