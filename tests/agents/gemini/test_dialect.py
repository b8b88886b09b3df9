"""Gemini CLI's events reach the hooks: the index with the first prompt, edits, shells that write or fail."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from hypothesis import given
from hypothesis import strategies as st
from long import rotating
from world import World

from ctxrepo.agents.gemini.dialect import (
    DIALECT,
    output_of_failed,
    without_context,
)
from ctxrepo.hooks.dialect import Event, changed_lines
from ctxrepo.hooks.session.ledger import switch_memory
from ctxrepo.hooks.session.ledger_file import ledger_path

PAYLOADS = CHECKOUT / "tests/hooks/payloads/gemini"
RECORDED = sorted(path.stem for path in PAYLOADS.glob("*.json"))

INDEX = "## Index of notes"


def recorded(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((PAYLOADS / f"{name}.json").read_text("utf-8"))
    return document


class Gemini:
    """Gemini CLI in the project's checkout, as it tells its hooks of a session."""

    def __init__(self, world: World) -> None:
        self.world = world

    def tell(self, payload: str, **fields: Any) -> str:
        """What it is answered, as additionalContext; '' for silence."""
        body = {**recorded(payload), "cwd": str(self.world.code), **fields}
        event = body["hook_event_name"]
        out = self.world.raw(json.dumps(body).encode(), event, agent="gemini")
        if not out:
            return ""
        answer = json.loads(out)["hookSpecificOutput"]
        assert answer["hookEventName"] == event
        return str(answer["additionalContext"])

    def asks(self, prompt: str, **fields: Any) -> str:
        return self.tell("BeforeAgent", prompt=prompt, **fields)

    def uses(self, tool: str, response: Any = None, **given: Any) -> str:
        payload = {
            "tool_name": tool,
            "tool_input": given,
            "tool_response": response or {"llmContent": "Done."},
        }
        return self.tell("AfterTool-read_file", **payload)

    def access(self) -> list[dict[str, Any]]:
        """What was noted of the files that its tools touched."""
        lines = (self.world.folder / "access.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def gemini(world: World) -> Gemini:
    return Gemini(world)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        yield db


def event(**fields: str) -> Event:
    return Event("gemini", "AfterTool", fields)


class TestDelivery:
    def test_the_index_comes_with_the_first_prompt_and_not_at_the_start(self, gemini: Gemini) -> None:
        assert gemini.tell("SessionStart") == ""
        answer = gemini.asks("Which staging port is it?")
        assert answer.count(INDEX) == 1
        assert answer.count("5433") == 1
        assert gemini.asks("Which staging port is it?") == ""

    def test_a_resumed_session_is_given_nothing_twice(self, gemini: Gemini) -> None:
        gemini.tell("SessionStart")
        gemini.asks("Which staging port is it?")
        assert gemini.tell("SessionStart-resume", session_id=recorded("SessionStart")["session_id"]) == ""
        assert gemini.asks("Which staging port is it?") == ""

    def test_after_clear_the_index_comes_again(self, gemini: Gemini) -> None:
        gemini.tell("SessionStart")
        assert INDEX in gemini.asks("hello there")
        gemini.tell("SessionStart", source="clear")
        assert INDEX in gemini.asks("hello there")

    def test_what_another_hook_told_the_session_is_no_part_of_the_prompt(self, gemini: Gemini) -> None:
        gemini.tell("SessionStart")
        gemini.asks("hello there")
        context = "<hook_context>Which staging port is it?</hook_context>\n\n"
        assert gemini.asks(f"{context}Write a poem about leaves.") == ""
        assert "5433" in gemini.asks("<hook_context>x</hook_context>\n\nWhich staging port is it?")

    def test_a_session_without_a_start_is_given_all_the_same(self, gemini: Gemini) -> None:
        assert INDEX in gemini.asks("hello there")


class TestWords:
    @pytest.mark.parametrize(
        ("prompt", "words"),
        [
            ("fix it", "fix it"),
            ("<hook_context>a &lt;b&gt;\n</hook_context>\n\nfix it", "fix it"),
            ("<hook_context>a</hook_context>\n<hook_context>b</hook_context>fix", "fix"),
            ("<hook_context>never closed", "<hook_context>never closed"),
            ("say <hook_context>x</hook_context>", "say <hook_context>x</hook_context>"),
            (
                "look at @a.py\n--- Content from referenced files ---\nContent from @a.py:\nx = 1\n",
                "look at @a.py",
            ),
            ("", ""),
        ],
    )
    def test_are_those_that_the_user_typed(self, prompt: str, words: str) -> None:
        assert DIALECT.words(prompt) == words

    @given(
        st.lists(st.sampled_from(["<hook_context>", "</hook_context>", "a", "\n"]), max_size=9).map("".join)
    )
    def test_any_prompt_is_read(self, prompt: str) -> None:
        assert prompt.endswith(without_context(prompt))


class TestFiles:
    def test_a_note_that_is_edited_is_saved_whole_and_the_worker_woken(self, gemini: Gemini) -> None:
        note = gemini.world.memory / "shop/topics/db.md"
        display = {"filePath": str(note), "newContent": "- The staging port is 5434\n", "fileDiff": ""}
        gemini.uses(
            "replace",
            {"llmContent": "Successfully modified", "returnDisplay": display},
            file_path=str(note),
            old_string="5433",
            new_string="5434",
        )
        (save,) = gemini.world.saved()
        assert (save.path, save.by.agent, save.op) == ("shop/topics/db.md", "gemini", "tool")
        assert save.after == b"- The staging port is 5434\n"
        assert gemini.world.starts(1)

    def test_a_note_that_is_written_is_saved(self, gemini: Gemini) -> None:
        note = gemini.world.memory / "shop/new.md"
        gemini.uses("write_file", file_path=str(note), content="- new\n")
        assert [(save.path, save.after) for save in gemini.world.saved()] == [("shop/new.md", b"- new\n")]

    def test_an_edit_that_failed_saves_nothing(self, gemini: Gemini) -> None:
        note = str(gemini.world.memory / "shop/topics/db.md")
        payload = recorded("AfterTool-replace-failed")
        gemini.tell("AfterTool-replace-failed", tool_input={**payload["tool_input"], "file_path": note})
        assert gemini.world.saved() == []
        assert gemini.world.starts(0)

    @pytest.mark.parametrize("tool", ["read_file", "grep_search", "list_directory"])
    def test_what_only_reads_saves_nothing(self, gemini: Gemini, tool: str) -> None:
        gemini.uses(tool, file_path=str(gemini.world.memory / "shop/topics/db.md"))
        assert gemini.world.saved() == []

    def test_files_are_noted_with_their_lines(self, gemini: Gemini) -> None:
        gemini.tell("AfterTool-read_file")
        gemini.tell("AfterTool-replace")
        read, edited = gemini.access()
        assert (read["path"], read["ranges"]) == (str(gemini.world.code / "notes.txt"), [[2, 3]])
        assert (edited["path"], edited["ranges"]) == ("/home/dev/proj/notes.txt", [[3, 3]])

    @pytest.mark.parametrize(
        "given", [{}, {"start_line": 2}, {"start_line": "2", "end_line": 3}, {"start_line": 3, "end_line": 2}]
    )
    def test_a_read_without_a_range_is_of_the_whole_file(self, db: sqlite3.Connection, given: Any) -> None:
        (file,) = DIALECT.touched(db, event(tool="read_file", path="/a"), json.dumps({"tool_input": given}))
        assert file.ranges == "[]"

    def test_an_edited_file_is_reminded_of(self, gemini: Gemini) -> None:
        gemini.world.cache("c2", {"shop/MEMORY.md": "- `ship.py` is made by `make ship`, never edit it\n"})
        assert "never edit it" in gemini.uses("write_file", file_path="lib/ship.py", content="x = 1\n")


class TestChangedLines:
    def test_a_hunk_has_the_lines_that_changed(self) -> None:
        head = "Index: a\n===\n--- a\tCurrent\n+++ a\tProposed\n"
        diff = f"{head}@@ -7,5 +7,6 @@\n a\n-x\n+y\n+z\n b\n c\n@@ -40,2 +41,1 @@\n d\n-e\n"
        assert json.loads(changed_lines(diff)) == [[8, 9], [42, 42]]

    def test_lines_that_look_like_a_head_are_lines(self) -> None:
        assert json.loads(changed_lines("--- a\n+++ b\n@@ -1,1 +1,2 @@\n--- x\n+++ y\n+z\n")) == [[1, 2]]

    def test_of_many_hunks_the_first_are_told(self) -> None:
        diff = "".join(f"@@ -{n},1 +{n},1 @@\n-a\n+b\n" for n in range(1, 200))
        assert json.loads(changed_lines(diff)) == [[n, n] for n in range(1, 101)]

    @given(st.text(alphabet="@ +-,1\n", max_size=200))
    def test_any_text_is_read_as_a_diff(self, diff: str) -> None:
        assert all(0 < first <= last for first, last in json.loads(changed_lines(diff)))


class TestCommands:
    def test_one_that_names_the_memory_has_the_worker_look(self, gemini: Gemini) -> None:
        gemini.uses("run_shell_command", command=f"echo '- x' >> {gemini.world.memory}/shop/MEMORY.md")
        assert [line["event"] for line in gemini.world.spooled()] == ["shell"]
        assert gemini.world.starts(1)

    def test_any_other_wakes_nobody(self, gemini: Gemini) -> None:
        gemini.uses("run_shell_command", command="make test")
        assert gemini.world.spooled() == []
        assert gemini.world.starts(0)

    @pytest.mark.parametrize(
        ("response", "printed"),
        [
            ("Output: out\nerr\nExit Code: 3\nProcess Group PGID: 12", "out\nerr"),
            ("Output: (empty)\nSignal: 9\nProcess Group PGID: 12", "(empty)"),
            (
                "Output: x\nError: spawn\nExit Code: 1\nBackground PIDs: 4, 5\nProcess Group PGID: 1",
                "x\nError: spawn",
            ),
            ("Output: Exit Code: 3\nmore\nProcess Group PGID: 12", ""),
            ("Output: fine\nProcess Group PGID: 12", ""),
            ("Command moved to background (PID: 12). Output hidden.", ""),
            ("Exit Code: 3", ""),
            ("", ""),
        ],
    )
    def test_what_one_printed_that_failed(self, response: str, printed: str) -> None:
        assert output_of_failed(f"<untrusted_context>\n{response}\n</untrusted_context>") == printed

    def test_the_recorded_one_that_failed(self, db: sqlite3.Connection) -> None:
        text = json.dumps(recorded("AfterTool-run_shell_command-failed"))
        assert DIALECT.failure(db, event(tool="run_shell_command", command="x"), text) == "out\nerr"
        assert DIALECT.failure(db, event(tool="read_file"), text) == ""
        assert DIALECT.failure(db, event(tool="read_file", error="not there"), text) == "not there"


class TestOddEvents:
    @pytest.mark.parametrize("name", RECORDED)
    def test_recorded_ones_are_taken(self, gemini: Gemini, name: str) -> None:
        gemini.tell(name)
        assert gemini.world.errors() == ""

    @pytest.mark.slow
    @pytest.mark.parametrize("name", rotating(RECORDED))
    def test_torn_and_odd_ones_are_met_with_silence_or_an_answer(self, gemini: Gemini, name: str) -> None:
        payload = recorded(name)
        whole = json.dumps(payload).encode()
        odd: list[Any] = [None, 7, [], {}, "x" * 100_000, "\ud800", [{"text": "x"}]]
        mutated = [json.dumps({**payload, key: value}) for key in payload for value in odd]
        for text in [whole[: len(whole) // 2], b"", b"[]", b"\xff\xfe", *(m.encode() for m in mutated[::5])]:
            gemini.world.raw(text, payload["hook_event_name"], agent="gemini")
        assert gemini.world.errors() == ""

    @pytest.mark.parametrize("name", ["PreCompress", "BeforeTool", "Nonsense", ""])
    def test_events_that_get_no_hook_are_met_with_silence(self, gemini: Gemini, name: str) -> None:
        assert (
            gemini.world.raw(b'{"session_id": "s", "prompt": "Which staging port?"}', name, agent="gemini")
            == b""
        )


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"])))
def test_it_reads_the_text_as_it_is(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        line = DIALECT.reply(db, "BeforeAgent", text)
    assert line.endswith("}\n")
    assert "\n" not in line[:-1]
    output = {"hookEventName": "BeforeAgent", "additionalContext": text}
    assert json.loads(line) == {"hookSpecificOutput": output}


class TestCompaction:
    """Gemini CLI tells no hook of one: its transcript does."""

    @pytest.fixture
    def transcript(self, tmp_path: Path) -> Path:
        path = tmp_path / "session.jsonl"
        path.write_text("".join(line + "\n" for line in self.lines()[:6]))
        return path

    def lines(self) -> list[str]:
        return (CHECKOUT / "tests/agents/gemini_records/compacted.jsonl").read_text("utf-8").splitlines()

    def test_its_answer_to_the_summary_is_found_and_stays_the_same(self, transcript: Path) -> None:
        assert DIALECT.compaction(str(transcript)) == ""
        assert DIALECT.compaction(str(transcript.with_name("missing"))) == ""
        names = set()
        for line in self.lines()[6:]:
            with transcript.open("a") as file:
                file.write(line + "\n")
            names.add(DIALECT.compaction(str(transcript)))
        assert {len(name) for name in names} == {0, 36}
        assert len(names) == 2

    def test_a_torn_or_odd_transcript_has_none(self, tmp_path: Path) -> None:
        path = tmp_path / "odd"
        mark = b'"type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]'
        for data in (mark, b"x" + mark, b'{"id":"' + mark, b"\xff" * 100):
            path.write_bytes(data)
            DIALECT.compaction(str(path))
        assert DIALECT.compaction(str(tmp_path)) == ""
        path.unlink()
        os.mkfifo(path)
        assert DIALECT.compaction(str(path)) == ""

    def test_index_and_entries_come_again_once(self, gemini: Gemini, transcript: Path) -> None:
        asked = {"prompt": "Which staging port is it?", "transcript_path": str(transcript)}
        gemini.tell("SessionStart", transcript_path=str(transcript))
        assert INDEX in gemini.tell("BeforeAgent", **asked)
        assert gemini.tell("BeforeAgent", **asked) == ""
        transcript.write_text("".join(line + "\n" for line in self.lines()))
        answer = gemini.tell("BeforeAgent", **asked)
        assert (answer.count(INDEX), answer.count("5433")) == (1, 1)
        assert gemini.tell("BeforeAgent", **asked) == ""

    def test_one_that_was_before_the_first_prompt_is_no_news(self, gemini: Gemini, transcript: Path) -> None:
        transcript.write_text("".join(line + "\n" for line in self.lines()))
        assert INDEX in gemini.asks("hello there", transcript_path=str(transcript))
        assert gemini.asks("hello there", transcript_path=str(transcript)) == ""

    def test_a_session_that_is_switched_off_stays_silent(self, gemini: Gemini, transcript: Path) -> None:
        world = gemini.world
        gemini.asks("hello there", transcript_path=str(transcript))
        switch_memory(
            ledger_path(str(world.state), "gemini", recorded("BeforeAgent")["session_id"]), is_off=True
        )
        transcript.write_text("".join(line + "\n" for line in self.lines()))
        assert gemini.asks("Which staging port is it?", transcript_path=str(transcript)) == ""
