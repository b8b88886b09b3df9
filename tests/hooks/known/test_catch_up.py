"""A start and a prompt wait for the worker where stamps say that there is something to wait for."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from world import HOOK, NOTES, World

_LOOKED = """
import pathlib, time
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.note.note import Note
from ctxrepo.storage.cache.cache import Cache, put_round
cache = Cache.open(pathlib.Path("{folder}/cache.db"))
notes = [Note("shop/MEMORY.md", "- Edited by hand"), Note("global/news.md", "- Fresh")]
cache.apply("c2", notes, [], Marks())
cache.change(put_round, time.time())
"""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A worker that takes its time and finds a new MEMORY.md; hooks wait for it for seconds."""
    world = World(tmp_path)
    world.cache("c1", NOTES)
    script = tmp_path / "looked.py"
    script.write_text(_LOOKED.format(folder=world.folder))
    world.worker(f"sleep 0.3; PYTHONPATH={HOOK.parents[1]} {sys.executable} {script}")
    world.be_patient()
    return world


def edit(world: World) -> None:
    (world.memory / "shop").mkdir()
    (world.memory / "shop/watched.md").write_text("- Edited by hand\n")


def test_a_start_has_what_was_edited_by_hand_before_it(world: World) -> None:
    edit(world)
    assert "Edited by hand" in world.run("SessionStart")
    assert world.ledger().owed_since == 0


def test_a_start_has_what_a_command_wrote_before_it(world: World) -> None:
    world.write_without_commit()
    assert "Edited by hand" in world.run("SessionStart")


def test_a_start_where_nobody_has_looked_yet_waits_for_the_first_look(world: World) -> None:
    world.know("new")
    assert "global/news.md" in world.run("SessionStart")


def test_a_prompt_has_what_was_edited_by_hand_before_it(world: World) -> None:
    world.run("SessionStart")
    edit(world)
    asked = "what was edited by hand here?"
    assert "- Edited by hand" in world.run("UserPromptSubmit", prompt=asked)
    assert [line["event"] for line in world.spooled()] == ["start", "prompt"]


def test_what_was_edited_is_waited_for_once(world: World) -> None:
    edit(world)
    for _ in range(3):
        world.run("UserPromptSubmit", prompt="ok")
    assert world.starts(1)


def test_where_stamps_cannot_be_read_a_session_is_given_what_can(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    with closing(sqlite3.connect(world.folder / "cache.db")) as db, db:
        db.execute("drop table seen")
    assert "make ship" in world.run("SessionStart")
    assert "5433" in world.run("UserPromptSubmit", prompt="which port is staging")
