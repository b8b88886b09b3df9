"""What Claude Code's records tell about our hooks: trimmed sessions of the real one, and odd lines."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from checkout import CLAUDE_RECORDS

from ctxrepo.agents.claude import records as claude_records
from ctxrepo.agents.recorded import RecordedSession

SAVED = CLAUDE_RECORDS

TAG = '<ctxrepo-memory tag="0123456789abcdef">\nx\n</ctxrepo-memory tag="0123456789abcdef">\n'


def saved(name: str) -> list[str]:
    return (SAVED / f"{name}.jsonl").read_text("utf-8").splitlines()


def read(lines: list[str], is_whole: bool = True) -> RecordedSession:
    session = claude_records.read(lines, is_whole)
    assert session is not None
    return session


def outcomes(session: RecordedSession) -> Counter[tuple[str, str]]:
    return Counter((call.event, call.outcome) for call in session.calls)


def line(**fields: Any) -> str:
    return json.dumps({"sessionId": "s", "timestamp": "2026-11-20T18:00:00.000Z", **fields})


def gives(content: str) -> str:
    attachment = {"type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "content": [content]}
    return line(type="attachment", attachment=attachment)


def sends(text: str) -> str:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return line(type="api-request-blob", message=message)


def test_a_session_with_tools() -> None:
    session = read(saved("tools"))
    assert outcomes(session) == {("SessionStart", "ran"): 1, ("Stop", "ran"): 2}
    assert all(call.took for call in session.calls)
    assert session.happened == {
        "SessionStart": 1,
        "UserPromptSubmit": 2,
        "PreToolUse": 4,
        "PostToolUse": 3,
        "PostToolUseFailure": 0,
        "SubagentStart": 0,
        "PreCompact": 0,
        "Stop": 2,
        "SessionEnd": 1,
    }
    assert [given.event for given in session.given] == [
        "SessionStart",
        *["UserPromptSubmit"] * len(session.given[1:]),
    ]
    assert {given.fate for given in session.given} == {"sent"}
    assert session.cwd == "/home/ada/shop"
    assert session.began < session.last


def test_a_subagent_is_counted_where_it_was_started() -> None:
    use = [
        {"type": "tool_use", "id": f"t{n}", "name": name} for n, name in enumerate(("Agent", "Task", "Bash"))
    ]
    done = [{"type": "tool_result", "tool_use_id": f"t{n}", "is_error": n == 1} for n in range(3)]
    session = read(
        [
            line(type="assistant", message={"id": "m", "content": use}),
            line(type="user", message={"role": "user", "content": done}),
        ]
    )
    assert session.happened["SubagentStart"] == 1


def test_behind_a_command_that_a_hook_refused_no_hook_is_missed() -> None:
    use = [{"type": "tool_use", "id": f"t{n}", "name": "Bash"} for n in range(2)]
    why = ("PreToolUse:Bash hook error: Refused by a rule", "Exit code 1")
    done = [
        {"type": "tool_result", "tool_use_id": f"t{n}", "is_error": True, "content": words}
        for n, words in enumerate(why)
    ]
    session = read(
        [
            line(type="assistant", message={"id": "m", "content": use}),
            line(type="user", message={"role": "user", "content": done}),
        ]
    )
    assert (session.happened["PreToolUse"], session.happened["PostToolUseFailure"]) == (2, 1)


def test_the_part_of_a_subagent() -> None:
    assert claude_records.read(saved("subagent")) is None
    part = claude_records.read(saved("subagent"), is_subagent=True)
    assert part is not None
    counts = {"PreToolUse": 2, "PostToolUse": 2, "PostToolUseFailure": 0, "SubagentStart": 0}
    assert part.happened == counts
    assert outcomes(part) == {("SubagentStart", "ran"): 1, ("PostToolUse", "ran"): 1}
    assert [(given.event, given.fate) for given in part.given] == [
        ("SubagentStart", "sent"),
        ("PostToolUse", "sent"),
    ]
    session = read(saved("starter"))
    whole = session.with_part(part)
    assert (whole.id, whole.began, whole.last) == (session.id, session.began, session.last)
    assert whole.happened == {**session.happened, "PostToolUse": 2, "PreToolUse": 3}
    assert (len(whole.calls), len(whole.given)) == (len(session.calls) + 2, len(session.given) + 2)


def test_a_compaction_and_what_is_given_after_it() -> None:
    session = read(saved("compacted"))
    assert outcomes(session)["SessionStart", "ran"] == 2
    assert outcomes(session)["PreCompact", "ran"] == 1
    assert session.happened["PreCompact"] == 1
    assert session.happened["UserPromptSubmit"] == 4, "Claude Code's own words are no prompts"
    fates = Counter((given.event, given.fate) for given in session.given)
    assert fates == {("SessionStart", "sent"): 2, ("UserPromptSubmit", "sent"): 3}


def test_hooks_of_the_plugin_are_ours() -> None:
    assert outcomes(read(saved("plugin"))) == {("SessionStart", "ran"): 1, ("Stop", "ran"): 5}


def test_an_interpreter_that_is_gone_fails_every_hook() -> None:
    session = read(saved("gone"))
    counted = {(event, "failed"): 2 for event in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")}
    assert outcomes(session) == {**counted, ("PreCompact", "failed"): 1}
    assert "/bin/sh: 1: /opt/python/bin/python-gone: not found" in {c.words for c in session.calls}
    assert session.given == ()


def test_a_hook_that_fails_without_a_word_has_its_status() -> None:
    attachment = {"type": "hook_non_blocking_error", "hookEvent": "Stop", "stderr": "", "exitCode": 3}
    (call,) = read([line(attachment={**attachment, "command": "x ctxrepo/hook.py claude Stop"})]).calls
    assert (call.outcome, call.words, call.took) == ("failed", "it ended with 3", None)


def test_hooks_that_outlast_their_time_are_told_once_each() -> None:
    session = read(saved("slow"))
    ended = {(event, "ended"): 2 for event in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")}
    assert outcomes(session) == {**ended, ("PreCompact", "ended"): 1}
    unsure = {call.event for call in session.calls if not call.is_surely_ours}
    assert unsure == {"PostToolUse"}, "only there the record doesn't say whose hook it was"


@pytest.mark.parametrize("name", ["tools", "compacted", "gone"])
def test_nothing_that_was_said_is_kept(name: str) -> None:
    kept = repr(read(saved(name)))
    for words in ("redis", "Which port", "database tests", "6380", "This is ctxrepo"):
        assert words not in kept


def test_hooks_of_others_are_not_ours() -> None:
    lines = [text.replace("ctxrepo/hook.py", "other/hook.py") for text in saved("tools")]
    assert read(lines).calls == ()


def test_another_agents_hook_of_ours_is_not_this_ones() -> None:
    lines = [text.replace("hook.py claude ", "hook.py codex ") for text in saved("tools")]
    assert read(lines).calls == ()


def test_a_subagents_turns_are_not_the_sessions() -> None:
    record = {"type": "user", "message": {"content": "find it"}}
    assert read([line(**record), line(**record, isSidechain=True)]).happened["UserPromptSubmit"] == 1


def test_what_was_given_and_came_to_no_request_is_lost() -> None:
    assert read([gives(TAG), sends("hello")]).given[0].fate == "lost"
    assert read([gives(TAG), sends(TAG)]).given[0].fate == "sent"
    assert read([sends(TAG), gives(TAG), sends("hello")]).given[0].fate == "lost", (
        "a request before it is none"
    )


def test_what_no_request_follows_is_open() -> None:
    assert read([gives(TAG)]).given[0].fate == "open"
    assert read([gives(TAG), sends("hello")], is_whole=False).given[0].fate == "open"


def test_what_the_agent_shortened_is_cut() -> None:
    stub = "<persisted-output>\nOutput too large (11.7KB).\n" + TAG.partition("</")[0]
    assert read([gives(stub), sends(stub)]).given[0].fate == "cut"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"x"', "{}", "[" * 5000, '{"sessionId": 1}', "\0", "9" * 9000]
)
def test_a_file_without_a_session_is_none(text: str) -> None:
    assert claude_records.read([text]) is None


@pytest.mark.parametrize(
    "odd",
    [
        {"attachment": 7},
        {"attachment": {"type": ["hook_success"], "hookEvent": {}}},
        {"attachment": {"type": "hook_cancelled", "hookEvent": "Stop", "durationMs": "long"}},
        {"attachment": {"type": "hook_x_error", "hookEvent": "Stop", "command": {}, "stderr": 5}},
        {"subtype": "stop_hook_summary", "hookInfos": [None, {"command": None}], "failedHookErrorIndexes": 3},
        {"message": []},
        {"type": "assistant", "message": {"content": [None, {"type": "tool_use", "id": []}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": {}}]}},
        {"type": "api-request-blob", "message": {"content": {"a": [{"b": None}]}}},
        {"timestamp": "yesterday" * 999, "cwd": "/x" * 9999, "isSidechain": "no"},
    ],
)
def test_odd_lines_hurt_nobody(odd: dict[str, Any]) -> None:
    session = read([line(**odd), line()])
    assert session.began == "2026-11-20T18:00:00.000Z"
    assert len(repr(session)) < 2000
