"""pi's transcripts: what user and agent said, on which branch, and in which session first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.pi import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply

SAVED = Path(__file__).with_name("forked.jsonl")
"""A real session, forked in its second turn, with an edit and a compaction."""

HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-11-24T10:00:00.000Z", "cwd": "/code"}


def entry(name: str, parent: str | None, role: str, content: Any, kind: str = "message", **more: Any) -> str:
    fields = {"type": kind, "id": name, "parentId": parent, "timestamp": "2026-11-24T10:00:01.000Z", **more}
    return json.dumps({**fields, "message": {"role": role, "content": content}})


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def messages(*lines: str, head: dict[str, Any] = HEAD) -> list[Message]:
    return list(records.messages([json.dumps(head), *lines]))


def test_of_the_real_one_both_speak_and_nothing_is_ours() -> None:
    messages = list(records.messages(SAVED.read_text().splitlines()))
    assert [*prompts(messages)] == [
        "Which port does redis listen on here?",
        "hello there",
        "Write that down.",
    ]
    assert reply(messages) == "Done."
    assert not any("ctxrepo-memory" in message.text for message in messages)
    names = {message.id for message in messages}
    assert all(message.parent in names for message in messages[1:])
    first, *_, last = messages
    assert first.session != last.session
    assert last.session == json.loads(SAVED.read_text().split("\n")[0])["id"]
    (use,) = [tool for message in messages for tool in message.tools]
    assert (use.name, use.paths) == ("edit", ("/memory/shop/topics/gotcha.md",))


def test_messages_are_a_tree_whatever_stands_between_them() -> None:
    asked, done, other, more = messages(
        entry("system", None, "system", ""),
        entry("ours", "system", "", "", kind="custom_message"),
        entry("asked", "ours", "user", "go"),
        entry("done", "asked", "assistant", text("gone")),
        entry("result", "done", "toolResult", text("output")),
        entry("other", "ours", "user", text("stay")),
        entry("more", "result", "assistant", text("further")),
    )
    assert (asked.parent, done.parent, other.parent, more.parent) == ("", "asked", "", "done")
    assert (asked.who, asked.text, done.who, done.text) == ("user", "go", "agent", "gone")


def test_tools_have_their_paths_and_commands() -> None:
    calls = [
        {"type": "toolCall", "id": "t1", "name": "edit", "arguments": {"path": "a.md", "edits": []}},
        {"type": "toolCall", "id": "t2", "name": "bash", "arguments": {"command": "make"}},
        {"type": "toolCall", "id": "t3", "name": "odd", "arguments": 7},
    ]
    (message,) = messages(entry("a", None, "assistant", calls))
    assert message.tools == (
        ToolUse("edit", ("a.md",)),
        ToolUse("bash", (), "make"),
        ToolUse("odd"),
    )


def test_what_a_fork_copied_was_said_in_the_other_session() -> None:
    head = {**HEAD, "id": "s2", "timestamp": "2026-11-24T11:00:00.000Z", "parentSession": "/x/2026_s1.jsonl"}
    later = entry("b", "a", "user", "then", timestamp="2026-11-24T11:00:01.000Z")
    conversation = messages(entry("a", None, "user", "first"), later, head=head)
    assert [(message.text, message.session) for message in conversation] == [("first", "s1"), ("then", "s2")]


def test_of_a_skill_what_was_typed_behind_it_is_left() -> None:
    skill = '<skill name="pdf" location="/s/SKILL.md">\nReferences.\n\n# PDF\n</skill>'
    conversation = messages(entry("a", None, "user", f"{skill}\n\nfix it"), entry("b", "a", "user", skill))
    assert [message.text for message in conversation] == ["fix it"]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{torn",
        "null",
        "[]",
        '{"type": "message"}',
        '{"type": "message", "message": 7}',
        '{"type": "message", "message": {"role": "user", "content": 7}}',
        '{"type": "message", "message": {"role": "user", "content": [7, {"type": "text", "text": 7}]}}',
        '{"type": "message", "message": {"role": ["user"], "content": "x"}}',
        '{"type": "session", "id": 7, "parentSession": []}',
    ],
)
def test_what_cannot_be_read_is_left_out(line: str) -> None:
    assert messages(line) == []


def test_a_session_is_found_wherever_pi_was_told_to_keep_it(tmp_path: Path) -> None:
    name = "2026-11-24T15-42-49-916Z_01a2-b.jsonl"
    for place in (tmp_path / ".pi/agent/sessions/--code--", tmp_path / "kept"):
        place.mkdir(parents=True)
        (place / name).write_text("")
    for env in ({}, {"PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "kept")}):
        below = records.folder(tmp_path, env)
        for pattern in (records.PATTERN, records.OF_SESSION.format(session="01a2-b")):
            assert [file.name for file in below.glob(pattern)] == [name]
