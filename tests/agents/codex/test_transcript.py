"""Codex' transcripts: what user and agent said, without what Codex and hooks told the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxrepo.agents.codex import records
from ctxrepo.agents.recorded import Message, SessionHead, ToolUse, prompts, reply


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
        ToolUse("exec_command", (), "make test"),
        ToolUse("apply_patch", ("a.py", "b.py")),
    )
    assert list(prompts(messages(ROLLOUT))) == ["fix it"]
    assert reply(messages(ROLLOUT)) == "done"


@pytest.mark.parametrize("odd", ["", "{", "[]", "3", '{"payload": 3}', '{"payload": {"item": 3}}', "\0"])
def test_odd_lines_are_passed_over(odd: str) -> None:
    assert messages([odd, *ROLLOUT, ROLLOUT[-1][:-9]]) == messages(ROLLOUT)


def test_a_call_with_odd_arguments_is_a_call() -> None:
    conversation = messages([call("exec_command", arguments="{torn"), event("AgentMessage", "done", "m1")])
    assert conversation[0].tools == (ToolUse("exec_command"),)


def for_model(role: str, text: str, *, bare: bool = False) -> str:
    """A message for the model; of 2025 without an envelope."""
    kind = "input_text" if role == "user" else "output_text"
    message = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return json.dumps({**message, "id": None}) if bare else line("response_item", message)


def told(who: str, text: str) -> str:
    return line("event_msg", {"type": f"{who}_message", "message": text})


PLACE = "<environment_context>\n  <cwd>/shop</cwd>\n</environment_context>"
RULES = "# AGENTS.md instructions for /shop\n\n<INSTRUCTIONS>\nuse make\n</INSTRUCTIONS>"
META = line("session_meta", {"id": "s1", "cwd": "/shop"})
OF_2025 = json.dumps({"id": "s1", "timestamp": "2025-05-07T17:24:21.123Z", "instructions": None})
ITEMS = [event("UserMessage", "why?", "u1"), event("AgentMessage", "so", "m1")]
EVENTS = [told("user", "why?"), told("agent", "so")]
FOR_MODEL = [for_model("user", PLACE), for_model("user", RULES), for_model("user", "why?")]
EVERY_FORM = {
    "items": [META, *FOR_MODEL, ITEMS[0], for_model("assistant", "so"), ITEMS[1]],
    "events": [META, *FOR_MODEL, EVENTS[0], EVENTS[1], for_model("assistant", "so")],
    "both": [META, *FOR_MODEL, ITEMS[0], EVENTS[0], EVENTS[1], ITEMS[1]],
    "messages for the model": [META, *FOR_MODEL, call("shell"), for_model("assistant", "so")],
    "2025": [
        *(OF_2025, '{"record_type": "state"}', for_model("user", PLACE, bare=True)),
        *(for_model("user", "why?", bare=True), for_model("assistant", "so", bare=True)),
    ],
}


@pytest.mark.parametrize("form", EVERY_FORM)
def test_every_form_that_it_ever_wrote_is_read_once(form: str) -> None:
    assert [(m.who, m.text) for m in messages(EVERY_FORM[form])] == [("user", "why?"), ("agent", "so")]
    assert records.head(EVERY_FORM[form]) == SessionHead("s1", "/shop")


def test_what_only_the_model_is_told_beside_events_nobody_typed() -> None:
    lines = [META, *FOR_MODEL, for_model("user", "a hook says"), *ITEMS, for_model("user", "a hook says")]
    assert [m.text for m in messages(lines)] == ["why?", "so"]


def test_a_session_that_went_on_in_a_newer_version_is_read_whole() -> None:
    before = [META, for_model("user", PLACE), for_model("user", "first"), for_model("assistant", "answered")]
    assert [m.text for m in messages([*before, *FOR_MODEL, *ITEMS])] == ["first", "answered", "why?", "so"]


def test_what_an_editor_puts_before_a_request_nobody_typed() -> None:
    asked = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nfix it\n"
    assert [m.text for m in messages([META, told("user", asked)])] == ["fix it"]
