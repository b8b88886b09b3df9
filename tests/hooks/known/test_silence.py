"""A folder of code can ask for silence, and for nothing else."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from world import World

from ctxrepo.agents.pi.dialect import ENABLED
from ctxrepo.hooks.known.silence import why_silent


def asks(folder: Path) -> bool:
    return bool(why_silent(sqlite3.connect(":memory:"), [(f"{folder}/.pi/settings.json", ENABLED)]))


def put(folder: Path, text: str) -> None:
    (folder / ".pi").mkdir(exist_ok=True)
    (folder / ".pi/settings.json").write_text(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"pi-memory-md": {"enabled": false}}', True),
        ('{"pi-memory-md": {"enabled": null}}', True),
        ('{"pi-memory-md": {"enabled": true}}', False),
        ('{"pi-memory-md": {}}', False),
        ('{"enabled": false}', False),
        ('{"pi-memory-md": [false]}', False),
        ('{"pi-memory-md": {"enabled": false}', False),
        ("", False),
        ("\0", False),
        ('{"pi-memory-md": {"enabled": false}}' + " " * 70_000, False),
    ],
)
def test_d3_only_false_is_silence(tmp_path: Path, text: str, wanted: bool) -> None:
    assert not asks(tmp_path)
    put(tmp_path, text)
    assert asks(tmp_path) is wanted


def test_what_is_no_file_asks_for_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / ".pi").mkdir()
    file = tmp_path / ".pi/settings.json"
    os.mkfifo(file)
    assert not asks(tmp_path)
    file.unlink()
    file.symlink_to("/dev/zero")
    assert not asks(tmp_path)
    file.unlink()
    file.mkdir()
    assert not asks(tmp_path)


class TestSilence:
    """It is asked before anything is answered: nothing is noted as given that wasn't."""

    ASKED = "which port is the staging database on?"

    def test_what_was_not_given_is_not_noted_as_given(self, world: World) -> None:
        put(world.code, '{"pi-memory-md": {"enabled": false}}')
        world.cache("c2", {"shop/pay.md": "- pay.py must not retry\n"}, faults=("a fault",))
        assert world.run("SessionStart") == ""
        assert world.run("UserPromptSubmit", prompt=self.ASKED) == ""
        assert world.run("PostToolUse-edit", file=str(world.code / "pay.py")) == ""
        assert world.run("SubagentStart") == ""
        known = world.ledger()
        assert (known.entries, known.generation, known.faults) == ({}, None, set())
        shutil.rmtree(world.code / ".pi")
        assert "a fault" in world.run("PostToolUse-read", file=str(world.code / "a.py"))
        assert "5433" in world.run("UserPromptSubmit", prompt=self.ASKED)

    def test_what_is_done_there_is_kept_and_the_trace_says_why_nothing_came(self, world: World) -> None:
        put(world.code, '{"pi-memory-md": {"enabled": false}}')
        note = world.memory / "shop/MEMORY.md"
        note.parent.mkdir()
        note.write_text("one")
        world.run("SessionStart")
        world.run("UserPromptSubmit", prompt=self.ASKED)
        world.run("PostToolUse-edit", file=str(note))
        world.run("Stop")
        assert [line["event"] for line in world.spooled()] == ["start", "stop"]
        assert [(save.path, save.after) for save in world.saved()] == [("shop/MEMORY.md", b"one")]
        (trace,) = (world.folder / "traces.jsonl").read_text().splitlines()
        assert json.loads(trace)["silence"] == f"{world.code}/.pi/settings.json asks for silence"
