"""How Cursor is understood and answered, by payloads of the shapes that its documentation tells."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import rotating
from world import HOOK, NOTES, World

from ctxrepo.agents.cursor.dialect import DIALECT
from ctxrepo.agents.cursor.install import HOOKS
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path

EMAIL = "ada.lovelace@example.org"
SESSION = "0b41d9e6-6e0c-4f6c-9d53-0d0c5a7a1f10"


class Cursor:
    """A conversation in the world's checkout: what its hooks are told, and what they print."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.common: dict[str, Any] = {
            "conversation_id": SESSION,
            "generation_id": "a2a2",
            "model": "gpt-5.6-sol-high",
            "cursor_version": "3.20.17",
            "workspace_roots": [str(world.code)],
            "user_email": EMAIL,
            "transcript_path": None,
        }

    def tell(self, event: str, /, **fields: Any) -> dict[str, Any]:
        """The answer to an event as Cursor reads it; {} for none."""
        payload = {**self.common, "hook_event_name": event, **fields}
        out = self.raw(event, json.dumps(payload).encode())
        return json.loads(out) if out else {}

    def raw(self, event: str, stdin: bytes) -> bytes:
        words = [sys.executable, "-I", "-S", str(HOOK), "cursor", event, str(self.world.state)]
        env = {**os.environ, "CURSOR_VERSION": "3.20.17", "CURSOR_PROJECT_DIR": str(self.world.code)}
        done = subprocess.run(words, input=stdin, capture_output=True, env=env, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\n") == (1 if done.stdout else 0)
        return done.stdout

    def start(self) -> dict[str, Any]:
        return self.tell("sessionStart", session_id=SESSION, is_background_agent=False, composer_mode="agent")

    def prompt(self, prompt: str) -> dict[str, Any]:
        return self.tell("beforeSubmitPrompt", prompt=prompt, attachments=[])

    def edited(self, path: Path, new: str = "new") -> dict[str, Any]:
        edits = [{"old_string": "", "new_string": new}]
        return self.tell("afterFileEdit", file_path=str(path), edits=edits)

    def used(self, tool: str, output: str = "{}", **given: str) -> dict[str, Any]:
        payload = {"tool_name": tool, "tool_input": given, "tool_output": output, "duration": 12}
        return self.tell("postToolUse", **payload, tool_use_id="t1", cwd=str(self.world.code))

    def ledger(self) -> Any:
        return read_ledger(ledger_path(str(self.world.state), "cursor", SESSION), self.world.folder.name)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", {**NOTES, "shop/topics/pay.md": "- `src/pay.py` must not retry a refund\n"})
    world.compile(hook_marks="CURSOR_VERSION=cursor")
    return world


@pytest.fixture
def cursor(world: World) -> Cursor:
    return Cursor(world)


def test_a_conversation_begins_with_the_index_of_its_project(cursor: Cursor) -> None:
    given = cursor.start()
    assert list(given) == ["additional_context"]
    text = given["additional_context"]
    assert text.startswith("<ctxrepo-memory")
    assert "Prefers short answers" in text
    assert "The databases" in text
    assert "Nobody else's business" not in text
    assert len(text.encode()) <= DIALECT.most_bytes
    (event,) = cursor.world.spooled()
    assert (event["event"], event["agent"], event["session"]) == ("start", "cursor", SESSION)
    assert event["cwd"] == str(cursor.world.code)


def test_a_prompt_brings_an_entry_once_and_never_holds_the_prompt_up(cursor: Cursor) -> None:
    cursor.start()
    given = cursor.prompt("which port does the staging database listen on?")
    assert given["continue"] is True
    assert "The staging port is 5433" in given["additional_context"]
    assert set(given) == {"continue", "additional_context"}
    assert cursor.prompt("and the port of the staging database is?") == {}
    assert cursor.prompt("ok, thanks") == {}


def test_the_first_prompt_waits_for_what_the_start_gives(cursor: Cursor) -> None:
    """Cursor doesn't wait for the start's hook: both may run at once."""
    world = cursor.world
    payload = {**cursor.common, "hook_event_name": "beforeSubmitPrompt", "prompt": "deploy with make ship?"}
    words = [sys.executable, "-I", "-S", str(HOOK), "cursor", "beforeSubmitPrompt", str(world.state)]
    asked = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert asked.stdin
    asked.stdin.write(json.dumps(payload).encode())
    asked.stdin.close()
    assert "make ship" in cursor.start()["additional_context"]
    assert asked.stdout
    assert asked.stdout.read() == b""
    assert asked.wait(30) == 0
    asked.stdout.close()


def test_an_edit_of_a_note_is_kept_and_wakes_the_worker(cursor: Cursor) -> None:
    note = cursor.world.memory / "shop/MEMORY.md"
    note.parent.mkdir()
    note.write_text("- Deploy with `make ship`, never on Fridays\n")
    assert cursor.edited(note) == {}
    (save,) = cursor.world.saved()
    assert (save.path, save.op, save.by.agent, save.by.session) == (
        "shop/MEMORY.md",
        "tool",
        "cursor",
        SESSION,
    )
    assert save.after == note.read_bytes()
    assert cursor.world.starts(1)


def test_what_memory_says_of_an_edited_file_comes_where_cursor_reads_it(cursor: Cursor) -> None:
    """Not with afterFileEdit, whose answer is thrown away: it would count as given."""
    cursor.start()
    file = cursor.world.code / "src/pay.py"
    assert cursor.edited(file, "retry(refund)") == {}
    given = cursor.used("Write", path=str(file))
    assert "must not retry a refund" in given["additional_context"]
    assert list(given) == ["additional_context"]
    assert cursor.used("Write", path=str(file)) == {}


@pytest.mark.parametrize("member", ["path", "file_path", "target_file"])
def test_a_tool_may_name_its_file_in_several_ways(cursor: Cursor, member: str) -> None:
    cursor.used("Read", **{member: "lib/a.py"})
    (seen,) = (cursor.world.folder / "access.jsonl").read_text().splitlines()
    assert json.loads(seen)["path"] == str(cursor.world.code / "lib/a.py")
    assert json.loads(seen)["tool"] == "Read"
    assert cursor.world.saved() == []


def test_a_command_that_may_have_written_is_left_for_the_worker(cursor: Cursor) -> None:
    memory = cursor.world.memory
    cursor.used("Shell", command="make test")
    assert cursor.world.spooled() == []
    cursor.used("Shell", command=f"echo '- x' >> {memory}/shop/MEMORY.md")
    assert [line["event"] for line in cursor.world.spooled()] == ["shell"]
    assert cursor.world.starts(1)


@pytest.mark.parametrize(
    ("output", "failure"),
    [
        ('{"output": "no such target", "exitCode": 2}', "no such target"),
        ('{"output": "", "exitCode": 2}', "exit code 2"),
        ('{"output": "all well", "exitCode": 0}', ""),
        ('{"output": "\\ud83d", "exitCode": 1}', "\ufffd\ufffd\ufffd"),
        ('{"output": {"a": 1}, "exitCode": 1}', '{"a":1}'),
        ('{"output": "x", "exitCode": "1"}', ""),
        ("{torn", ""),
        ("[1]", ""),
        ("7", ""),
        ("", ""),
    ],
)
def test_a_command_has_failed_when_its_output_says_so(output: str, failure: str) -> None:
    payload = json.dumps({"tool_output": output})
    with closing(sqlite3.connect(":memory:")) as db:
        event = Event("cursor", "postToolUse", {"tool": "Shell"})
        assert DIALECT.failure(db, event, payload) == failure
        assert DIALECT.failure(db, Event("cursor", "postToolUse", {"tool": "Read"}), payload) == ""
        assert DIALECT.failure(db, event, '{"tool_output": null}') == ""


def test_a_command_that_failed_brings_what_memory_says_of_it(cursor: Cursor) -> None:
    cursor.start()
    output = '{"output": "could not connect to the staging port 5432", "exitCode": 0}'
    assert cursor.used("Shell", output, command="psql staging") == {}
    failed = {"tool_name": "Shell", "tool_input": {"command": "psql staging"}, "cwd": str(cursor.world.code)}
    why = "could not connect to the staging port 5432"
    given = cursor.tell("postToolUseFailure", **failed, error_message=why, failure_type="error")
    assert list(given) == ["additional_context"]
    assert "The staging port is 5433" in given["additional_context"]
    assert cursor.used("Shell", output.replace("0}", "2}"), command="psql staging") == {}, "once a session"


def test_a_command_that_ended_with_another_code_has_failed(cursor: Cursor) -> None:
    cursor.start()
    output = '{"output": "could not connect to the staging port 5432", "exitCode": 2}'
    given = cursor.used("Shell", output, command="psql staging")
    assert "The staging port is 5433" in given["additional_context"]


def test_turn_compaction_and_end_are_told_to_the_worker_and_answered_with_nothing(cursor: Cursor) -> None:
    assert cursor.tell("preCompact", trigger="auto", context_tokens=90_000) == {}
    assert cursor.tell("stop", status="completed", loop_count=0) == {}
    assert cursor.tell("sessionEnd", session_id=SESSION, reason="window_close", duration_ms=9) == {}
    events = [(line["event"], line["session"], line["cwd"]) for line in cursor.world.spooled()]
    assert events == [(name, SESSION, str(cursor.world.code)) for name in ("compact", "stop", "end")]


def test_the_address_of_the_user_is_kept_nowhere(cursor: Cursor) -> None:
    cursor.start()
    cursor.prompt("which port does the staging database listen on?")
    cursor.edited(cursor.world.code / "src/pay.py")
    cursor.used("Shell", command=f"ls {cursor.world.memory}")
    for event in ("preCompact", "stop", "sessionEnd"):
        cursor.tell(event)
    files = [path for path in cursor.world.root.rglob("*") if path.is_file()]
    assert len(files) > 4
    assert not [path for path in files if EMAIL.encode() in path.read_bytes()]


def test_a_window_without_a_folder_has_the_global_notes(cursor: Cursor) -> None:
    cursor.common["workspace_roots"] = []
    text = cursor.start()["additional_context"]
    assert "Prefers short answers" in text
    assert "The databases" not in text


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"])))
def test_cursor_reads_the_text_as_it_is(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        for event in ("sessionStart", "postToolUse", "postToolUseFailure", "beforeSubmitPrompt"):
            line = DIALECT.reply(db, event, text)
            assert line.endswith("}\n")
            assert "\n" not in line[:-1]
            assert json.loads(line)["additional_context"] == text
        assert DIALECT.reply(db, "stop", text) == ""


def test_every_event_that_it_knows_has_a_hook() -> None:
    assert {name for name, _ in DIALECT.events.values()} == set(HOOKS.events)
    assert DIALECT.unheard < set(HOOKS.events)


ODD: list[Any] = [None, 7, -1.5, True, "", "\ud800", "x" * 300_000, [], [[]], {}, {"a": {"b": []}}, [None, 3]]


@pytest.mark.parametrize(("event", "part"), rotating(product(sorted(HOOKS.events), range(3)), keep=1))
def test_odd_payloads_do_no_harm(cursor: Cursor, event: str, part: int) -> None:
    whole = {
        **cursor.common,
        "hook_event_name": event,
        "prompt": "which port does the staging database listen on?",
        "tool_name": "Shell",
        "tool_input": {"path": "a.py", "command": "ls"},
        "tool_output": '{"output": "x", "exitCode": 1}',
        "file_path": str(cursor.world.memory / "shop/a.md"),
        "edits": [{"old_string": "a", "new_string": "b"}],
        "cwd": str(cursor.world.code),
    }
    texts = [json.dumps({**whole, name: odd}) for name, odd in zip(whole, ODD * 2, strict=False)]
    texts += [json.dumps(dict.fromkeys(whole, odd)) for odd in ODD]
    sent = json.dumps(whole)
    texts += ["", "null", "[]", sent[: len(sent) // 2], sent + sent, "\ufeff" + sent, "\0" + sent]
    for text in texts[part::3]:
        out = cursor.raw(event, text.encode("utf-8", "surrogatepass"))
        assert not out or json.loads(out)["additional_context"]
    assert cursor.world.errors() == ""


def test_an_event_that_nobody_wrote_down_is_passed_over(cursor: Cursor) -> None:
    assert cursor.tell("afterAgentThought", text="hm") == {}
    assert cursor.tell("subagentStart", subagent_type="explore") == {}
    assert cursor.world.spooled() == []
