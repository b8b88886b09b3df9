"""Copilot CLI's transcripts: what user and agent said, without subagents, hooks and what Copilot added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.copilot import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply
from ctxrepo.errors import ConfigError
from ctxrepo.storage.disk.recent import globbed

RECORDED = (Path(__file__).parent / "events.jsonl").read_text("utf-8").splitlines()
HOME = Path("/home/ada")


def messages(lines: list[str]) -> list[Message]:
    return list(records.messages(lines))


def user(text: Any, **more: Any) -> str:
    data = {"content": text, "transformedContent": f"<system_reminder>{text}</system_reminder>", **more}
    return json.dumps({"type": "user.message", "data": data, "id": "u", "timestamp": "2026-11-24T15:29:56Z"})


def test_who_said_what_in_the_recorded_session() -> None:
    conversation = messages(RECORDED)
    assert list(prompts(conversation)) == ["please fix the notes", "and now?"]
    assert reply(conversation) == "It is done."
    assert {m.session for m in conversation} == {"0661345b-cdaf-4595-9117-59fc8f7b659c"}
    assert [m.parent for m in conversation] == ["", *(m.id for m in conversation[:-1])]
    assert len({m.id for m in conversation}) == len(conversation)
    assert all(m.at.startswith("2026-11-24T15:") for m in conversation)
    text = "".join(m.text for m in conversation)
    for word in ("ctxrepo-memory", "system_reminder", "current_datetime", "SUBTASK", "sub done"):
        assert word not in text


def test_which_tools_were_used_on_what() -> None:
    tools = [tool for message in messages(RECORDED) for tool in message.tools]
    assert tools == [
        ToolUse("view", ("/shop/notes.txt",)),
        ToolUse("bash", (), "make test"),
        ToolUse("task"),
    ]


def test_what_nobody_typed_is_left_out() -> None:
    lines = [
        user("mine"),
        user("a skill's", source="skill-x"),
        user("theirs", source="user"),
        user(" "),
        user(3),
    ]
    assert list(prompts(messages(lines))) == ["mine", "theirs"]


@pytest.mark.parametrize(
    "odd",
    [
        *("", "{", "[]", "3", "\0", '{"type": "user.message"}', '{"type": "user.message", "data": 3}'),
        '{"type": "assistant.message", "data": {"toolRequests": [3, {"arguments": "x", "name": {}}]}}',
        '{"type": {}, "data": {"content": "no"}}',
        user("no")[:-9],
    ],
)
def test_odd_lines_are_passed_over(odd: str) -> None:
    assert [m.text for m in messages([odd, user("x")]) if m.who == "user"] == ["x"]


def test_a_sessions_file_is_found_by_its_id(tmp_path: Path) -> None:
    folder = records.folder(tmp_path, {})
    file = folder / "session-state" / "s1" / "events.jsonl"
    file.parent.mkdir(parents=True)
    file.touch()
    assert list(globbed(folder, records.PATTERN)) == [file]
    assert list(globbed(folder, records.OF_SESSION.format(session="s1"))) == [file]
    assert records.folder(HOME, {"COPILOT_HOME": "/w"}) == Path("/w")
    with pytest.raises(ConfigError, match="COPILOT_HOME"):
        records.folder(HOME, {"COPILOT_HOME": "w"})
