"""Copilot CLI's records of hooks: which were called, how long, and what became of what they gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.copilot import records
from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.agents.recorded import RecordedSession

RECORDED = (Path(__file__).parent / "events.jsonl").read_text("utf-8").splitlines()
TAG = '<ctxrepo-memory tag="0a">\nx\n</ctxrepo-memory tag="0a">\n'


def read(lines: list[str], is_whole: bool = True) -> RecordedSession:
    session = records.read(lines, is_whole)
    assert session
    return session


def line(kind: str, second: int = 0, **data: Any) -> str:
    return json.dumps({"type": kind, "data": data, "timestamp": f"2026-11-24T15:00:{second:02}.000Z"})


BEGIN = line("session.start", sessionId="s1", context={"cwd": "/shop"})


def gave(event: str, text: str, **more: Any) -> str:
    end = {"hookInvocationId": "h", "hookType": event, "success": True, "output": {"additionalContext": text}}
    return line("hook.end", 2, **end | more)


def test_of_the_recorded_session() -> None:
    session = read(RECORDED)
    assert (session.id, session.cwd) == ("0661345b-cdaf-4595-9117-59fc8f7b659c", "/shop")
    assert session.began < session.last
    assert session.happened["sessionStart"] == 2
    assert session.happened["agentStop"] == 3, "two turns, and a subagent's"
    assert session.happened["sessionEnd"] == 0, "the line was left out of the sample"
    assert {call.outcome for call in session.calls} == {"ran"}
    assert {call.event for call in session.calls} <= set(DIALECT.event_names())
    assert all(0 < (call.took or 0) < 1000 for call in session.calls)
    ours = {call.event for call in session.calls if call.is_surely_ours}
    assert ours == {"sessionStart", "userPromptSubmitted", "subagentStart"}
    fates = {(given.event, given.fate) for given in session.given}
    assert fates == {("sessionStart", "open"), ("userPromptSubmitted", "sent"), ("subagentStart", "sent")}


def test_nothing_that_was_said_is_kept() -> None:
    kept = repr(read(RECORDED))
    for words in ("fix the notes", "and now", "SUBTASK", "the index", "make test"):
        assert words not in kept


def test_tools_that_matter_are_counted_when_they_did_their_work() -> None:
    lines = [BEGIN]
    for name, success in (("edit", True), ("edit", False), ("task", True), ("bash", True), ("bash", "yes")):
        call = f"c{len(lines)}"
        lines += [
            line("tool.execution_start", toolCallId=call, toolName=name),
            line("tool.execution_complete", toolCallId=call, success=success),
        ]
    assert read(lines).happened["postToolUse"] == 2
    assert read(lines).happened["preToolUse"] == 5, "before each of them"


@pytest.mark.parametrize("event", ["userPromptSubmitted", "postToolUse", "sessionStart"])
def test_what_was_given_is_looked_for_behind_it(event: str) -> None:
    answer = line("assistant.message", 3, content="ok")
    message = line("user.message", 3, transformedContent=f"hi\n{TAG}")
    result = line("tool.execution_complete", 3, result={"content": TAG})
    never = "open" if event == "sessionStart" else "lost"
    for behind, fate in {message: "sent", result: "sent", answer: never, BEGIN: "open"}.items():
        assert [g.fate for g in read([BEGIN, gave(event, TAG), behind]).given] == [fate]
    assert [g.fate for g in read([BEGIN, message, gave(event, TAG), answer]).given] == [never]
    assert read([BEGIN, gave(event, TAG), answer], is_whole=False).given[0].fate == "open"
    assert read([BEGIN, gave(event, "somebody else's"), answer]).given == ()


def test_a_hook_that_failed_is_ours_where_its_error_names_us() -> None:
    start = line("hook.start", 1, hookInvocationId="h", hookType="agentStop")
    ours = gave("agentStop", "", success=False, error="timed out: /x/ctxrepo/hook.py copilot agentStop")
    theirs = gave("agentStop", "", success=False, error="timed out: lint.sh")
    (call,) = read([BEGIN, start, ours, theirs]).calls
    assert (call.outcome, call.took, call.event) == ("failed", 1000, "agentStop")


def test_hooks_of_events_that_we_have_none_for_are_left_out() -> None:
    assert read([BEGIN, gave("permissionRequest", ""), gave("errorOccurred", "")]).calls == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"x"', "{}", "[" * 5000, "\0", line("session.start")]
)
def test_a_file_without_a_session_is_none(text: str) -> None:
    assert records.read([text]) is None


@pytest.mark.parametrize(
    "odd",
    [
        line("hook.end", hookType=3, success="yes", output=[]),
        line("hook.end", hookType="agentStop", success=True, output={"additionalContext": {}}),
        line("tool.execution_complete", toolCallId=[], success=True, result=3),
        line("session.start", sessionId="s2", context=3),
        json.dumps({"type": "session.resume", "data": {}, "timestamp": "yesterday" * 999}),
        json.dumps({"type": [], "data": {"hookType": {}}, "timestamp": "2026-11-24T15:00:00.000Z"}),
    ],
)
def test_odd_lines_hurt_nobody(odd: str) -> None:
    session = read([BEGIN, odd, "{torn"])
    assert session.id == "s1"
    assert len(repr(session)) < 2000
