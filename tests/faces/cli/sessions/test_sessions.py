"""session off, on, show: which session is meant, and what becomes of it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping

import pytest
from machines import Machine
from terminal import Terminal

FIRST, SECOND = "528a2201-99c9-4828-9c27-c6aefe2ed6df", "528a7777-0000-4828-9c27-c6aefe2ed6df"


def hook(machine: Machine, event: str, session: str, cwd: str = "", **fields: str) -> str:
    payload = {"session_id": session, "cwd": cwd or str(machine.project_folder), **fields}
    run = machine.ctxrepo("hook", "claude", event, stdin=json.dumps(payload))
    assert (run.returncode, run.stderr) == (0, "")
    answer: Mapping[str, Mapping[str, str]] = json.loads(run.stdout) if run.stdout else {}
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.fixture
def talk(cli: Terminal) -> Terminal:
    cli("remember", "redis listens on port 6380", "-c", "gotcha")
    cli("sync")
    hook(cli.machine, "SessionStart", FIRST, source="startup")
    return cli


def ask(cli: Terminal, session: str = FIRST) -> str:
    return hook(cli.machine, "UserPromptSubmit", session, prompt="which port does redis listen on?")


@pytest.mark.slow
def test_off_is_off_until_on(talk: Terminal) -> None:
    answer = talk("session", "off")
    assert (answer.code, answer.out) == (0, "claude 528a2201 gets no more memory\n")
    assert ask(talk) == ""
    assert hook(talk.machine, "SessionStart", FIRST, source="compact") == ""
    assert talk("session", "on", "--session", "528a2201").code == 0
    assert "6380" in ask(talk)


@pytest.mark.slow
def test_show_tells_of_each(talk: Terminal) -> None:
    assert "6380" in ask(talk)
    talk("session", "off")
    line = talk("session").out
    assert line.startswith("claude 528a2201  off  since 20")
    _, given, folder = line.rstrip("\n").partition("1 entry  ")
    assert given  # a folder is told as far as the line goes
    assert str(talk.machine.project_folder).startswith(folder.removesuffix("…"))
    (session,) = talk("session", "show", "--json").data["sessions"]
    assert (session["session"], session["off"], session["given"]) == (FIRST, True, 1)
    assert session["cwd"] == str(talk.machine.project_folder)


@pytest.mark.slow
def test_the_session_a_command_runs_in_comes_first(talk: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    hook(talk.machine, "SessionStart", SECOND, source="startup")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", FIRST)
    assert talk("session", "off", "--json").data["session"] == FIRST
    assert ask(talk) == ""
    assert "6380" in ask(talk, SECOND)


def test_one_that_nothing_is_known_of_yet_can_be_silenced(
    cli: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SECOND)
    assert cli("session", "off").code == 0
    assert hook(cli.machine, "SessionStart", SECOND, source="startup") == ""


@pytest.mark.slow
def test_without_an_id_it_is_the_newest_in_this_project(talk: Terminal) -> None:
    hook(talk.machine, "SessionStart", SECOND, cwd=str(talk.machine.home), source="startup")
    (newer,) = talk.machine.open().places.sessions.glob(f"claude-{SECOND}")
    os.utime(newer, (time.time() + 9, time.time() + 9))
    assert talk("session", "off", "--json").data["session"] == FIRST


def test_where_none_is_meant_it_says_so(cli: Terminal) -> None:
    answer = cli("session", "off")
    assert answer.code == 3
    assert answer.is_one_line()
    assert "--session" in answer.err
    assert cli("session").out == "no agent had a session in the last day\n"


@pytest.mark.slow
def test_an_id_that_fits_none_or_several(talk: Terminal) -> None:
    hook(talk.machine, "SessionStart", SECOND, source="startup")
    answer = talk("session", "off", "--session", "528a")
    assert (answer.code, "528a begins 2 ids" in answer.err) == (2, True)
    answer = talk("session", "off", "--session", "9999")
    assert (answer.code, "no session 9999" in answer.err) == (3, True)


@pytest.mark.slow
def test_a_subagent_is_silent_with_the_session_and_not_listed(talk: Terminal) -> None:
    assert "search" in hook(talk.machine, "SubagentStart", FIRST, agent_id="a1")
    assert len(talk("session", "--json").data["sessions"]) == 1
    talk("session", "off")
    assert hook(talk.machine, "SubagentStart", FIRST, agent_id="a2") == ""
