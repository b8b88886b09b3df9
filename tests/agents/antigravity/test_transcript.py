"""Antigravity's transcripts: what user and agent said, and nothing that Antigravity or a hook said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transcripts import PLACES, recorded

from ctxrepo.agents.antigravity import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply, session_named
from ctxrepo.services.sessions.conversations import transcript_of
from ctxrepo.storage.disk.recent import globbed

LINES = recorded("antigravity").splitlines()
SESSION = "36842803-601e-4679-860a-8bf09b3798c8"


def test_only_what_was_typed_and_answered_is_told() -> None:
    messages = list(records.messages(LINES))
    refund = "/home/ada/shop/src/refund.py"
    assert [(message.who, message.text, message.tools) for message in messages] == [
        ("user", "Why does the refund test fail?", ()),
        (
            "agent",
            "I run it first.",
            (ToolUse("run_command", command="pytest -q tests/test_refund.py"),),
        ),
        (
            "agent",
            "",
            (ToolUse("view_file", paths=(refund,)), ToolUse("replace_file_content", paths=(refund,))),
        ),
        ("agent", "It retried a refund. Now it doesn't.", ()),
        ("user", "Thanks, commit it.", ()),
        ("agent", "Committed.", ()),
    ]
    assert [message.line for message in messages] == [0, 3, 5, 7, 9, 10]
    assert (messages[1].id, messages[1].at) == ("3", "2026-11-27T09:30:03Z")
    assert list(prompts(messages)) == ["Why does the refund test fail?", "Thanks, commit it."]
    assert reply(messages) == "Committed."


def test_a_folder_of_antigravitys_own_is_no_folder_of_the_session() -> None:
    scratch = [line.replace("/home/ada/shop", "/home/ada/.gemini/antigravity-cli/scratch") for line in LINES]
    assert records.head(scratch).cwd == ""
    assert records.head([*scratch, *LINES]).cwd == "/home/ada/shop"


@pytest.mark.parametrize(
    "torn",
    [
        "",
        "{",
        "null",
        "[]",
        '{"type": "USER_INPUT"}',
        '{"type": "USER_INPUT", "content": 7}',
        '{"type": "USER_INPUT", "content": "<USER_REQUEST>\\n</USER_REQUEST>"}',
        '{"type": "PLANNER_RESPONSE", "tool_calls": 7}',
        '{"type": "PLANNER_RESPONSE", "tool_calls": [7, null]}',
        '{"type": ["USER_INPUT"], "content": "x"}',
        LINES[0][:-9],
    ],
)
def test_what_cannot_be_read_is_left_out(torn: str) -> None:
    (message,) = records.messages([torn, LINES[-1]])
    assert message.text == "Committed."


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('"make test"', "make test"),
        ("make test", "make test"),
        ('"torn', '"torn'),
        (7, ""),
        ('"\\ud83d"', "\ud83d"),
    ],
)
def test_an_argument_is_read_as_json_or_as_it_is(written: object, read: str) -> None:
    calls = [{"name": "run_command", "args": {"CommandLine": written}}]
    (message,) = records.messages([json.dumps({"type": "PLANNER_RESPONSE", "tool_calls": calls})])
    assert message.tools == (ToolUse("run_command", command=read),)


def test_what_was_typed_without_tags_is_read_whole() -> None:
    plain = json.dumps({"type": "USER_INPUT", "step_index": 0, "content": " is a < b? "})
    assert list(records.messages([plain])) == [Message("user", "is a < b?", id="0")]


def test_a_session_is_found_by_its_id_and_named_after_its_folder(tmp_path: Path) -> None:
    file = tmp_path / PLACES["antigravity"]
    file.parent.mkdir(parents=True)
    file.touch()
    assert list(globbed(records.folder(tmp_path, {}), records.PATTERN)) == [file]
    assert transcript_of("antigravity", SESSION, tmp_path, {}) == str(file)
    assert session_named(str(file), records.OF_SESSION) == SESSION
    assert session_named("/p/s-1.jsonl", "*/{session}.jsonl") == "s-1"
