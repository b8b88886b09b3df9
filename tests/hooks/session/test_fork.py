"""A fork of a session isn't given again what it holds, where anybody can tell what it was made of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from needs import needs_proc
from world import NOTES, World

from ctxrepo.agents.claude.dialect import DIALECT
from ctxrepo.hooks.session.ledger import read_ledger, switch_memory
from ctxrepo.hooks.session.ledger_file import ledger_path

FIRST, FORK = "11111111-aaaa-4bbb-8ccc-000000000001", "22222222-aaaa-4bbb-8ccc-000000000002"
ASKED = "which port is the staging database on?"

pytestmark = needs_proc

Started = Callable[..., str]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Starts a process with these words behind its name; its number."""
    with ExitStack() as stack:

        def start(*words: str) -> str:
            script = tmp_path / "claude.py"
            script.write_text("print(flush=True)\ninput()\n")
            waits = [sys.executable, str(script), *words]
            process = stack.enter_context(
                subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            assert process.stdout is not None
            process.stdout.readline()
            stack.callback(process.communicate, "\n")
            return str(process.pid)

        yield start


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A session that was given its packet and an entry."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    tell(world, "SessionStart", FIRST)
    assert "5433" in tell(world, "UserPromptSubmit", FIRST)
    return world


def tell(world: World, event: str, session: str, process: str = "", source: str = "startup") -> str:
    payload = {
        "session_id": session,
        "cwd": str(world.code),
        "transcript_path": f"{world.root}/chats/{session}.jsonl",
        "source": source,
        "prompt": ASKED,
    }
    return world.raw(json.dumps(payload).encode(), event, {"CLAUDE_PID": process}).decode()


def ledger(world: World, session: str) -> str:
    return ledger_path(str(world.state), "claude", session)


@pytest.mark.parametrize("words", [("--resume", FIRST), ("-r", FIRST), (f"--resume={FIRST}",)])
def test_it_holds_what_the_session_it_is_made_of_was_given(
    world: World, started: Started, words: tuple[str, ...]
) -> None:
    process = started("-p", ASKED, *words, "--fork-session")
    assert tell(world, "SessionStart", FORK, process, "fork") == ""
    assert tell(world, "UserPromptSubmit", FORK, process) == ""
    first, fork = (read_ledger(ledger(world, session), world.folder.name) for session in (FIRST, FORK))
    assert fork.entries == first.entries != {}


def test_of_the_last_conversation_it_is_the_one_written_last(world: World, started: Started) -> None:
    chats = world.root / "chats"
    chats.mkdir()
    for name, at in (("other", 1), (FIRST, 2)):
        (chats / f"{name}.jsonl").touch()
        os.utime(chats / f"{name}.jsonl", (at, at))
    process = started("-c", "--fork-session")
    tell(world, "SessionStart", FORK, process, "fork")
    assert tell(world, "UserPromptSubmit", FORK, process) == ""


def test_when_and_where_it_began_and_whether_it_is_silent_is_its_own(world: World, started: Started) -> None:
    switch_memory(ledger(world, FIRST), True)
    tell(world, "SessionStart", FORK, started("--resume", FIRST, "--fork-session"), "fork")
    text = Path(ledger(world, FORK)).read_text()
    assert text.count("began ") == text.count("cwd ") == 1
    assert "off" not in text.splitlines()


def test_where_nobody_can_tell_it_is_given_as_a_session_that_holds_nothing(
    world: World, started: Started
) -> None:
    for number, process in enumerate(
        (
            "",
            "no number",
            "999999999",
            started("--fork-session"),
            started("-c", "--fork-session"),
            started("--resume", FIRST, "--resume-session-at", "x", "--fork-session"),
        )
    ):
        fork = f"{FORK}-{number}"
        assert tell(world, "SessionStart", fork, process, "fork") == ""
        assert "5433" in tell(world, "UserPromptSubmit", fork, process)


def test_a_session_that_is_no_fork_takes_nothing_from_another(world: World, started: Started) -> None:
    process = started("--resume", FIRST)
    assert "MEMORY.md" in tell(world, "SessionStart", FORK, process)


def test_a_word_that_is_missing_is_none(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PID", started("--resume"))
    assert DIALECT.origin("") == ""
