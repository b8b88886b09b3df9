"""What is wrong with the head of a note is told to the session that wrote it by the answer to its write."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from checkout import PAYLOADS
from world import World

from ctxrepo.hooks.saves import may_be_flawed
from ctxrepo.storage.cache.cache import Cache, put_round

BROKEN = "---\ndescription: [never closed\n---\n\n- a fact\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def writes(world: World, text: str) -> str:
    """The session writes the note with this text, and the worker has seen to it at once."""
    note = world.memory / "shop/topics/x.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(text)
    world.cache("c1", {"shop/topics/x.md": text})
    cache = Cache.open(world.folder / "cache.db")
    cache.change(put_round, time.time() + 60)
    cache.close()
    payload = json.loads((PAYLOADS / "PostToolUse-edit.json").read_text())
    payload |= {
        "tool_name": "Write",
        "tool_input": {"file_path": str(note), "content": text},
        "cwd": str(world.code),
    }
    out = world.raw(json.dumps(payload).encode(), "PostToolUse")
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def test_a_broken_head_is_told_at_the_write_and_once(world: World) -> None:
    answer = writes(world, BROKEN)
    assert "shop/topics/x.md, which this session wrote:" in answer
    assert "which this session wrote" not in world.run("UserPromptSubmit", prompt="go on with the work")
    assert writes(world, BROKEN) == ""
    assert writes(world, "---\ndescription: closed\n---\n\n- a fact\n") == ""
    assert "is opened on line 1" in writes(world, "---\ndescription: open\n\n- a fact\n")


@pytest.mark.parametrize(
    "head",
    [
        "description: [never closed",
        "description: a: b",
        "tags: [a, b",
        "created: soon",
        "tags: [a]\ntags: [b]",
        "\tdescription: x",
        "description: 'x",
        "- x",
        "description: @x",
        'description: "x',
        'description: "',
    ],
)
def test_a_head_that_may_be_flawed_is_looked_at(head: str) -> None:
    assert may_be_flawed("a.md", f"---\n{head}\n---\n\n- a\n".encode())


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "- a fact\n"),
        ("a.md", "---\ndescription: Traps and the way around each\ntags: [gotcha, db-1]\n---\n- a\n"),
        ("a.md", "---\ncreated: 2026-11-27\nupdated: 2026-11-27\n---\n- a\n"),
        ("a.md", '---\ndescription: "Two words: how they differ"\n---\n- a\n'),
        ("a.jsonl", "---\ndescription: [\n---\n"),
    ],
)
def test_nobody_waits_for_what_is_plain(path: str, text: str) -> None:
    assert not may_be_flawed(path, text.encode())
