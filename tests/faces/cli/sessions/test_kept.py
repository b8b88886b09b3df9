"""`ctxrepo sessions` as a person and a program see it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from machines import Machine
from transcripts import ClaudeTranscript, claude_says, place_recorded

from ctxrepo.storage.sessions.kept_file import damaged_files, kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSessions
from ctxrepo.storage.sessions.session_index import index_file


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    assert ada.ctxrepo("config", "set", "sessions.keep", "texts").returncode == 0
    return ada


def search(machine: Machine, word: str) -> int:
    return machine.ctxrepo("search", "--in", "sessions", word).returncode


def old(transcript: ClaudeTranscript) -> ClaudeTranscript:
    transcript.path.write_text(transcript.path.read_text().replace("2026-11-20", "2026-02-20"))
    return transcript


def test_what_is_forgotten_is_gone_and_not_copied_again(mine: Machine) -> None:
    first = claude_says(mine, "s-1", ["a first whinchat"])
    second = claude_says(mine, "s-2", ["a wheatear is no whinchat"])
    assert search(mine, "whinchat") == 0
    second.path.unlink()
    state = mine.open().state.root
    with KeptSessions.opened(kept_file(state)) as store:
        query = "select data from block b join session s on s.number = b.session where s.id = 's-2'"
        ((data,),) = store.db.execute(query).fetchall()
    assert any(data in path.read_bytes() for path in state.glob("kept.db*"))
    run = mine.ctxrepo("sessions", "forget", "s-1", "s-2", "--yes")
    outcome, still = run.stdout.splitlines()
    assert (run.returncode, outcome) == (0, "forgotten: what is kept of 2 sessions")
    assert still == "the agent still has the transcript of 1 session: searched as before, and not kept again"
    assert (search(mine, "first"), search(mine, "wheatear")) == (0, 3)
    assert b"wheatear" not in index_file(state).read_bytes()
    assert not any(data in path.read_bytes() for path in state.glob("kept.db*"))
    first.user("and another whinchat")
    assert search(mine, "another") == 0
    assert mine.json("sessions", "list")["data"]["sessions"] == []
    first.path.unlink()
    assert search(mine, "whinchat") == 3


def test_sessions_are_forgotten_by_agent_by_age_and_all(mine: Machine) -> None:
    transcript = old(claude_says(mine, "s-1", ["an old whimbrel"]))
    claude_says(mine, "s-2", ["a new whimbrel"])
    place_recorded(mine, "codex")
    assert search(mine, "whimbrel") == 0

    def listed(*words: str) -> list[str]:
        return [session["agent"] for session in mine.json("sessions", "list", *words)["data"]["sessions"]]

    assert sorted(listed()) == ["claude", "claude", "codex"]
    assert listed("--older-than", "2026-06-01") == ["claude"]
    assert mine.ctxrepo("sessions", "forget", "--older-than", "2026-06-01", "--yes").returncode == 0
    assert sorted(listed()) == ["claude", "codex"]
    assert mine.ctxrepo("sessions", "forget", "--agent", "codex", "--yes").returncode == 0
    assert listed() == ["claude"]
    state = mine.open().state.root
    (state / "kept.db.damaged-1").write_text("x")
    run = mine.ctxrepo("sessions", "forget", "--all", "--yes")
    assert run.stdout.startswith("forgotten: what is kept of 1 session, and 1 damaged store\n")
    assert (listed(), damaged_files(state)) == ([], [])
    transcript.path.unlink()
    assert search(mine, "whimbrel") == 0


def test_a_session_that_was_never_kept_can_be_kept_out(ada: Machine) -> None:
    ada.init()
    claude_says(ada, "s-1", ["a private stint"])
    assert search(ada, "stint") == 0
    assert ada.ctxrepo("sessions", "forget", "s-1", "--yes").returncode == 0
    ada.ctxrepo("config", "set", "sessions.keep", "whole")
    assert search(ada, "stint") == 0
    assert ada.json("sessions", "list")["data"]["sessions"] == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "no session is named"),
        ([""], 2, "the id of a session is empty"),
        (["s-"], 3, "Give at least 4 characters of an id"),
        (["nobody"], 3, "there is no session nobody"),
        (["--agent", "nobody"], 2, "no agent is called 'nobody'"),
        (["--agent", "pi"], 3, "nothing that is meant is kept of any session"),
        (["s-1"], 2, "there is no terminal to ask at"),
    ],
)
def test_what_is_not_meant_is_not_forgotten(words: list[str], code: int, message: str, mine: Machine) -> None:
    claude_says(mine, "s-1", ["a ruff"])
    claude_says(mine, "s-2", ["a second ruff"])
    search(mine, "ruff")
    run = mine.ctxrepo("sessions", "forget", *words)
    assert (run.returncode, message in run.stderr) == (code, True), run.stderr
    assert len(mine.json("sessions", "list")["data"]["sessions"]) == 2


@pytest.mark.parametrize("session", [{"CLAUDE_CODE_SESSION_ID": "s-1"}, {}])
def test_an_agent_forgets_nothing(mine: Machine, session: dict[str, str]) -> None:
    claude_says(mine, "s-1", ["a ruff"])
    search(mine, "ruff")
    agent = Machine(mine.home, {"CLAUDECODE": "1", **session})
    run = agent.ctxrepo("sessions", "forget", "--all", "--yes")
    assert (run.returncode, "an agent's session forgets nothing" in run.stderr) == (6, True)


def test_somebody_is_asked_at_a_terminal(mine: Machine) -> None:
    claude_says(mine, "s-1", ["a ruff"])
    search(mine, "ruff")
    for typed, outcome in ((b"n\n", "nothing was changed"), (b"y\n", "forgotten: what is kept of 1 session")):
        keyboard, terminal = pty.openpty()
        words = [sys.executable, "-m", "ctxrepo", "sessions", "forget", "--all"]
        os.write(keyboard, typed)
        run = subprocess.run(
            words, stdin=terminal, env=mine.env, cwd=mine.project_folder, capture_output=True, text=True
        )
        os.close(terminal)
        os.close(keyboard)
        assert (run.returncode, outcome in run.stdout) == (0, True)
        assert "Claude Code  s-1" in run.stderr
        assert "Take away what is kept of 1 session? Nothing brings it back." in run.stderr
