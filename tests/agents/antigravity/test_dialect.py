"""How Antigravity is understood and answered: one hook before each request to the model, which shows the
request what the session is to see, and reads the prompt in the transcript."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long import rotating
from world import NOTES, World

from ctxrepo.agents.antigravity.dialect import DIALECT, typed_words
from ctxrepo.agents.antigravity.install import HOOKS
from ctxrepo.hooks.session.ledger import read_ledger, switch_memory
from ctxrepo.hooks.session.ledger_file import ledger_path

SESSION = "36842803-601e-4679-860a-8bf09b3798c8"
INDEX = "## Index of notes"
PORT = "which port does the staging database listen on?"
SAID = "The staging port is 5433"


class Antigravity:
    """A conversation in the world's checkout: its transcript, what hooks are told, and what they print."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.transcript = world.root / "brain" / SESSION / ".system_generated/logs/transcript.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.steps = self.requests = 0
        self.common: dict[str, Any] = {
            "conversationId": SESSION,
            "workspacePaths": [str(world.code)],
            "transcriptPath": str(self.transcript),
            "artifactDirectoryPath": str(self.transcript.parents[2]),
            "modelName": "auto",
        }

    def step(self, source: str, kind: str, content: str) -> None:
        line = {
            "step_index": self.steps,
            "source": source,
            "type": kind,
            "status": "DONE",
            "content": content,
        }
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self.steps += 1

    def types(self, prompt: str) -> None:
        metadata = "<ADDITIONAL_METADATA>\nThe current local time is: 2026-11-27.\n</ADDITIONAL_METADATA>"
        self.step("USER_EXPLICIT", "USER_INPUT", f"<USER_REQUEST>\n{prompt}\n</USER_REQUEST>\n{metadata}")

    def tell(self, event: str, **fields: Any) -> Any:
        """The answer to an event: always an object."""
        return json.loads(
            self.world.raw(json.dumps({**self.common, **fields}).encode(), event, agent="antigravity")
        )

    def request(self) -> str:
        """What the next request to the model shows; '' for nothing."""
        payload = {"invocationNum": self.requests, "initialNumSteps": self.steps}
        self.requests += 1
        answer = self.tell("PreInvocation", **payload)
        if not answer:
            return ""
        ((kind, text),) = [item for step in answer.pop("injectSteps") for item in step.items()]
        assert (kind, answer) == ("ephemeralMessage", {})
        self.step("SYSTEM", "EPHEMERAL_MESSAGE", text)
        return str(text)

    def asks(self, prompt: str) -> str:
        self.types(prompt)
        self.requests = 0
        return self.request()

    def used(self, tool: str, error: str = "", **args: str) -> Any:
        return self.tell(
            "PostToolUse", stepIdx=self.steps, toolCall={"name": tool, "args": args}, error=error
        )

    def ledger(self) -> Any:
        return read_ledger(ledger_path(str(self.world.state), "antigravity", SESSION), self.world.folder.name)


@pytest.fixture
def agy(world: World) -> Antigravity:
    return Antigravity(world)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.cache("c1", {**NOTES, "shop/topics/pay.md": "- `src/pay.py` must not retry a refund\n"})
    return world


