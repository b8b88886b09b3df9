"""Copilot CLI's events reach the hooks, as recorded and otherwise, and each is answered in its shape."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from checkout import PAYLOADS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import rotating
from world import World

from ctxrepo.agents.copilot.dialect import DIALECT
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.door import answer
from ctxrepo.hooks.session.ledger import read_ledger
from ctxrepo.hooks.session.ledger_file import ledger_path

RECORDED = PAYLOADS.parent / "copilot"
SESSION = "0661345b-cdaf-4595-9117-59fc8f7b659c"
SUB = "9fd307ac-b669-47aa-aec3-8e85785093ec"
INDEX = "## Index of notes"
PORT = "Which port does the staging database have?"
TASK = "Look up which port staging has."


class Copilot:
    """Copilot CLI in the project's checkout, as it tells its hooks of a session."""

    def __init__(self, world: World) -> None:
        self.world = world

    def tell(self, payload: str, **fill: str) -> str:
        """What it is answered to a recorded payload, as additionalContext; '' for silence."""
        return self.raw(payload.partition("-")[0], said(self.world, payload, **fill))

    def raw(self, event: str, text: str) -> str:
        out = self.world.raw(text.encode("utf-8", "surrogatepass"), event, agent="copilot")
        if not out:
            return ""
        answer = json.loads(out)
        assert list(answer) == ["additionalContext"]
        return str(answer["additionalContext"])

    def given(self, sub: str = "") -> dict[str, str]:
        """The entries that the session knows."""
        path = ledger_path(str(self.world.state), "copilot", SESSION, sub)
        return read_ledger(path, self.world.folder.name).entries


def said(world: World, payload: str, **fill: str) -> str:
    text = (RECORDED / f"{payload}.json").read_text()
    given = {"cwd": str(world.code), "home": str(world.root), "prompt": PORT, "file": "a.py", **fill}
    for name, value in {"wrote": "x\n", "command": "make", **given}.items():
        text = text.replace(f"@{name}@", json.dumps(value)[1:-1])
    return text


@pytest.fixture
def copilot(world: World) -> Copilot:
    return Copilot(world)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as made:
        yield made


def tool(name: str, text: str, kind: str = "success", **args: Any) -> str:
    result = {"resultType": kind, "textResultForLlm": text}
    return json.dumps({"toolName": name, "toolArgs": args, "toolResult": result})


def event(json_text: str) -> Event:
    """An event with the fields that the hooks would find in this."""
    from ctxrepo.hooks.dialect import extract_fields

    with closing(sqlite3.connect(":memory:")) as made:
        return Event("copilot", "postToolUse", extract_fields(made, json_text, DIALECT.fields))


def test_a_session_is_given_index_and_entry_once(copilot: Copilot) -> None:
    first = copilot.tell("sessionStart")
    assert first.count(INDEX) == 1
    assert "5433" in copilot.tell("userPromptSubmitted")
    assert copilot.tell("userPromptSubmitted") == ""
    assert copilot.tell("agentStop") == copilot.tell("sessionEnd") == ""
    assert copilot.tell("sessionStart-resume") == first
    assert copilot.tell("userPromptSubmitted") == ""


def test_after_a_compaction_they_come_again_in_the_same_turn(copilot: Copilot) -> None:
    copilot.tell("sessionStart")
    copilot.tell("userPromptSubmitted")
    assert copilot.tell("preCompact") == ""
    again = copilot.tell("postToolUse-view")
    assert again.count(INDEX) == 1
    assert "5433" in again
    assert len(again.encode()) < 10_000
    assert copilot.tell("postToolUse-view") == ""


def test_an_edit_of_a_note_is_saved_and_a_created_one_with_its_text(copilot: Copilot) -> None:
    world = copilot.world
    note = world.memory / "shop/topics/db.md"
    note.parent.mkdir(parents=True)
    note.write_text("- The staging port is 5434\n")
    copilot.tell("postToolUse-edit", file=str(note))
    copilot.tell("postToolUse-create", file=str(note.with_name("new.md")), wrote="- new\n")
    saves = [(save.by.agent, save.path, save.after) for save in world.saved()]
    assert saves == [
        ("copilot", "shop/topics/db.md", b"- The staging port is 5434\n"),
        ("copilot", "shop/topics/new.md", b"- new\n"),
    ]


