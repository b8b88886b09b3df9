"""Codex' transcripts: what user and agent said, without what Codex and hooks told the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxrepo.agents.codex import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply


def event(kind: str, text: str, name: str, session: str = "s1") -> str:
    item = {"type": kind, "id": name, "content": [{"type": "Text", "text": text}]}
    return line("event_msg", {"type": "item_completed", "thread_id": session, "item": item})


def line(kind: str, payload: Any) -> str:
    return json.dumps({"timestamp": "2026-11-24T15:44:54.712Z", "type": kind, "payload": payload})


def call(name: str, **fields: Any) -> str:
    return line("response_item", {"type": "function_call", "name": name, "call_id": "c1", **fields})


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Update File: b.py\n*** End Patch\n"
ROLLOUT = [
    line("session_meta", {"id": "s1", "cwd": "/shop"}),
    line(
        "response_item", {"type": "message", "role": "user", "content": [{"text": "<environment_context>"}]}
    ),
    event("UserMessage", "fix it", "u1"),
    line("response_item", {"type": "message", "role": "developer", "content": [{"text": "<ctxrepo-memory"}]}),
    call("exec_command", arguments='{"cmd": "make test"}'),
    line(
        "response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": PATCH}
    ),
    event("AgentMessage", "done", "m1"),
]


def messages(lines: list[str]) -> list[Message]:
    return list(records.messages(lines))


def test_who_said_what_and_used_which_tools() -> None:
    asked, done = messages(ROLLOUT)
    assert (asked.who, asked.text, asked.id, asked.session) == ("user", "fix it", "u1", "s1")
    assert (done.who, done.text, done.parent) == ("agent", "done", "u1")
    assert done.tools == (
        ToolUse("exec_command", "c1", (), "make test"),
        ToolUse("apply_patch", "c2", ("a.py", "b.py")),
    )
    assert list(prompts(messages(ROLLOUT))) == ["fix it"]
    assert reply(messages(ROLLOUT)) == "done"


@pytest.mark.parametrize("odd", ["", "{", "[]", "3", '{"payload": 3}', '{"payload": {"item": 3}}', "\0"])
def test_odd_lines_are_passed_over(odd: str) -> None:
    assert messages([odd, *ROLLOUT, ROLLOUT[-1][:-9]]) == messages(ROLLOUT)


def test_a_call_with_odd_arguments_is_a_call() -> None:
    found = messages([call("exec_command", arguments="{torn"), event("AgentMessage", "done", "m1")])
    assert found[0].tools == (ToolUse("exec_command", "c1"),)