class TestDelivery:
    def test_each_request_of_a_turn_shows_the_same(self, agy: Antigravity) -> None:
        first = agy.asks(PORT)
        assert first.count(INDEX) == 1
        assert SAID in first
        agy.step("MODEL", "PLANNER_RESPONSE", "I look.")
        agy.step("MODEL", "RUN_COMMAND", "USER_INPUT is what it printed")
        assert agy.request() == first
        assert agy.request() == first

    def test_the_index_stays_and_what_a_prompt_recalled_goes_with_the_next(self, agy: Antigravity) -> None:
        index = agy.asks("hello there")
        assert SAID not in index
        recalled = agy.asks(PORT)
        assert recalled.startswith(index)
        assert SAID in recalled
        assert agy.asks("Write a long poem about the leaves of autumn for my mother") == index
        assert SAID in agy.asks(PORT), "the model doesn't see any more what it was given before"

    def test_the_session_begins_with_its_first_request(self, agy: Antigravity) -> None:
        agy.asks("hello there")
        (event,) = agy.world.spooled()
        assert (event["event"], event["agent"], event["session"]) == ("start", "antigravity", SESSION)
        assert event["cwd"] == str(agy.world.code)
        agy.request()
        agy.asks("hello again")
        assert len(agy.world.spooled()) == 1

    def test_a_prompt_that_is_written_down_late_counts_with_the_next_request(self, agy: Antigravity) -> None:
        index = agy.request()
        assert INDEX in index
        agy.types(PORT)
        late = agy.request()
        assert late.startswith(index)
        assert SAID in late
        agy.transcript.unlink()
        assert agy.request() == late

    def test_news_are_shown_from_then_on(self, agy: Antigravity) -> None:
        index = agy.asks("hello there")
        agy.world.cache("c2", {**NOTES, "shop/topics/ship.md": "---\ndescription: How to ship\n---\n- x\n"})
        answer = agy.asks("hello again")
        assert answer.startswith(index)
        assert "topics/ship.md" in answer
        assert agy.asks("and again") == answer

    def test_what_has_grown_too_large_begins_anew(self, agy: Antigravity) -> None:
        agy.asks("hello there")
        for number in range(12):
            text = f"---\ndescription: {'How to ship ' * 60}{number}\n---\n- x\n"
            agy.world.cache(f"c{number + 2}", {**NOTES, f"shop/topics/{number}.md": text})
            answer = agy.asks(f"hello {number} again")
            assert INDEX in answer
            assert len(answer.encode()) < 2 * DIALECT.most_bytes
        assert len(agy.asks("what else is there").encode()) <= DIALECT.most_bytes

    def test_a_session_that_is_switched_off_is_shown_nothing(self, agy: Antigravity) -> None:
        agy.asks(PORT)
        path = ledger_path(str(agy.world.state), "antigravity", SESSION)
        switch_memory(path, True)
        assert agy.request() == ""
        assert agy.asks(PORT) == ""
        switch_memory(path, False)
        assert SAID in agy.asks(PORT)

    def test_a_folder_that_asks_for_silence_is_shown_nothing(self, agy: Antigravity) -> None:
        (agy.world.code / ".pi").mkdir()
        (agy.world.code / ".pi/settings.json").write_text('{"pi-memory-md": {"enabled": false}}')
        assert agy.asks(PORT) == ""
        assert agy.request() == ""

    @pytest.mark.parametrize(
        ("mode", "parts"), [("once", (True, False)), ("file", (False, True)), ("pull", (False, False))]
    )
    def test_the_modes_hold_here_too(self, agy: Antigravity, mode: str, parts: tuple[bool, bool]) -> None:
        agy.world.compile(mode=mode)
        shown = agy.asks(PORT)
        assert (INDEX in shown, SAID in shown) == parts
        assert agy.request() == shown

    def test_a_conversation_without_a_folder_has_the_global_notes(self, agy: Antigravity) -> None:
        agy.common["workspacePaths"] = []
        text = agy.asks("hello there")
        assert "Prefers short answers" in text
        assert "The databases" not in text

    def test_without_a_memory_the_answer_is_an_empty_object(self, agy: Antigravity) -> None:
        (agy.world.state / "hooks.db").unlink()
        assert agy.asks(PORT) == ""
        assert agy.tell("Stop") == {}


class TestTools:
    def test_an_edit_of_a_note_is_kept_and_wakes_the_worker(self, agy: Antigravity) -> None:
        note = agy.world.memory / "shop/MEMORY.md"
        note.parent.mkdir()
        note.write_text("- Deploy with `make ship`, never on Fridays\n")
        assert agy.used("write_to_file", TargetFile=str(note), CodeContent="what it wanted to write") == {}
        (save,) = agy.world.saved()
        assert (save.path, save.by.agent, save.by.session) == ("shop/MEMORY.md", "antigravity", SESSION)
        assert save.after == note.read_bytes()
        assert agy.world.starts(1)

    def test_what_it_reads_is_noted(self, agy: Antigravity) -> None:
        agy.used("view_file", AbsolutePath=str(agy.world.code / "lib/a.py"))
        (seen,) = (agy.world.folder / "access.jsonl").read_text().splitlines()
        assert (json.loads(seen)["path"], json.loads(seen)["tool"]) == (
            str(agy.world.code / "lib/a.py"),
            "view_file",
        )

    def test_a_command_that_may_have_written_is_left_for_the_worker(self, agy: Antigravity) -> None:
        agy.used("run_command", CommandLine="make test")
        assert agy.world.spooled() == []
        agy.used("run_command", CommandLine=f"echo '- x' >> {agy.world.memory}/shop/MEMORY.md")
        assert [line["event"] for line in agy.world.spooled()] == ["shell"]
        assert agy.world.starts(1)

    def test_nothing_is_given_with_a_tool_and_so_it_counts_as_not_given(self, agy: Antigravity) -> None:
        agy.asks("hello there")
        assert agy.used("replace_file_content", TargetFile=str(agy.world.code / "src/pay.py")) == {}
        assert agy.used("run_command", "exit status 2: staging port", CommandLine="psql staging") == {}
        assert SAID in agy.asks(PORT)

    def test_a_step_that_is_no_tools_call_does_no_harm(self, agy: Antigravity) -> None:
        assert agy.tell("PostToolUse", stepIdx=1, toolCall=None, error="") == {}
        assert agy.world.errors() == ""

    def test_the_end_of_a_turn_is_told_to_the_worker(self, agy: Antigravity) -> None:
        payload = {"executionNum": 0, "terminationReason": "NO_TOOL_CALL", "error": "", "fullyIdle": True}
        assert agy.tell("Stop", **payload) == {}
        (event,) = agy.world.spooled()
        assert (event["event"], event["session"]) == ("stop", SESSION)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<USER_REQUEST>\nwhy?\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nx\n</ADDITIONAL_METADATA>", "why?"),
        ("<USER_REQUEST>a </USER_REQUEST> tag</USER_REQUEST>", "a </USER_REQUEST> tag"),
        (" plain ", "plain"),
        ("<USER_REQUEST> torn", "<USER_REQUEST> torn"),
        ("", ""),
    ],
)
def test_only_what_was_typed_is_the_prompt(content: str, words: str) -> None:
    assert typed_words(content) == words