def test_what_failed_or_only_reads_is_saved_nowhere(copilot: Copilot) -> None:
    note = copilot.world.memory / "shop/topics/db.md"
    note.parent.mkdir(parents=True)
    note.write_text("- The staging port is 5434\n")
    copilot.tell("postToolUse-view", file=str(note))
    copilot.tell("postToolUseFailure", file=str(note))
    assert copilot.world.saved() == []


def test_a_shell_that_writes_to_the_memory_has_the_worker_look(copilot: Copilot) -> None:
    copilot.tell("postToolUse-bash", command=f"echo x > {copilot.world.memory}/shop/x.md")
    assert [line["event"] for line in copilot.world.spooled()] == ["shell"]
    copilot.tell("postToolUse-bash", command="make test")
    assert len(copilot.world.spooled()) == 1


def test_a_subagent_is_told_on_its_own_and_its_session_as_ever(copilot: Copilot) -> None:
    copilot.tell("sessionStart")
    block = copilot.tell("subagentStart")
    assert "Don't write to it" in block
    assert INDEX in block
    given = copilot.tell("userPromptSubmitted-sub", prompt=f"{block}\n\n{TASK}")
    assert "5433" in given
    assert INDEX not in given
    copilot.tell("postToolUse-sub")
    assert copilot.tell("agentStop-sub") == copilot.tell("subagentStop") == ""
    assert copilot.given(SUB)
    assert not copilot.given(SUB).keys() & copilot.given().keys()
    assert "5433" in copilot.tell("userPromptSubmitted")
    assert {line["session"] for line in copilot.world.spooled()} == {SESSION}


def test_lines_that_were_asked_for_are_told(db: sqlite3.Connection) -> None:
    def ranges(name: str, **args: Any) -> str:
        json_text = tool(name, "", path="/a", **args)
        (file,) = DIALECT.touched(db, event(json_text), json_text)
        return file.ranges

    assert ranges("view", view_range=[2, 30]) == "[[2,30]]"
    for odd in ([5, -1], [3, 2], [0, 4], ["1", "2"], [1.5, 2], [], None, {"0": 1}, 7, [1]):
        assert ranges("view", view_range=odd) == "[]"
    assert ranges("edit", view_range=[2, 30]) == "[]"


@pytest.mark.parametrize("is_text", [True, False])
def test_a_patch_names_its_files(db: sqlite3.Connection, is_text: bool) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+*** Add File: no\n"
        "*** Add File: /m/new.md\n+x\n*** Delete File: c\n*** End Patch\n"
    )
    json_text = json.dumps({"toolName": "apply_patch", "toolArgs": patch if is_text else {"input": patch}})
    files = DIALECT.touched(db, event(json_text), json_text)
    assert [file.path for file in files] == ["a.py", "b.py", "/m/new.md", "c"]


@pytest.mark.parametrize(
    ("name", "kind", "text", "failed"),
    [
        ("bash", "success", "no such host\n<shellId: 0 completed with exit code 3>", "no such host"),
        ("bash", "success", "fine\n<shellId: 0 completed with exit code 0>", ""),
        ("bash", "success", "<shellId: 0 completed with exit code 1>", ""),
        ("bash", "success", "exit code 3", ""),
        ("bash", "success", "x\n<shellId: 12 completed with exit code -9>\n", "x"),
        ("bash", "success", "", ""),
        ("view", "success", "a\n<shellId: 0 completed with exit code 3>", ""),
        ("edit", "failure", "no match", "no match"),
        ("edit", "\ud800", "no match", "no match"),
        ("bash", "success", "x \ud800\n<shellId: 0 completed with exit code 1>", "x \ufffd\ufffd\ufffd"),
    ],
)
def test_a_command_that_failed_is_told_by_its_output(
    db: sqlite3.Connection, name: str, kind: str, text: str, failed: str
) -> None:
    json_text = tool(name, text, kind)
    assert DIALECT.failure(db, event(json_text), json_text) == failed


