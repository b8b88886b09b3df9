"""Codex' events reach the hooks: patches of several files, shells that write, subagents, forks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World

from ctxrepo.agents.codex.dialect import DIALECT, files_of
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path

PATCH = """\
*** Begin Patch
*** Update File: lib/ship.py
@@
-old
+new
*** Add File: {memory}/shop/topics/new.md
+---
+description: New
+---
+- a fact
*** Update File: lib/a.py
*** Move to: lib/b.py
@@
-x
+y
*** Delete File: gone.txt
*** End Patch
"""


class Codex:
    """Codex in the project's checkout, as it tells its hooks of a session."""

    def __init__(self, world: World) -> None:
        self.world = world

    def tell(self, event: str, **fields: Any) -> str:
        """What it is answered, as additionalContext; '' for silence."""
        payload = {"session_id": "s1", "cwd": str(self.world.code), "hook_event_name": event, **fields}
        out = self.world.raw(json.dumps(payload).encode(), event, agent="codex")
        if not out:
            return ""
        answer = json.loads(out)["hookSpecificOutput"]
        assert answer["hookEventName"] == event
        return str(answer["additionalContext"])

    def uses(self, tool: str, command: str, response: str = "", **fields: Any) -> str:
        given = {"tool_name": tool, "tool_input": {"command": command}, "tool_response": response}
        return self.tell("PostToolUse", **given, **fields)


@pytest.fixture
def codex(world: World) -> Codex:
    return Codex(world)


def test_a_patch_names_its_files_and_what_it_adds() -> None:
    files = files_of(PATCH.format(memory="/m"))
    assert [file.path for file in files] == [
        *("lib/ship.py", "/m/shop/topics/new.md", "lib/a.py", "lib/b.py", "gone.txt")
    ]
    assert [file.wrote for file in files] == ["", "---\ndescription: New\n---\n- a fact\n", "", "", ""]


@given(st.text(alphabet="*+ -\nUpdateAddFile:/Patch", max_size=300))
def test_any_text_is_read_as_a_patch(text: str) -> None:
    assert all(file.path and "\n" not in file.path for file in files_of(text))


def test_a_file_that_a_patch_adds_to_the_memory_is_saved_and_the_worker_woken(codex: Codex) -> None:
    world = codex.world
    assert codex.uses("apply_patch", PATCH.format(memory=world.memory)) == ""
    (save,) = world.saved()
    assert (save.path, save.by.agent, save.after) == (
        *("shop/topics/new.md", "codex"),
        b"---\ndescription: New\n---\n- a fact\n",
    )
    assert world.starts(1)
    seen = [json.loads(line)["path"] for line in (world.folder / "access.jsonl").read_text().splitlines()]
    assert str(world.code / "lib/ship.py") in seen


def test_a_patch_of_the_project_alone_wakes_nobody(codex: Codex) -> None:
    codex.uses("apply_patch", PATCH.format(memory="elsewhere"))
    assert codex.world.saved() == []
    assert codex.world.starts(0)


def test_where_a_turn_commits_nothing_a_tool_wakes_nobody(codex: Codex) -> None:
    codex.world.compile(turn_end="off")
    codex.uses("apply_patch", PATCH.format(memory=codex.world.memory))
    assert len(codex.world.saved()) == 1
    assert codex.world.starts(0)


def test_a_shell_that_names_the_memory_has_the_worker_look(codex: Codex) -> None:
    codex.uses("Bash", f"echo '- x' >> {codex.world.memory}/shop/MEMORY.md")
    assert [line["event"] for line in codex.world.spooled()] == ["shell"]
    assert codex.world.starts(1)


def test_a_shell_in_the_memory_has_the_worker_look(codex: Codex) -> None:
    codex.uses("Bash", "sed -i s/a/b/ MEMORY.md", cwd=str(codex.world.memory / "shop"))
    assert [line["event"] for line in codex.world.spooled()] == ["shell"]
    assert codex.world.starts(1)


def test_any_other_shell_wakes_nobody(codex: Codex) -> None:
    codex.uses("Bash", "make test")
    assert codex.world.spooled() == []
    assert codex.world.starts(0)


def test_the_prompt_of_a_subagent_is_counted_to_the_subagent(codex: Codex) -> None:
    world = codex.world
    codex.tell("SessionStart", source="startup")
    codex.tell("SubagentStart", agent_id="sub")
    assert "5433" in codex.tell("UserPromptSubmit", prompt="Which staging port is it?", agent_id="sub")
    (own,) = (read_ledger(ledger_path(str(world.state), "codex", "s1"), world.folder.name),)
    assert not any("db" in words for words in own.asked)
    assert "5433" in codex.tell("UserPromptSubmit", prompt="Which staging port is it?")
    assert codex.tell("UserPromptSubmit", prompt="Which staging port is it?", agent_id="sub") == ""


@pytest.mark.parametrize(
    ("output", "is_failure"),
    [
        *(("error: no such table\n", True), ("make: *** [test] Error 2\n", True), ("", False)),
        *(("bash: foo: command not found\n", True), ("all is well\n", False), ("0 errors\n", False)),
        ("Traceback (most recent call last):\n  File\nKeyError: 1\n", True),
    ],
)
def test_an_output_that_reads_like_a_failure_is_one(output: str, is_failure: bool, codex: Codex) -> None:
    import sqlite3

    from ctxrepo.hooks.dialect import Event

    event = Event("codex", "PostToolUse", {"tool": "Bash", "command": "x", "error": output})
    assert DIALECT.failure(sqlite3.connect(":memory:"), event, "{}") == (output if is_failure else "")


class TestFork:
    def rollout(self, folder: Path, **meta: str) -> str:
        path = folder / "rollout.jsonl"
        lines = [{"type": "session_meta", "payload": {"id": "s2", **meta}}, {"type": "event_msg"}]
        path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        return str(path)

    def test_its_transcript_names_the_session_it_goes_on_with(self, tmp_path: Path) -> None:
        assert DIALECT.origin(self.rollout(tmp_path, forked_from_id="s1")) == "s1"

    def test_where_it_names_none_there_is_none(self, tmp_path: Path) -> None:
        assert DIALECT.origin(self.rollout(tmp_path)) == ""
        assert DIALECT.origin(str(tmp_path / "missing")) == ""

    def test_what_the_origin_was_given_is_not_given_again(self, codex: Codex, tmp_path: Path) -> None:
        codex.tell("SessionStart", source="startup")
        asked = {"prompt": "Which staging port is it?"}
        assert "5433" in codex.tell("UserPromptSubmit", **asked)
        there = {"session_id": "s2", "transcript_path": self.rollout(tmp_path, forked_from_id="s1")}
        assert codex.tell("SessionStart", source="fork", **there) == ""
        assert codex.tell("UserPromptSubmit", **asked, **there) == ""


def test_the_index_comes_at_the_start_and_not_on_a_resume(codex: Codex) -> None:
    assert "shop/topics/db.md" in codex.tell("SessionStart", source="startup")
    assert codex.tell("SessionStart", source="resume") == ""
    assert "shop/topics/db.md" in codex.tell("SessionStart", source="compact")
