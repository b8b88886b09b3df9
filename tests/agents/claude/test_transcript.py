"""Claude Code's transcripts: what user and agent said, and nothing that Claude Code said itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents.claude import records
from ctxrepo.agents.recorded import Message, ToolUse, prompts, reply

RECORDS = Path(__file__).parents[1] / "claude_records"


def saved(name: str) -> list[str]:
    return (RECORDS / f"{name}.jsonl").read_text("utf-8").splitlines()


def line(**fields: Any) -> str:
    return json.dumps({"sessionId": "s1", "timestamp": "2026-11-20T18:00:00.000Z", **fields})


def messages(lines: Iterable[str]) -> list[Message]:
    return list(records.messages(lines))


def says(message: str, *texts: str, **more: Any) -> str:
    content = [{"type": "text", "text": text} for text in texts] or [{"type": "tool_use", "id": "t"}]
    return line(type="assistant", message={"id": message, "content": content}, **more)


def test_the_last_reply_is_the_last_message_that_says_something() -> None:
    asked = line(type="user", message={"content": "and then?"})
    parts = [says("m1", "first"), asked, says("m2", "so"), says("m2", "be it")]
    assert reply(messages(parts)) == "so\nbe it"
    assert reply(messages([says("m1", "first"), asked, says("m2")])) == "first"
    aside = says("m2", "aside", isSidechain=True)
    assert reply(messages([says("m1", "first"), aside, "{torn"])) == "first"
    assert reply(messages([asked, '"assistant"', "null", '{"type": "assistant", "message": 7}'])) == ""


def test_parts_of_a_message_are_one_with_its_tools_and_its_place_in_the_tree() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/a.md"}}
    run = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "make test"}}
    lines = [
        line(type="user", uuid="u1", message={"content": "go"}),
        line(type="assistant", uuid="u2", parentUuid="u1", message={"id": "m1", "content": [use]}),
        line(type="assistant", uuid="u3", parentUuid="u2", message={"id": "m1", "content": [run]}),
    ]
    asked, done = messages(lines)
    assert (asked.id, done.id, done.parent) == ("u1", "u3", "u1")
    assert done.tools == (ToolUse("Edit", ("/a.md",)), ToolUse("Bash", (), "make test"))


def test_what_a_fork_copied_was_said_in_the_other_session() -> None:
    copied = line(type="user", forkedFrom={"sessionId": "s0"}, message={"content": "first"})
    conversation = messages([copied, line(type="user", message={"content": "then"})])
    assert [(m.text, m.session) for m in conversation] == [("first", "s0"), ("then", "s1")]


class TestPrompts:
    def user(self, content: Any, **fields: Any) -> str:
        return line(type="user", message={"role": "user", "content": content}, **fields)

    @pytest.mark.parametrize("name", ["tools", "compacted", "gone"])
    def test_of_the_real_one(self, name: str) -> None:
        texts = list(prompts(messages(saved(name))))
        session = records.read(saved(name))
        assert session
        assert len(texts) == session.happened["UserPromptSubmit"]
        assert all(texts)

    def test_only_what_a_person_typed(self) -> None:
        tool = [{"type": "tool_result", "tool_use_id": "x", "content": "no"}, {"type": "text", "text": "no"}]
        lines = [
            self.user("first"),
            self.user("<command-name>/compact</command-name>"),
            self.user("no", isMeta=True),
            self.user("no", isCompactSummary=True),
            self.user("no", isSidechain=True),
            self.user("This session is being continued from a previous conversation"),
            self.user("[Request interrupted by user]"),
            self.user(tool),
            self.user([{"type": "image", "source": {}}, {"type": "text", "text": "look\nhere"}]),
            self.user([{"type": "image"}, 3, None]),
            self.user(" "),
            line(type="assistant", message={"content": "no"}),
        ]
        assert list(prompts(messages(lines))) == ["first", "look\nhere"]

    @pytest.mark.parametrize(
        "odd", ["", "{", "[]", "3", '{"type": "user"}', '{"type": "user", "message": 3}', "\0"]
    )
    def test_odd_lines_are_passed_over(self, odd: str) -> None:
        assert list(prompts(messages([odd, self.user("x"), self.user("y")[:-9]]))) == ["x"]


GIVEN = "<command-args>b c</command-args>"
IDE = "<ide_opened_file>The user opened the file a.py in the IDE.</ide_opened_file>"


@pytest.mark.parametrize(
    ("blocks", "typed"),
    [
        ([IDE, "why?"], "why?"),
        ([f"{IDE}why?"], "why?"),
        (["<ide_selection>3 to 9:\nx = 1 < 2\n</ide_selection>", "move it"], "move it"),
        (['<div class="a">b</div> is not centred'], '<div class="a">b</div> is not centred'),
        (["is a <system-reminder> shown to me?"], "is a <system-reminder> shown to me?"),
        (["<system-reminder>as of\nnow</system-reminder>"], ""),
        (["<command-name>/clear</command-name>\n<command-args></command-args>"], ""),
        (["<command-message>a</command-message>\n<command-name>/a</command-name>\n" + GIVEN], "b c"),
        (["<bash-input>ls -l</bash-input>"], "ls -l"),
        (["<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>"], ""),
        (["<user-memory-input>use make</user-memory-input>"], "use make"),
        (["[Request interrupted by user]", "no, like this"], "no, like this"),
        ([""], ""),
    ],
)  # fmt: skip
def test_what_a_person_typed_is_told_block_by_block(blocks: list[str], typed: str) -> None:
    content = [{"type": "text", "text": text} for text in blocks]
    conversation = messages([line(type="user", message={"role": "user", "content": content})])
    assert [m.text for m in conversation] == [typed][: len(typed)]


@pytest.mark.parametrize("prompt", ["no, five", [{"type": "text", "text": f"{IDE}no, five"}]])
def test_what_was_typed_while_the_agent_worked_is_a_persons(prompt: object) -> None:
    queued = {"type": "queued_command", "commandMode": "prompt", "prompt": prompt}
    notice = {**queued, "commandMode": "task-notification", "prompt": "a task ended"}
    conversation = messages(
        [line(type="attachment", attachment=attachment, uuid="q") for attachment in (queued, notice)]
    )
    assert [(m.who, m.text, m.id) for m in conversation] == [("user", "no, five", "q")]
