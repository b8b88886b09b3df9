"""What a session's start couldn't wait for comes with its next prompt, bodies and all, and once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from checkout import PAYLOADS
from strict_parser import parse_all
from world import NOTES, World

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.session.ledger_words import OWN
from ctxrepo.hooks.session.session import Session
from ctxrepo.storage.cache.cache import Cache, put_round
from ctxrepo.storage.cache.layout import hash_of

NEW = {
    "shop/MEMORY.md": "- Deploy with `make ship`\n- Edited by hand\n",
    "shop/topics/new.md": "- A kettle\n",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A session that began while something was written that the worker hadn't looked at yet."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.write_without_commit()
    (block,) = parse_all(world.run("SessionStart"))
    assert "by hand" not in str(block.bodies)
    assert world.ledger().owed_since > 0
    return world


def look(world: World, began: float, notes: dict[str, str]) -> None:
    """The worker has looked."""
    world.forget_saves()
    cache = Cache.open(world.folder / "cache.db")
    cache.apply(f"c{began}", [Note(path, text) for path, text in notes.items()], [], Marks())
    cache.change(put_round, began)
    cache.close()


def test_the_body_of_a_memory_md_comes_with_the_first_prompt_and_index_lines_of_the_rest(
    world: World,
) -> None:
    look(world, time.time(), NEW)
    body, changes = parse_all(world.run("UserPromptSubmit", prompt="ok"))
    assert body.bodies == {"shop/MEMORY.md": "- Deploy with `make ship`\n- Edited by hand"}
    assert [line[0] for line in changes.index] == ["shop/topics/new.md"]
    assert world.ledger().owed_since == 0
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    # It isn't given beside a prompt either: it has been given.
    assert "by hand" not in world.run("UserPromptSubmit", prompt="what was edited by hand here?")


def test_it_is_owed_until_the_worker_has_looked(world: World) -> None:
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    look(world, time.time(), NEW)
    assert "Edited by hand" in world.run("UserPromptSubmit", prompt="ok")


def test_what_comes_before_that_is_given_too(world: World) -> None:
    look(world, 1.0, NEW)
    assert "Edited by hand" in world.run("UserPromptSubmit", prompt="ok")
    assert world.ledger().owed_since > 0
    look(world, time.time(), {"global/MEMORY.md": "- Prefers long answers\n"})
    assert "long answers" in world.run("UserPromptSubmit", prompt="ok")
    assert world.ledger().owed_since == 0


def test_later_the_body_is_named_only(world: World) -> None:
    look(world, time.time(), {})
    assert world.run("UserPromptSubmit", prompt="ok") == ""
    look(world, time.time(), NEW)
    (changes,) = parse_all(world.run("UserPromptSubmit", prompt="ok"))
    assert not changes.bodies
    assert [line[0] for line in changes.index] == ["shop/MEMORY.md", "shop/topics/new.md"]


def test_in_a_mode_that_tells_no_changes_the_start_is_made_up_for(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.compile(mode="once")
    world.cache("c1", NOTES)
    world.write_without_commit()
    world.run("SessionStart")
    look(world, time.time(), NEW)
    (body,) = parse_all(world.run("UserPromptSubmit", prompt="ok"))
    assert list(body.bodies) == ["shop/MEMORY.md"]
    assert not body.index


def test_a_session_that_began_without_a_cache_is_given_what_there_is_then(tmp_path: Path) -> None:
    world = World(tmp_path)
    (block,) = parse_all(world.run("SessionStart"))
    assert not block.bodies
    look(world, time.time(), NOTES)
    body, changes = parse_all(world.run("UserPromptSubmit", prompt="ok"))
    assert list(body.bodies) == ["global/MEMORY.md", "shop/MEMORY.md"]
    assert [line[0] for line in changes.index] == ["shop/topics/db.md"]


def test_a_start_that_waited_for_nothing_owes_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    world.run("SessionStart")
    assert world.ledger().owed_since == 0


def test_it_is_owed_what_a_round_finds_that_read_of_its_start(world: World) -> None:
    """A round that began while the hook was at it may not have."""
    (start,) = world.spooled()
    assert world.ledger().owed_since >= round(start["at"], 6)


@pytest.mark.parametrize("others", ["", "- Somebody else's\n"])
def test_a_project_that_came_late_brings_no_memory_md_that_the_session_wrote_itself(
    tmp_path: Path, others: str
) -> None:
    world = World(tmp_path)
    (world.code / ".git/config").write_text("[core]\n\tbare = false\n")  # a checkout that is unknown as yet
    world.cache("c1", {"global/a.md": "- A fact\n"})
    world.run("SessionStart")
    assert world.ledger().project == "?"
    notes = {"shop/MEMORY.md": f"- Deploy with `make ship`\n{others}", "shop/topics/b.md": "- Another fact\n"}
    world.cache("c2", notes)
    session_id = json.loads((PAYLOADS / "SessionStart.json").read_text())["session_id"]
    session = Session(str(world.state), world.folder.name, "claude", session_id)
    own, *_ = entries_of("shop/MEMORY.md", "- Deploy with `make ship`\n")
    session.note(OWN, own.id, hash_of(own))
    session.save()
    world.know()
    answer = world.run("UserPromptSubmit", prompt="ok")
    assert "shop/topics/b.md" in answer
    assert ("make ship" in answer) == bool(others)
