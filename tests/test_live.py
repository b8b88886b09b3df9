"""The seed of `make live`: its model, its check of prompts, and one short session of the real Claude Code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import PYTHONPATH
from live import anthropic, claude, install
from live.model import Model
from live.recorded import Prompt, added, blocks, break_between, breaks, place_of
from live.report import Report
from live.steps import Text, Tool
from needs import unless

# Before any test hides the environment.
AGENTS = install.root(os.environ)
INSTALLED = install.find(claude.NAME, claude.PACKAGE, AGENTS)

needs_claude = unless(
    ""
    if INSTALLED
    else f"{claude.PACKAGE.wanted} isn't installed, and no test fetches 360 MB unasked: `make live` does, "
    "and plays many more sessions; the next `make test` then plays these"
)


def body(*texts: str, system: str = "be good", **fields: Any) -> dict[str, Any]:
    """A request that a person and the model led to in turns."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    return {"system": system, "tools": [{"name": "Read"}], "messages": messages, **fields}


def prompt(*texts: str, **fields: Any) -> Prompt:
    return anthropic.prompt_of(body(*texts, **fields))


def test_a_longer_conversation_continues_a_shorter_one() -> None:
    assert break_between(prompt("a"), prompt("a", "b", "c")) == ""
    assert breaks([prompt("a"), prompt("a", "b", "c"), prompt("a", "b", "c", "d", "e")]) == []


def test_a_bare_text_and_marks_for_the_cache_make_no_difference() -> None:
    marked = [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]
    other = anthropic.prompt_of(body() | {"messages": [{"role": "user", "content": marked}]})
    assert break_between(prompt("a"), other) == ""


@pytest.mark.parametrize(
    ("after", "what"),
    [
        (prompt("x", "b", "c"), "message 0 changed"),
        (prompt("a", "x", "c"), "message 1 changed"),
        (prompt("a"), "only 1 of 2 messages are left"),
        (prompt("a", "b", "c", system="be bad"), "the system prompt changed"),
        (prompt("a", "b", "c", tools=[{"name": "Write"}]), "the tools changed"),
        (prompt("a", "b and more", "c"), "message 1 changed"),
    ],
)
def test_every_way_to_break_a_prompt_is_seen(after: Prompt, what: str) -> None:
    assert what in break_between(prompt("a", "b"), after)
    assert breaks([prompt("a", "b"), after])[0].startswith("request 2: ")


def test_what_a_turn_added_is_what_the_model_has_not_read_yet() -> None:
    assert added(None, prompt("a")) == ["a"]
    assert added(prompt("a"), prompt("a", "model", "c")) == ["c"]


def test_only_a_block_that_is_closed_as_it_was_opened_is_one() -> None:
    good = '<ctxrepo-memory tag="aa">\nx\n</ctxrepo-memory tag="aa">'
    assert blocks(["before " + good + good]) == ["x\n", "x\n"]
    assert blocks([good.replace('tag="aa">\nx', 'tag="bb">\nx'), '<ctxrepo-memory tag="aa">']) == []
    assert place_of("x", ["a", "bx"]) == 1
    assert place_of("y", ["a", "bx"]) == -1


