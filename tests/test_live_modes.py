"""The seed of the modes that `make live` plays: when a row holds, what is behind a refusal, the table."""

from __future__ import annotations

import importlib
import json
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from live import anthropic, table
from live.__main__ import AGENTS, usual
from live.model import Model
from live.modes import ASKED, ASKS, COLUMNS, HANDED, NO, SAYS, YES, answers_to, is_so
from live.steps import Tool

REFUSED = "This command requires approval"
IN_SANDBOX = "ctxrepo: nothing is saved: /home is on a disk that is read-only"


@pytest.mark.parametrize(
    ("outcome", "answer", "is_done", "holds"),
    [
        (YES, "remembered: ^1", True, True),
        (YES, "remembered: ^1", False, False),
        (YES, "ctxrepo: handed over: it is saved later", True, False),
        (HANDED, "ctxrepo: handed over: it is saved later", True, True),
        (HANDED, "remembered: ^1", True, False),
        (SAYS, IN_SANDBOX, False, True),
        (SAYS, "ctxrepo: nothing is changed: /home is full", False, True),
        (SAYS, REFUSED, False, False),
        (ASKS, REFUSED, False, True),
        (ASKS, "remembered: ^1", True, False),
        (ASKS, IN_SANDBOX, False, False),
        (NO, "", False, False),
        (ASKED, "a person says yes: remembered: ^1", True, True),
        (ASKED, "remembered: ^1", True, False),
    ],
)
def test_a_row_holds_where_what_must_come_of_a_deed_came(
    outcome: str, answer: str, is_done: bool, holds: bool
) -> None:
    assert is_so(outcome, answer, is_done) == holds


def agent_that_stops_at(refused: str, model: Model) -> Callable[[str], None]:
    """A turn of an agent that runs every command but this one, at which it ends."""

    def say(prompt: str) -> None:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        while True:
            body = {"system": "", "tools": [{"name": "Bash"}], "messages": messages}
            request = urllib.request.Request(f"{model.url}/v1/messages", json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=10) as reply:
                (block,) = json.load(reply)["content"]
            if block["type"] == "text" or block["input"]["command"] == refused:
                return
            answer = f"ran {block['input']['command']}"
            messages += [{"role": "assistant", "content": ""}, {"role": "user", "content": answer}]

    return say


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        ("none", ["ran a", "ran b", "ran c"]),
        ("a", ["it showed", "ran b", "ran c"]),
        ("b", ["ran a", "it showed", "ran c"]),
        ("c", ["ran a", "ran b", "it showed"]),
    ],
)
def test_what_is_behind_a_refusal_is_tried_in_another_session(
    refused: str, expected: Sequence[str], tmp_path: Path
) -> None:
    with Model(anthropic, tmp_path / "requests.jsonl") as model:
        turns = SimpleNamespace(say=agent_that_stops_at(refused, model), output=lambda: "it showed")
        play: Any = SimpleNamespace(
            stage=SimpleNamespace(model=model, wait_for_workers=lambda: None),
            prompts=lambda: [request.prompt for request in model.conversation()],
            turns=lambda: turns,
        )
        assert answers_to(play, [Tool("Bash", {"command": each}) for each in "abc"]) == expected


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_has_modes_and_plays_them_in_one_form(name: str) -> None:
    agent = importlib.import_module(f"live.{name}")
    scenarios = [mode.scenario for mode in agent.MODES]
    assert scenarios
    assert len(set(scenarios)) == len(scenarios)
    assert {*scenarios} <= {*agent.OWN}
    first, *others = agent.FORMS
    assert {*scenarios} <= {*usual(agent, first)}
    for form in others:
        assert not {*scenarios} & {*usual(agent, form)}


def test_the_table_says_what_came_of_each_mode(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    passed = {"mode-default": False, "mode-default-with-rules": True, "mode-plan": True}
    runs = [passed, {"mode-plan": False}, {"mode-plan": True}]
    results.write_text(
        "".join(json.dumps({"agent": "gemini", "version": "1", "passed": run}) + "\n" for run in runs)
    )
    lines = table.table_of_modes(table.read(results)).splitlines()
    cells = {line.split("`")[1]: line.split(" | ")[1:] for line in lines if line.startswith("| Gemini")}
    assert cells["default"] == ["**no**"] * (len(COLUMNS)) + ["**no** |"]
    assert cells["default-with-rules"] == [YES, YES, YES, YES, NO, f"{ASKS} |"]
    assert cells["plan"][0] == YES
    assert cells["plan-with-rules"][0] == "not run"
    assert cells["sandbox"][0] == "– (1)"
    assert any(line.startswith("1. Can't be had: it takes Docker") for line in lines)
