"""A session for which memory is switched off, and what it goes on leaving."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import HOOK, World

from ctxrepo.hooks.session.ledger import add, clear, is_switched_off, read_ledger, switch_memory
from ctxrepo.hooks.session.ledger_file import MAX_BYTES, ledger_path
from ctxrepo.hooks.session.session import Session

ASKED = "which port is the staging database on?"
SESSION = "528a2201-99c9-4828-9c27-c6aefe2ed6df"


@pytest.fixture
def path(world: World) -> str:
    return ledger_path(str(world.state), "claude", SESSION)


@pytest.mark.parametrize("event", ["SessionStart", "SessionStart-compact", "SubagentStart"])
def test_no_start_gives_it_anything(world: World, path: str, event: str) -> None:
    switch_memory(path, True)
    world.cache("c2", {}, faults=("a fault",))
    assert world.run(event) == ""
    assert world.run("UserPromptSubmit", prompt=ASKED) == ""
    assert world.run("PostToolUse-read", file=str(world.code / "a.py")) == ""
    switch_memory(path, False)
    assert "5433" in world.run("UserPromptSubmit", prompt=ASKED)


def test_what_it_writes_is_kept_and_the_worker_is_woken(world: World, path: str) -> None:
    switch_memory(path, True)
    note = world.memory / "shop/MEMORY.md"
    note.parent.mkdir()
    note.write_text("one")
    world.run("SessionStart")
    assert world.run("PostToolUse-edit", file=str(note)) == ""
    world.run("Stop")
    assert [line["event"] for line in world.spooled()] == ["start", "stop"]
    assert [(save.path, save.after) for save in world.saved()] == [("shop/MEMORY.md", b"one")]
    assert world.is_worker_started()


def test_the_trace_says_why(world: World, path: str) -> None:
    switch_memory(path, True)
    world.run("UserPromptSubmit", prompt=ASKED)
    (line,) = (world.folder / "traces.jsonl").read_text().splitlines()
    assert "ctxrepo session on" in json.loads(line)["silence"]


def test_a_compaction_forgets_what_was_given_and_not_that(world: World, path: str) -> None:
    world.run("SessionStart")
    world.run("UserPromptSubmit", prompt=ASKED)
    first = Path(path).read_text().splitlines()[:2]
    assert first[0].startswith("began ")
    assert first[1] == f"cwd {world.code}"
    switch_memory(path, True)
    world.run("SessionStart-compact")
    assert is_switched_off(path)
    assert not read_ledger(path, world.folder.name).entries
    assert Path(path).read_text().splitlines()[:2] == first
    session = Session(str(world.state), world.folder.name, "claude", SESSION)
    session.begin("/elsewhere")
    session.save()
    assert "/elsewhere" not in Path(path).read_text()


def test_the_last_word_counts_and_a_word_in_another_line_does_not(path: str) -> None:
    assert not is_switched_off(path)
    add(path, ["asked on off", "cwd /off", "entry off on"])
    assert not is_switched_off(path)
    switch_memory(path, True)
    switch_memory(path, False)
    assert not is_switched_off(path)
    switch_memory(path, True)
    clear(path)
    clear(path)
    assert is_switched_off(path)


def test_a_full_ledger_forgets_entries_only(world: World, path: str) -> None:
    session = Session(str(world.state), world.folder.name, "claude", SESSION)
    session.begin("/code")
    session.save()
    switch_memory(path, True)
    for n in range(40):
        add(path, [f"entry e{n}x{i} {'h' * 16}" for i in range(400)])
    assert is_switched_off(path)
    text = Path(path).read_text()
    assert len(text) <= MAX_BYTES
    assert "cwd /code\n" in text


@given(st.lists(st.sampled_from(["off", "on", "clear", "entry a b", "asked off", "generation 3"])))
def test_only_these_two_words_change_it(tmp_path_factory: pytest.TempPathFactory, deeds: list[str]) -> None:
    path = str(tmp_path_factory.mktemp("state") / "sessions" / "claude-s")
    deed: dict[str, Callable[[], None]] = {
        "off": lambda: switch_memory(path, True),
        "on": lambda: switch_memory(path, False),
        "clear": lambda: clear(path),
    }
    expected = False
    for word in deeds:
        deed.get(word, lambda word=word: add(path, [word]))()
        expected = word == "off" or (expected and word != "on")
        assert is_switched_off(path) == expected


READS = """
import os, sys
sys.path.append({package!r})
seen = []
real = os.open
os.open = lambda path, flags, *more: seen.append((str(path), flags & 3)) or real(path, flags, *more)
from ctxrepo.faces.hook import main
main(["claude", {event!r}, {state!r}])
os.write(2, str(sum("/sessions/" in path and mode == os.O_RDONLY for path, mode in seen)).encode())
"""


@pytest.mark.parametrize(
    ("event", "fields", "times"),
    [
        ("UserPromptSubmit", {"prompt": ASKED}, 1),
        (
            "PostToolUse",
            {"tool_name": "Read", "tool_input": {"file_path": "/elsewhere"}},
            2,
        ),  # a fault is new
        ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "src/pay.py"}}, 1),
        ("SubagentStart", {"agent_id": "a1"}, 1),
        ("SessionStart", {"source": "startup"}, 2),  # once more for whether it says when it began
    ],
    ids=str,
)
def test_a_hook_reads_the_ledger_once(
    world: World, path: str, event: str, fields: dict[str, object], times: int
) -> None:
    is_edit = fields.get("tool_name") == "Edit"
    notes = {"shop/a.md": "- The staging database: ask before src/pay.py\n"}
    world.cache("c2", notes, faults=() if is_edit else ("a fault",))
    add(path, ["entry other hash"])
    code = READS.format(package=str(HOOK.parents[1]), event=event, state=str(world.state))
    payload = {"cwd": str(world.code), "session_id": SESSION, **fields}
    words = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(words, input=json.dumps(payload).encode(), capture_output=True, check=True)
    assert (done.stdout != b"", done.stderr.decode()) == (True, str(times))
    assert world.errors() == ""
