"""A subagent is told how to read, shown the index, and asked to leave writing to the one that started it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import PAYLOADS
from strict_parser import parse_all
from world import World

from ctxrepo.hooks.packet.lane import SUBAGENT
from ctxrepo.hooks.packet.presets import BUDGETS
from ctxrepo.hooks.session.ledger import read_ledger, switch_memory
from ctxrepo.hooks.session.ledger_file import ledger_path

SAID = json.loads((PAYLOADS / "SubagentStart.json").read_text())


def test_it_is_given_the_index_and_no_more(world: World) -> None:
    (block,) = parse_all(world.run("SubagentStart"))
    assert "Don't write to it" in block.preamble
    assert ("shop/topics/db.md", "The databases", "db", "", "") in block.index
    assert not block.bodies
    assert world.starts(0)
    assert world.spooled() == []
    assert world.errors() == ""


def test_it_is_given_the_rules_and_no_prompt_brings_them_again(world: World) -> None:
    world.cache(
        "c2", {"global/rules.md": "- never kubectl apply to kranich\n", "shop/a.md": "- kranich is prod\n"}
    )
    (block,) = parse_all(world.run("SubagentStart"))
    assert block.bodies == {"global/rules.md": "- never kubectl apply to kranich"}
    payload = json.loads((PAYLOADS / "UserPromptSubmit.json").read_text())
    payload |= {"cwd": str(world.code), "agent_id": SAID["agent_id"], "session_id": SAID["session_id"]}
    payload["prompt"] = "kubectl apply it to kranich, which is prod"
    answer = json.loads(world.raw(json.dumps(payload).encode(), "UserPromptSubmit"))
    (asked,) = parse_all(answer["hookSpecificOutput"]["additionalContext"])
    assert [entry.text for entry in asked.entries] == ["- kranich is prod"]


def test_beside_situation_reports_it_is_given_one_and_its_task_brings_up_no_more(world: World) -> None:
    world.compile(preset="scored")
    world.cache("c1", {"shop/topics/lessons.md": "- [lesson] tests need valkey on port 6390\n"})
    text = world.run("SubagentStart")
    (block,) = parse_all(text)
    assert "Don't write to it" in block.preamble
    assert "tests need valkey on port 6390" in text
    assert not block.index
    payload = json.loads((PAYLOADS / "UserPromptSubmit.json").read_text())
    payload |= {"cwd": str(world.code), "agent_id": SAID["agent_id"], "session_id": SAID["session_id"]}
    payload["prompt"] = "the tests need valkey, on which port?"
    assert world.raw(json.dumps(payload).encode(), "UserPromptSubmit") == b""


def test_a_large_memory_stays_within_its_budget(world: World) -> None:
    world.cache("c2", {f"shop/n{n}.md": f"---\ndescription: {'é' * 60}\n---\n" for n in range(400)})
    text = world.run("SubagentStart")
    (block,) = parse_all(text)
    assert BUDGETS[SUBAGENT] - 200 < len(text.encode()) <= BUDGETS[SUBAGENT]
    assert len(block.index) + block.more == 404 - 1


def test_its_ledger_is_its_own(world: World) -> None:
    world.run("SessionStart")
    path = ledger_path(str(world.state), "claude", SAID["session_id"])
    before = Path(path).read_text()
    world.run("SubagentStart")
    assert Path(path).read_text() == before
    own = ledger_path(str(world.state), "claude", SAID["session_id"], SAID["agent_id"])
    assert read_ledger(own, world.folder.name).generation == 1
    assert f"of {SAID['session_id']}\n" in Path(own).read_text()
    assert own != ledger_path(str(world.state), "claude", SAID["session_id"], "another")


def edits(world: World, sub: str) -> bytes:
    """What is answered to an edit of a file that a note is about; '' is the session itself."""
    payload = json.loads((PAYLOADS / "PostToolUse-edit.json").read_text())
    payload |= {"cwd": str(world.code), "agent_id": sub, "session_id": SAID["session_id"]}
    payload["tool_input"]["file_path"] = str(world.code / "retry_client.py")
    return world.raw(json.dumps(payload).encode(), "PostToolUse")


def test_each_is_told_once_what_memory_says_of_a_file_it_edits(world: World) -> None:
    world.cache("c2", {"shop/pay.md": "- retry_client.py must not be retried twice\n"})
    for sub in ("", "a1", "a2"):
        assert b"retried twice" in edits(world, sub)
        assert edits(world, sub) == b""
    switch_memory(ledger_path(str(world.state), "claude", SAID["session_id"]), True)
    assert edits(world, "a3") == b""


def test_faults_are_for_the_one_that_started_it(world: World) -> None:
    world.cache("c2", {}, faults=("a fault",))
    assert "fault" not in world.run("SubagentStart")
    payload = json.loads((PAYLOADS / "PostToolUse-read.json").read_text())
    payload |= {"cwd": str(world.code), "agent_id": SAID["agent_id"]}
    assert world.raw(json.dumps(payload).encode(), "PostToolUse") == b""
    assert (world.folder / "access.jsonl").read_text().count("\n") == 1
    assert "a fault" in world.run("PostToolUse-read", file=str(world.code / "x"))


@pytest.mark.parametrize(("mode", "has_index"), [("once", True), ("system", True), ("pull", False)])
def test_what_it_is_given_in_other_modes(world: World, mode: str, has_index: bool) -> None:
    world.compile(mode=mode)
    (block,) = parse_all(world.run("SubagentStart"))
    assert bool(block.index) == has_index
    assert "ctxrepo search" in block.preamble


def test_without_a_cache_there_is_silence(world: World) -> None:
    (world.folder / "cache.db").unlink()
    assert world.run("SubagentStart") == ""
    assert world.errors() == ""


def test_notes_that_sessions_touched_come_first(world: World) -> None:
    world.cache("c1", {"shop/a.md": "- x\n", "shop/b.md": "- y\n"})
    world.touched([], [("shop/b.md", "read 2026-11-24")])
    (block,) = parse_all(world.run("SubagentStart"))
    assert [(line.path, line.why) for line in block.index][:1] == [("shop/b.md", "read 2026-11-24")]
