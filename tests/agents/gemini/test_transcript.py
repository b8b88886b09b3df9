"""Gemini CLI's transcripts: what user and agent said, and nothing that the model was told besides."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.gemini import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply

RECORDS = Path(__file__).parents[1] / "gemini_records"
HEAD = json.dumps({"sessionId": "s1", "projectHash": "x", "kind": "main"})


def saved(name: str) -> list[str]:
    return (RECORDS / f"{name}.jsonl").read_text("utf-8").splitlines()


def messages(lines: Iterable[str]) -> list[Message]:
    return list(records.messages(lines))


def line(name: str, kind: str, content: Any, **more: Any) -> str:
    return json.dumps(
        {"id": name, "timestamp": "2026-11-24T15:00:00Z", "type": kind, "content": content, **more}
    )


def user(name: str, *texts: str, **more: Any) -> str:
    return line(name, "user", [{"text": text} for text in texts], **more)


def test_a_recorded_session_with_tools_and_a_resume() -> None:
    conversation = messages(saved("tools"))
    assert [(m.who, m.text) for m in conversation] == [
        ("user", "please fix MARK_USER"),
        ("agent", ""),
        ("agent", ""),
        ("agent", "FAKE-OK"),
        ("user", "more MARK_TWO"),
        ("agent", "FAKE-OK"),
    ]
    (read,), (sub,) = conversation[1].tools, conversation[2].tools
    assert (read.name, read.paths) == ("read_file", ("notes.txt",))
    assert (sub.name, sub.paths) == ("invoke_agent", ())
    assert {m.session for m in conversation} == {"468131ec-4c74-41e5-b5e3-cab838453fa2"}
    assert [m.parent for m in conversation] == ["", *(m.id for m in conversation[:-1])]
    assert all(m.at.startswith("2026-11-24T15:32") for m in conversation)


def test_a_recorded_session_that_was_shortened_has_all_that_was_said() -> None:
    conversation = messages(saved("compacted"))
    assert [text[:15] for text in prompts(conversation)] == [
        "please fix MARK",
        "more MARK_TWO",
        "more MARK_THREE",
    ]
    assert "Got it." not in "".join(m.text for m in conversation)


def test_what_was_told_to_the_model_is_left_out() -> None:
    lines = [
        HEAD,
        user("u1", "<session_context>\nThis is the Gemini CLI.</session_context>"),
        user("u2", "fix it", "<hook_context>&lt;ctxrepo-memory&gt;</hook_context>"),
        user("u3", "<hook_context>of the start</hook_context>\n\nand this", "<hook_context>x</hook_context>"),
        line("u4", "user", [{"functionResponse": {"name": "x", "response": {"output": "no"}}}]),
        user(
            "u5", "look at @a", "\n--- Content from referenced files ---", "x = 1", "\n--- End of content ---"
        ),
        user("u6", "expanded", displayContent=[{"text": "typed"}]),
        line("g1", "gemini", " "),
        line("i1", "info", "Update available"),
    ]
    assert [m.text for m in messages(lines)] == ["fix it", "and this", "look at @a", "typed"]


def test_of_lines_with_one_id_the_last_counts() -> None:
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make test", "dir_path": "lib"}}
    lines = [
        HEAD,
        user("u1", "go"),
        line("g1", "gemini", "so"),
        line("g1", "gemini", "so be it", toolCalls=[call]),
    ]
    question, reply = messages(lines)
    assert (question.text, reply.text, reply.parent) == ("go", "so be it", "u1")
    assert reply.tools == (ToolUse("run_shell_command", ("lib",), "make test"),)


def test_a_session_that_went_back_has_branches() -> None:
    lines = [HEAD, user("u1", "a"), line("g1", "gemini", "A"), user("u2", "b"), line("g2", "gemini", "B")]
    lines += [json.dumps({"$rewindTo": "u2"}), user("u3", "c")]
    assert {m.id: m.parent for m in messages(lines)} == {
        "u1": "",
        "g1": "u1",
        "u2": "g1",
        "g2": "u2",
        "u3": "g1",
    }
    assert {m.id: m.parent for m in messages([*lines, json.dumps({"$rewindTo": "?"}), user("u4", "d")])}[
        "u4"
    ] == ""


def test_the_last_reply() -> None:
    assert reply(messages([HEAD, line("g1", "gemini", "first"), line("g2", "gemini", "")])) == "first"


@pytest.mark.parametrize(
    "odd",
    [
        *("", "{", "[]", "3", "\0", '{"id": "x"}', '{"id": 3, "type": "user"}', '{"$set": {"messages": 7}}'),
        *(
            '{"id": "x", "type": "user", "content": 3}',
            '{"id": "x", "type": "gemini", "toolCalls": [3, {"args": 4}]}',
        ),
        '{"$rewindTo": {"a": 1}}',
    ],
)
def test_odd_lines_are_passed_over(odd: str) -> None:
    conversation = messages([odd, HEAD, user("u1", "x"), odd, user("u2", "y")[:-9]])
    assert [m.text for m in conversation if m.text] == ["x"]


@pytest.mark.parametrize("indent", [None, 2])
def test_sessions_of_older_versions_are_one_document(indent: int | None) -> None:
    asked = {"id": "u1", "timestamp": "2025-09-01T10:00:00.000Z", "type": "user", "content": "why {\n}?"}
    record = {"id": "g1", "timestamp": "2025-09-01T10:00:05.000Z", "type": "gemini", "content": "because"}
    document = {"sessionId": "s1", "startTime": "2025-09-01T09:59:00.000Z", "messages": [asked, record]}
    lines = json.dumps(document, indent=indent).split("\n")

    assert records.head(lines).id == "s1"
    assert [(m.who, m.text, m.parent, m.session) for m in records.messages(lines)] == [
        ("user", "why {\n}?", "", "s1"),
        ("agent", "because", "u1", "s1"),
    ]
    assert all('"u1"' in "".join(lines[m.line : m.line + 3]) for m in records.messages(lines) if m.id == "u1")


def test_a_session_is_found_by_its_file() -> None:
    names = records.OF_SESSION.format(session="468131ec-4c74-41e5-b5e3-cab838453fa2").split("|")
    for ending, name in zip(("jsonl", "json"), names, strict=True):
        assert Path(f"shop/chats/session-2026-11-24T15-32-468131ec.{ending}").match(name)
    assert not Path("shop/chats/468131ec-4c74-41e5-b5e3-cab838453fa2/18b812fe.jsonl").match(records.PATTERN)
    assert records.folder(Path("/h"), {}) == Path("/h/.gemini/tmp")
