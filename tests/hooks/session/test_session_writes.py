"""A session is told what others did to its notes, and not what it did itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import NOTES, World

from ctxrepo.domain.note.note import decode
from ctxrepo.hooks.session.session import Session
from ctxrepo.storage.cache.layout import digest_of
from ctxrepo.storage.processes.database import storable

OWN = "- Deploy with `make ship`\n- and wait\n"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.run("SessionStart")
    (world.memory / "shop").mkdir()
    yield world
    assert world.errors() == ""


def edits(world: World, text: str) -> None:
    (world.memory / "shop/MEMORY.md").write_text(text)
    assert world.run("PostToolUse-edit", file=str(world.memory / "shop/MEMORY.md")) == ""


def told(world: World) -> list[str]:
    """The notes that the next prompt is told to have changed."""
    output = world.run("UserPromptSubmit", prompt="ok")
    return output.partition("## Notes that changed since this session began\n")[2].splitlines()[:-1]


def test_its_own_edit_is_no_news(world: World) -> None:
    edits(world, OWN)
    world.cache("c2", {"shop/MEMORY.md": OWN, "shop/other.md": "- by somebody else\n"})
    assert told(world) == ["shop/other.md"]


def test_what_became_of_it_in_other_hands_is(world: World) -> None:
    edits(world, OWN)
    world.cache("c2", {"shop/MEMORY.md": OWN + "- said another\n"})
    assert told(world) == ["shop/MEMORY.md"]


def test_only_what_it_wrote_last_counts(world: World) -> None:
    edits(world, "- first\n")
    edits(world, OWN)
    world.cache("c2", {"shop/MEMORY.md": "- first\n"})
    assert told(world) == ["shop/MEMORY.md"]


def test_once_it_is_passed_over_the_same_text_is_news_again(world: World) -> None:
    edits(world, OWN)
    world.cache("c2", {"shop/MEMORY.md": OWN})
    assert told(world) == []
    world.cache("c3", {"shop/MEMORY.md": "- other\n"})
    world.cache("c4", {"shop/MEMORY.md": OWN})
    assert told(world) == ["shop/MEMORY.md"]


def test_another_session_is_told(world: World) -> None:
    edits(world, OWN)
    world.cache("c2", {"shop/MEMORY.md": OWN})
    for ledger in (world.state / "sessions").iterdir():
        ledger.write_text(f"@{world.folder.name} generation 1\n@{world.folder.name} project shop\n")
    assert told(world) == ["shop/MEMORY.md"]


@given(st.binary())
def test_the_hash_is_the_one_of_the_cache(data: bytes) -> None:
    session = Session("", "", "claude", "")
    session.note_write("shop/a b.md", data)
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert session.record.wrote == {"shop/a b.md": digest_of(storable(decode(data)))}


def test_what_no_ledger_can_hold_is_left_out() -> None:
    session = Session("", "", "claude", "")
    session.note_write("shop/a\nb.md", b"x")
    session.note_write(".ctx/evidence/host.jsonl", b"x")
    assert session.record.wrote == {}


def test_a_head_that_it_broke_itself_is_told_to_it_once(world: World) -> None:
    broken = "---\ndescription: a: b: [c\n---\n- Deploy\n"
    edits(world, broken)
    world.cache("c2", {"shop/MEMORY.md": broken, "shop/other.md": broken})
    output = world.run("UserPromptSubmit", prompt="ok")
    (line,) = [line for line in output.splitlines() if "which this session wrote" in line]
    assert line.startswith("- shop/MEMORY.md, which this session wrote: ")
    assert line.endswith(". `ctxrepo check` tells more.")
    assert "which this session wrote" not in world.run("UserPromptSubmit", prompt="ok")
    edits(world, OWN)
    world.cache("c3", {"shop/MEMORY.md": OWN})
    assert world.run("UserPromptSubmit", prompt="ok") == ""
