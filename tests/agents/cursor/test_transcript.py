"""Cursor's transcripts: what user and agent said, and nothing that Cursor said itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.cursor import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply
from ctxrepo.services.sessions.conversations import transcript_of
from ctxrepo.storage.disk.recent import globbed

SESSION = "0b41d9e6-6e0c-4f6c-9d53-0d0c5a7a1f10"


def line(role: str, *blocks: Any) -> str:
    return json.dumps({"role": role, "message": {"content": list(blocks)}})


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def use(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "name": name, "input": given}


CONVERSATION = [
    line(
        "user",
        text("<open_files>\n/code/src/pay.py\n</open_files>"),
        text("<timestamp>Sunday, Nov 22</timestamp>\n<user_query>\nretry the refund?\n</user_query>"),
    ),
    line("assistant", text("I look.\n"), use("Read", path="/code/src/pay.py"), use("Shell", command="make")),
    line("assistant", use("StrReplace", path="src/pay.py", old_string="a", new_string="b")),
    '{"type": "turn_ended", "status": "completed"}',
    line("user", text("<system_reminder>\nThe memory says: never.\n</system_reminder>")),
    line("user", text("<user_query>thanks,\nand now?</user_query>")),
    line("assistant", text("Done.")),
]


def test_only_what_was_typed_and_answered_is_told() -> None:
    assert list(records.messages(CONVERSATION)) == [
        Message("user", "retry the refund?"),
        Message(
            "agent",
            "I look.",
            tools=(ToolUse("Read", paths=("/code/src/pay.py",)), ToolUse("Shell", command="make")),
        ),
        Message("agent", "", tools=(ToolUse("StrReplace", paths=("src/pay.py",)),)),
        Message("user", "thanks,\nand now?"),
        Message("agent", "Done."),
    ]
    assert list(prompts(records.messages(CONVERSATION))) == ["retry the refund?", "thanks,\nand now?"]
    assert reply(records.messages(CONVERSATION)) == "Done."


def test_a_text_without_tags_is_typed_whole() -> None:
    plain = json.dumps({"role": "user", "message": {"content": " is a < b? "}})
    assert list(records.messages([plain])) == [Message("user", "is a < b?")]


@pytest.mark.parametrize(
    "torn",
    [
        "",
        "{",
        "null",
        "[]",
        '{"role": 7}',
        '{"role": "user"}',
        '{"role": "user", "message": null}',
        '{"role": "assistant", "message": {"content": [7, null, {"type": "tool_use", "input": 7}]}}',
        '{"role": "user", "message": {"content": {"type": "text"}}}',
        '{"role": "user", "message": {"content": [{"type": "text", "text": 7}]}}',
        CONVERSATION[0][:-9],
    ],
)
def test_what_cannot_be_read_is_left_out(torn: str) -> None:
    messages = list(records.messages([torn, CONVERSATION[-1]]))
    assert messages[-1] == Message("agent", "Done.")
    assert all(not message.text and message.tools == (ToolUse(""),) for message in messages[:-1])


def test_a_session_is_found_by_its_id(tmp_path: Path) -> None:
    folder = records.folder(tmp_path, {})
    assert folder == tmp_path / ".cursor"
    of_session = folder / f"projects/home-ada-shop/agent-transcripts/{SESSION}"
    of_session.mkdir(parents=True)
    (of_session / f"{SESSION}.jsonl").touch()
    (of_session / "subagents").mkdir()
    (of_session / "subagents/7.jsonl").touch()
    assert transcript_of("cursor", SESSION, tmp_path, {}) == str(of_session / f"{SESSION}.jsonl")
    assert list(globbed(folder, records.PATTERN)) == [of_session / f"{SESSION}.jsonl"]