def test_texts_of_tool_results_are_read_too() -> None:
    result = {"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}
    messages = [{"role": "user", "content": [result, {"type": "tool_result", "content": "flat"}]}]
    assert anthropic.prompt_of({"messages": messages}).texts == (("user", ("deep", "flat")),)


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    with Model(anthropic, tmp_path / "requests.jsonl") as model:
        yield model


def ask(model: Model, path: str, given: dict[str, Any]) -> str:
    request = urllib.request.Request(model.url + path, json.dumps(given).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return str(answer.read().decode())


def test_the_model_does_its_steps_in_turn_and_then_says_a_word(model: Model) -> None:
    model.will(Tool("Read", {"file_path": "/x"}), Text("That is all.", tokens=7))
    tool, text, more = (json.loads(ask(model, "/v1/messages", body("a"))) for _ in range(3))
    assert (tool["stop_reason"], tool["content"][0]["input"]) == ("tool_use", {"file_path": "/x"})
    assert (text["content"][0]["text"], text["usage"]["input_tokens"]) == ("That is all.", 7)
    assert more["content"][0]["text"] == "Done."
    assert model.is_done


def test_requests_beside_the_conversation_take_no_step(model: Model) -> None:
    model.will(Text("for the conversation"))
    assert "Done." in ask(model, "/v1/messages?beta=true", body("a title, please", tools=[]))
    assert "for the conversation" in ask(model, "/v1/messages", body("a"))
    assert len(model.requests) == 2
    assert len(model.conversation()) == 1


def test_a_stream_tells_the_same(model: Model) -> None:
    model.will(Tool("Edit", {"old": "ü"}))
    lines = ask(model, "/v1/messages", body("a", stream=True)).split("\n")
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert [event["type"] for event in events] == [
        line.removeprefix("event: ") for line in lines if line.startswith("event: ")
    ]
    assert json.loads(events[2]["delta"]["partial_json"]) == {"old": "ü"}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_everything_is_recorded_but_for_headers(model: Model) -> None:
    ask(model, "/v1/messages", body("a"))
    (line,) = model.log.read_text().splitlines()
    assert json.loads(line) == {"number": 1, "body": body("a")}


def test_what_is_not_the_api_is_refused_and_told(model: Model) -> None:
    with pytest.raises(urllib.error.HTTPError):
        ask(model, "/telemetry", {})
    assert model.strangers == ["POST /telemetry"]
    assert int(json.loads(ask(model, "/v1/messages/count_tokens", body("a")))["input_tokens"]) > 0


def test_a_held_answer_waits_for_its_release(model: Model) -> None:
    held = threading.Event()
    model.will(Text("late", held=held))
    answers: list[str] = []
    asking = threading.Thread(target=lambda: answers.append(ask(model, "/v1/messages", body("a"))))
    asking.start()
    while not model.requests:
        time.sleep(0.01)
    assert answers == []
    held.set()
    asking.join(30)
    assert "late" in answers[0]


def test_a_report_is_well_when_every_row_is() -> None:
    shown: list[str] = []
    report = Report("title", patience=2, tell=shown.append)
    verdicts = [report.is_well]  # nothing looked at is nothing proven
    report.look("a | b", holds=True, seen="x\ny")
    report.within("committed", 3.9, 2)
    verdicts.append(report.is_well)
    report.within("committed", None, 2)
    verdicts.append(report.is_well)
    assert verdicts == [False, True, False]
    report.show()
    assert "| yes | a \\| b | x y |" in shown
    assert "| **NO** | committed within 2 s | never |" in shown


def test_an_agent_in_another_version_is_not_installed(tmp_path: Path) -> None:
    package = claude.PACKAGE
    folder = tmp_path / claude.NAME / "node_modules"
    (folder / ".bin").mkdir(parents=True)
    (folder / ".bin" / package.program).write_text("")
    (folder / package.name).mkdir(parents=True)
    (folder / package.name / "package.json").write_text(f'{{\n  "version": "{package.version}"\n}}')
    assert install.find(claude.NAME, package, tmp_path) is not None
    assert install.find(claude.NAME, replace(package, version="0.0.1"), tmp_path) is None
    assert install.find("other", package, tmp_path) is None


def test_a_bundle_that_was_taken_out_of_its_archive_is_found(tmp_path: Path) -> None:
    package = install.Package("@maker/agent", "1.5.2", "agent", node=22, beside=("jiti",))
    unpacked = tmp_path / "agent-pack" / "package"
    unpacked.mkdir(parents=True)
    manifest = {"name": package.name, "version": package.version, "bin": {"agent": "dist/cli.js"}}
    (unpacked / "package.json").write_text(json.dumps(manifest, indent=2))
    assert install.find("agent", package, tmp_path) is None
    (unpacked / "dist").mkdir()
    (unpacked / "dist" / "cli.js").write_text("")
    assert install.find("agent", package, tmp_path) == install.Installed(unpacked / "dist" / "cli.js")
    assert install.find("agent", replace(package, version="0.0.1"), tmp_path) is None


@needs_claude
@pytest.mark.parametrize(
    ("form", "scenarios"), [("settings", ("short", "sub", "pull")), ("plugin", ("short",))]
)
def test_a_session_of_the_real_claude_code(form: str, scenarios: Sequence[str], tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "live",
        "claude",
        "--form",
        form,
        "--keep",
        str(tmp_path / "live"),
        *scenarios,
    ]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH, "CTXREPO_LIVE": str(AGENTS)}
    run = subprocess.run(
        [*words, "--patience", "20"], env=env, capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all well" in run.stdout
