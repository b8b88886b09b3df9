"""`doctor --hooks`, as a person and a program see it."""

from __future__ import annotations

import os
import shutil

import pytest
from checkout import CLAUDE_RECORDS
from machines import Machine
from sessions import connected

SAVED = CLAUDE_RECORDS


@pytest.fixture(name="connected")
def _connected(ada: Machine) -> Machine:
    connected(ada)
    os.utime(ada.home / ".claude" / "settings.json", (0, 0))
    return ada


def played(machine: Machine, name: str) -> None:
    folder = machine.home / ".claude" / "projects" / "-home-ada-shop"
    folder.mkdir(parents=True)
    shutil.copy(SAVED / f"{name}.jsonl", folder)


def test_a_line_for_each_event_and_no_word_of_the_session(connected: Machine) -> None:
    played(connected, "compacted")
    run = connected.ctxrepo("doctor", "--hooks")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Claude Code, 1 session from 2026-11-20" in run.stdout
    assert "SessionStart       ran 2 times in" in run.stdout
    assert "gave 3 times: 3 in a request to the model" in run.stdout
    assert "SessionEnd         Claude Code records nothing about it" in run.stdout
    assert "redis" not in run.stdout


def test_what_failed_comes_with_what_helps(connected: Machine) -> None:
    played(connected, "gone")
    run = connected.ctxrepo("doctor", "--hooks")
    assert run.returncode == 1
    assert "python-gone: not found" in run.stdout
    assert "`ctxrepo setup claude` writes the hooks anew" in run.stdout


def test_programs_get_numbers(connected: Machine) -> None:
    played(connected, "compacted")
    answer = connected.json("doctor", "--hooks")
    (agent,) = answer["data"]["hooks"]
    stop = agent["events"]["Stop"]
    assert (stop["ran"], stop["failed"], stop["happened"]) == (4, 0, 4)
    assert stop["took_ms"]["least"] <= stop["took_ms"]["median"] <= stop["took_ms"]["most"]
    assert agent["events"]["UserPromptSubmit"]["given"] == {"sent": 3, "cut": 0, "lost": 0, "open": 0}
    assert answer["data"]["findings"] == []


def test_without_records_it_says_so(connected: Machine) -> None:
    run = connected.ctxrepo("doctor", "--hooks")
    assert run.returncode == 0
    assert "Claude Code recorded no session in" in run.stdout


def test_it_only_looks(connected: Machine) -> None:
    assert connected.ctxrepo("doctor", "--hooks", "--fix").returncode == 2