LINE = '{"step_index": 4, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "hm"}'
OTHER = LINE.replace('"type": "USER_INPUT"', '"type": "RUN_COMMAND", "said": "USER_INPUT"').replace("4", "9")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LINE, ("4", "hm")),
        (f"{LINE}\n{LINE.replace('4', '9')}", ("9", "hm")),
        (f"{LINE}\n{LINE.replace('4', '9')[:-3]}", ("4", "hm")),
        (f"{LINE}\n{LINE.replace('EXPLICIT', 'IMPLICIT').replace('4', '9')}", ("4", "hm")),
        (f"{LINE}\n{LINE.replace('4', 'null')}", ("4", "hm")),
        (f"{LINE}\n{OTHER}", ("4", "hm")),
        (f"{LINE}\n\0{LINE}", ("4", "hm")),
        (LINE.replace('"hm"', '"\\ud83d"'), ("4", "\ufffd\ufffd\ufffd")),
        (LINE + "\n" + "x" * 2_000_000, ("", "")),
        ("", ("", "")),
    ],
)
def test_the_last_prompt_is_read_in_the_transcript(
    tmp_path: Path, text: str, expected: tuple[str, str]
) -> None:
    file = tmp_path / "transcript.jsonl"
    file.write_text(text)
    with closing(sqlite3.connect(":memory:")) as db:
        assert DIALECT.last_prompt(db, str(file)) == expected
        assert DIALECT.last_prompt(db, str(tmp_path / "gone")) == ("", "")


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"])))
def test_antigravity_reads_the_text_as_it_is(text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        line = DIALECT.reply(db, "PreInvocation", text)
        assert "\n" not in line[:-1]
        assert json.loads(line) == {"injectSteps": [{"ephemeralMessage": text}]}


def test_every_event_that_it_knows_has_a_hook() -> None:
    assert {name for name, _ in DIALECT.events.values()} == set(HOOKS.events)
    assert DIALECT.unheard < set(HOOKS.events)


ODD: list[Any] = [None, 7, -1.5, True, "", "\ud800", "x" * 300_000, [], [[]], {}, {"a": {"b": []}}, [None, 3]]


@pytest.mark.parametrize(("event", "part"), rotating(product(sorted(HOOKS.events), range(3)), keep=1))
def test_odd_payloads_do_no_harm(agy: Antigravity, event: str, part: int) -> None:
    agy.types(PORT)
    used = {"name": "run_command", "args": {"CommandLine": "ls", "TargetFile": "a.md"}}
    whole = {**agy.common, "toolCall": used, "stepIdx": 3, "error": "x", "invocationNum": 0}
    texts = [json.dumps({**whole, name: odd}) for name, odd in zip(whole, ODD * 2, strict=False)]
    texts += [json.dumps(dict.fromkeys(whole, odd)) for odd in ODD]
    sent = json.dumps(whole)
    texts += ["", "null", "[]", sent[: len(sent) // 2], sent + sent, "\ufeff" + sent, "\0" + sent]
    for text in texts[part::3]:
        out = agy.world.raw(text.encode("utf-8", "surrogatepass"), event, agent="antigravity")
        assert isinstance(json.loads(out), dict)
    assert agy.world.errors() == ""


def test_an_event_that_nobody_wrote_down_is_passed_over(agy: Antigravity) -> None:
    assert agy.tell("SessionStart") == {}
    assert agy.world.spooled() == []
