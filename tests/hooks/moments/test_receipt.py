"""What a user is shown of what a session was given: one line at its start, and the model none."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from machines import Machine, make_machine
from sessions import Session, connected

SHOWN = "ctxrepo: this session knows 2 notes in shop/ and 1 note in global/"


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    machine = connected(make_machine(tmp_path, "ada"))
    machine.write("shop/MEMORY.md", "- Port 700 is the wiki's\n")
    machine.write("shop/topics/pay.md", "- The river service listens on port 602\n")
    machine.sync()
    machine.ctxrepo("list")
    return machine


def answer(machine: Machine, payload: str = "", **fields: str) -> tuple[str, str]:
    """(what the user is shown, what the model is given) by the hook of a start."""
    session = Session(machine, fields.pop("session", "s-1"))
    with session.start("SessionStart") as process:
        out, _ = process.communicate(session.said("SessionStart", payload, **fields))
    document = json.loads(out) if out else {}
    return document.get("systemMessage", ""), document.get("hookSpecificOutput", {}).get(
        "additionalContext", ""
    )


def test_the_user_is_shown_what_the_session_was_given_and_the_model_is_not(ada: Machine) -> None:
    shown, given = answer(ada)
    assert shown == SHOWN
    assert "Port 700" in given
    assert "this session knows" not in given


@pytest.mark.slow
@pytest.mark.parametrize(
    ("minutes", "words"), [(0, "just now"), (5, "5 min ago"), (125, "2 h ago"), (3000, "2 d ago")]
)
def test_it_says_from_when_that_is(ada: Machine, minutes: int, words: str) -> None:
    fetched = ada.open().state.fetched
    fetched.touch()
    os.utime(fetched, (time.time() - 60 * minutes - 1,) * 2)
    assert answer(ada)[0] == f"{SHOWN}; last exchange with the remote {words}"


@pytest.mark.slow
def test_not_when_nothing_is_given(ada: Machine) -> None:
    assert answer(ada)[0]
    assert answer(ada, source="resume") == ("", "")
    shown, given = answer(ada, "SessionStart-compact")
    assert (shown, "Port 700" in given) == ("", True)


@pytest.mark.slow
def test_off_by_a_setting(ada: Machine) -> None:
    ada.ctxrepo("config", "set", "delivery.receipt", "false")
    shown, given = answer(ada)
    assert (shown, "Port 700" in given) == ("", True)


@pytest.mark.parametrize("mode", ["pull", "file", "system"])
def test_not_where_no_packet_is_given(ada: Machine, mode: str) -> None:
    ada.ctxrepo("config", "set", "delivery.mode", mode)
    assert answer(ada)[0] == ""
