"""Each prompt leaves one line that tells what it was given and why; the file never grows beyond its bound."""

from __future__ import annotations

import json
import os
import sqlite3
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import NOTES, World, repo_with

from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.session.traces import MAX_BYTES, MAX_LEFT_OUT, Subject, note_trace

PROMPT = "which port is the staging database on?"
DB = sqlite3.connect(":memory:", check_same_thread=False)


def lines(folder: Path) -> list[dict[str, Any]]:
    file = folder / "traces.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def hit(name: str, score: float = 1.0, path: str = "shop/a.md", last: int = 3) -> EntryHit:
    return EntryHit((name, path, "", 3, last, "", "text", "hash"), score)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", NOTES)
    return world


class TestHook:
    def test_what_was_given_and_why_not_again(self, world: World) -> None:
        for _ in range(2):
            world.run("UserPromptSubmit", prompt=PROMPT)
        first, second = lines(world.folder)
        assert first["prompt"] == second["prompt"] == PROMPT
        assert (first["agent"], first["session"]) == (second["agent"], second["session"])
        assert first["agent"] == "claude"
        assert len(first["session"]) > 8
        ((name, at, score),) = first["given"]
        assert (at, len(name)) == ("shop/topics/db.md#L5", 12)
        assert score > 0
        assert "silence" not in first
        assert "given" not in second
        assert [row[0] for row in second["left_out"]] == [name]
        assert "already" in second["left_out"][0][3]
        assert "given to this session already" in second["silence"]
        assert first["id"] != second["id"]

    def test_why_there_was_silence(self, world: World) -> None:
        world.run("UserPromptSubmit", prompt="ok, thanks")
        world.run("UserPromptSubmit", prompt="where do quokkas live in winter?")
        social, nothing = lines(world.folder)
        assert "thanks" in social["silence"]
        assert "no entry" in nothing["silence"]

    def test_what_has_no_room_is_left_out_for_that(self, world: World) -> None:
        notes = {
            "shop/a.md": "".join(f"- staging port {word} {'x' * 200}\n" for word in ("one", "two", "three"))
        }
        world.cache("c2", notes)
        world.compile(recall_bytes="400")
        world.run("UserPromptSubmit", prompt="staging port?")
        (trace,) = lines(world.folder)
        assert len(trace["given"]) < 3
        assert {row[3] for row in trace["left_out"]} == {"no room for it within 400 bytes"}

    def test_where_recall_is_off_the_trace_says_by_what(self, world: World) -> None:
        (world.code / ".pi").mkdir()
        (world.code / ".pi/settings.json").write_text('{"pi-memory-md": {"enabled": false}}')
        assert world.run("UserPromptSubmit", prompt=PROMPT) == ""
        (world.code / ".pi/settings.json").unlink()
        assert world.run("UserPromptSubmit", prompt=PROMPT, env={"CTXREPO_NO_RECALL": "1"}) == ""
        world.compile(recall="off")
        assert world.run("UserPromptSubmit", prompt=PROMPT) == ""
        reasons = [trace["silence"] for trace in lines(world.folder)]
        for reason, word in zip(
            reasons, [".pi/settings.json", "CTXREPO_NO_RECALL", "recall.enabled"], strict=True
        ):
            assert word in reason

    def test_a_missing_cache_is_told(self, world: World) -> None:
        for file in world.folder.glob("cache.db*"):
            file.unlink()
        world.run("UserPromptSubmit", prompt=PROMPT)
        assert "no cache" in lines(world.folder)[0]["silence"]

    def test_a_trace_that_can_not_be_written_takes_nothing_from_the_answer(self, world: World) -> None:
        (world.folder / "traces.jsonl").mkdir()
        assert "5433" in world.run("UserPromptSubmit", prompt=PROMPT)
        assert world.errors() == ""

    def test_silenced_hooks_leave_none(self, world: World) -> None:
        world.run("UserPromptSubmit", prompt=PROMPT, env={"CTXREPO_OFF": "1"})
        assert lines(world.folder) == []


class TestFile:
    def test_the_newest_half_stays_and_the_file_keeps_its_bound(self, tmp_path: Path) -> None:
        subject = Subject("claude", "s", "x" * 500)
        left = [(hit(f"id{n}", path="shop/" + "p" * 80), "why " * 10) for n in range(30)]
        names, sizes = [], []
        for _ in range(400):
            names.append(note_trace(DB, repo_with(tmp_path), subject, "", [], left))
            sizes.append((tmp_path / "traces.jsonl").stat().st_size)
        traces = lines(tmp_path)
        cuts = [after / before for before, after in pairwise(sizes) if after < before]
        assert 1 <= len(cuts) < 10
        assert all(0.4 < cut < 0.6 for cut in cuts)
        assert (tmp_path / "traces.jsonl").stat().st_size <= MAX_BYTES
        assert [trace["id"] for trace in traces] == names[-len(traces) :]
        assert (tmp_path / "traces.jsonl").stat().st_size > MAX_BYTES // 4
        assert len(traces) < 400
        assert all(len(trace["left_out"]) == MAX_LEFT_OUT for trace in traces)
        assert all(len(trace["prompt"]) == 120 for trace in traces)
        assert sorted(os.listdir(tmp_path)) == ["home", "traces.jsonl"]
        assert (tmp_path / "traces.jsonl").stat().st_mode & 0o777 == 0o600

    def test_a_name_longer_than_any_keeps_the_line_short(self, tmp_path: Path) -> None:
        subject = Subject("claude", "s" * 5000, "x")
        note_trace(DB, repo_with(tmp_path), subject, "", [hit("a", path="p" * 9000)], [])
        assert len((tmp_path / "traces.jsonl").read_bytes()) < 1000

    def test_a_place_has_the_lines_of_its_entry(self, tmp_path: Path) -> None:
        note_trace(DB, repo_with(tmp_path), Subject("", "", "x"), "", [hit("a"), hit("b", last=5)], [])
        assert [row[1] for row in lines(tmp_path)[0]["given"]] == ["shop/a.md#L3", "shop/a.md#L3-L5"]


@given(st.text(), st.text(max_size=9), st.text(max_size=9))
def test_whatever_is_said_a_trace_is_one_line_of_json(prompt: str, session: str, why: str) -> None:
    folder = Path(os.environ["HOME"])
    (folder / "traces.jsonl").unlink(missing_ok=True)
    assert note_trace(DB, repo_with(folder), Subject("", session, prompt), why, [], [(hit("a"), why)])
    (trace,) = (folder / "traces.jsonl").read_text("utf-8").removesuffix("\n").split("\n")
    words = json.loads(trace).get("prompt", "")
    assert words == prompt[:120].encode("utf-8", "replace").decode()
