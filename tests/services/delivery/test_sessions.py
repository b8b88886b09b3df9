"""Which session a command runs in, where its agent doesn't say so."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines import Machine
from processes import processes_of
from sessions import eventually

from ctxrepo.services.delivery.sessions import only_session_in

NOW = datetime.now(UTC)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def hook(machine: Machine, event: str, session: str, folder: Path) -> None:
    payload = {"session_id": session, "cwd": str(folder), "source": "startup", "reason": "exit"}
    machine.ctxrepo("hook", "gemini", event, stdin=json.dumps(payload))
    eventually(lambda: not processes_of(machine), 60)  # the worker notes that a session has ended


def found(machine: Machine, folder: Path, agent: str = "gemini", now: datetime = NOW) -> str:
    return only_session_in(machine.open(), agent, folder, now)


@pytest.mark.slow
def test_the_session_that_goes_on_in_the_folder_or_above_it_is_meant(mine: Machine) -> None:
    folder = mine.project_folder
    hook(mine, "SessionStart", "s-1", folder)
    assert found(mine, folder) == found(mine, folder / "src" / "pay") == "s-1"
    assert found(mine, folder.parent) == "", "a command above it isn't the session's"
    assert found(mine, folder, "codex") == ""


@pytest.mark.slow
def test_of_several_none_is_guessed(mine: Machine) -> None:
    folder = mine.project_folder
    for session in ("s-1", "s-2"):
        hook(mine, "SessionStart", session, folder)
    assert found(mine, folder) == ""
    hook(mine, "SessionEnd", "s-1", folder)
    assert found(mine, folder) == "s-2"


@pytest.mark.slow
def test_what_nothing_was_heard_of_for_an_hour_is_no_more_at_work(mine: Machine) -> None:
    folder = mine.project_folder
    hook(mine, "SessionStart", "killed", folder)
    (ledger,) = mine.places.sessions.glob("gemini-killed*")
    before = (NOW - timedelta(hours=2)).timestamp()
    os.utime(ledger, (before, before))
    assert found(mine, folder) == ""
    hook(mine, "SessionStart", "s-2", folder)
    assert found(mine, folder) == "s-2"