def test_a_failure_of_a_tool_says_its_error(db: sqlite3.Connection) -> None:
    json_text = (RECORDED / "postToolUseFailure.json").read_text()
    assert DIALECT.failure(db, event(json_text), json_text) == "No match found"


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("fix it", "fix it"),
        ('<ctxrepo-memory tag="ab">\nx\n</ctxrepo-memory tag="ab">\n\n\nfix it', "fix it"),
        ('<ctxrepo-memory tag="ab">\nx\n</ctxrepo-memory tag="cd">\nfix', None),
        ('<ctxrepo-memory tag="', None),
        ("what is <ctxrepo-memory", None),
        ("", None),
    ],
)
def test_a_task_is_freed_of_what_its_subagent_was_given(prompt: str, words: str | None) -> None:
    assert DIALECT.words(prompt) == (prompt if words is None else words)


def test_inside_copilot_the_hooks_of_claude_codes_settings_are_silent(copilot: Copilot) -> None:
    world = copilot.world
    world.compile(hook_marks=f"{DIALECT.hook_mark}=copilot")
    inside = {DIALECT.hook_mark: str(world.code), "COPILOT_CLI": "1"}
    assert world.run("SessionStart", env=inside) == ""
    assert world.run("UserPromptSubmit", env=inside, prompt=PORT) == ""
    assert world.spooled() == []
    out = world.raw(said(world, "sessionStart").encode(), "sessionStart", env=inside, agent="copilot")
    assert INDEX in out.decode()
    # Claude Code that is started by a command of Copilot's shell is a session of its own.
    assert world.run("SessionStart", env={"COPILOT_CLI": "1", "COPILOT_AGENT_SESSION_ID": "s"}) != ""


_ODD: list[Any] = [
    *(None, [], {}, -1e400, True, "\ud800", "/\udfff/\0/\u202e", "../" * 5000, "x" * 300_000),
    {"path": {"a": None}, "file_text": 7, "view_range": "no", "resultType": [], "textResultForLlm": {}},
    {"path": "\ud83d", "file_text": "\udc00", "view_range": [1 << 70, "x"], "command": ["a"]},
    {
        "path": "a\nb\r\0",
        "new_str": None,
        "input": "*** Add File: \n*** Move to: /\0",
        "textResultForLlm": "\n",
    },
]
_FIELDS = (
    *("sessionId", "cwd", "source", "prompt", "transcriptPath", "toolName", "toolArgs", "toolResult"),
    *("error", "agentId", "parentAgentId"),
)


@pytest.mark.parametrize("value", rotating(_ODD), ids=lambda value: repr(value)[:30])
def test_wrong_types_do_no_harm(copilot: Copilot, value: Any) -> None:
    copilot.world.compile(interpreter="")
    for name in ("bash", "edit", "apply_patch", value):
        text = json.dumps({**dict.fromkeys(_FIELDS, value), "toolName": name})
        for written, _ in DIALECT.events.values():
            answer(DIALECT, written, str(copilot.world.state), text.encode())
    assert copilot.world.errors() == ""
    copilot.world.spooled()  # each line is JSON


@pytest.mark.parametrize("payload", rotating(sorted(path.stem for path in RECORDED.iterdir())))
def test_torn_payloads_and_unknown_events_are_passed_over(copilot: Copilot, payload: str) -> None:
    whole = said(copilot.world, payload)
    name = payload.partition("-")[0]
    assert copilot.raw(name, whole[: len(whole) // 2]) == ""
    assert copilot.raw(name, f"[{whole}]") == ""
    assert copilot.raw("preToolUse", whole) == copilot.raw("errorOccurred", whole) == ""
    assert copilot.world.errors() == ""
    assert copilot.world.spooled() == []


@pytest.mark.slow
@given(
    st.sampled_from([*_FIELDS]), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=4)
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_field_holds_the_answer_has_its_shape(world: World, field: str, value: Any) -> None:
    world.compile(interpreter="")
    for payload in ("sessionStart", "userPromptSubmitted", "postToolUse-edit", "subagentStart"):
        text = json.dumps({**json.loads(said(world, payload)), field: value})
        out = answer(DIALECT, payload.partition("-")[0], str(world.state), text.encode("utf-8", "replace"))
        assert out == "" or list(json.loads(out)) == ["additionalContext"]
    assert world.errors() == ""


def test_events_are_known_whatever_the_case_and_the_one_that_may_veto_has_no_hook_unasked() -> None:
    assert DIALECT.events["sessionstart"] == ("sessionStart", "start")
    assert DIALECT.events["pretooluse"] == ("preToolUse", "before")
    assert "preToolUse" not in DIALECT.event_names()
    assert "posttoolusefailure" not in DIALECT.events
