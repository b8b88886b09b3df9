"""The hook before tools: an agent gets it where rules are enforced, and loses it again, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from connecting import put
from homes import HOMES, machine_of, snapshot
from machines import Machine as Desk

from ctxrepo.agents.known import AGENTS
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.connection import choices_for_all, wanted_of
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.receipt import Choices

EVENTS = {
    "claude": "PreToolUse",
    "codex": "PreToolUse",
    "copilot": "preToolUse",
    "gemini": "BeforeTool",
    "opencode": "tool.execute.before",
    "pi": "tool_call",
}
"""What the agents that can be held to rules call the moment before a tool."""
LISTS = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "copilot": ".copilot/hooks/ctxrepo.json",
    "gemini": ".gemini/settings.json",
}
"""Where they have their hooks in a list."""
PROGRAMS = {"opencode": ".config/opencode/plugins/ctxrepo.js", "pi": ".pi/agent/extensions/ctxrepo.ts"}
"""Where the others have a program of ours, which says it."""


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent trusts our hooks: whether it does is the matter of another test."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)


def commands(home: Path, agent: str) -> Mapping[str, str]:
    """Our commands in the agent's list, by event."""
    hooks: dict[str, Any] = json.loads((home / LISTS[agent]).read_text())["hooks"]
    texts = {event: json.dumps(groups) for event, groups in hooks.items()}
    return {event: text for event, text in texts.items() if "ctxrepo/hook.py" in text}


def without(files: Mapping[str, object], folder: str) -> dict[str, object]:
    return {path: file for path, file in files.items() if not path.startswith(folder)}


@pytest.mark.parametrize("make", [make for make in HOMES if make.__name__ in ("fresh", "others")])
@pytest.mark.parametrize("agent", EVENTS)
def test_it_comes_and_goes_and_no_other_byte_changes(home: Path, agent: str, make: Any) -> None:
    machine = replace(machine_of(home), choices=Choices(enforces=False))
    enforcing = replace(machine, choices=Choices(enforces=True))
    make(agent, home)
    before = snapshot(home)
    setup.apply(setup.plan(agent, machine))
    connected = snapshot(home)
    assert check(agent, enforcing).state == "stale"
    setup.apply(setup.plan(agent, enforcing))
    assert check(agent, enforcing).state == "current"
    assert check(agent, machine).state == "stale"
    setup.apply(setup.plan(agent, machine))
    receipts = ".config/ctxrepo/receipts"
    assert without(snapshot(home), receipts) == without(connected, receipts)
    setup.apply(setup.plan(agent, enforcing))
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


@pytest.mark.parametrize("agent", LISTS)
def test_of_the_lists_only_that_event_comes(home: Path, agent: str) -> None:
    machine = machine_of(home)
    setup.apply(setup.plan(agent, machine))
    usual = commands(home, agent)
    assert EVENTS[agent] not in usual
    setup.apply(setup.plan(agent, replace(machine, choices=Choices(enforces=True))))
    now = dict(commands(home, agent))
    assert f" {agent} {EVENTS[agent]} " in now.pop(EVENTS[agent])
    assert now == usual


def test_it_is_asked_about_every_tool(home: Path) -> None:
    for agent in LISTS:
        setup.apply(setup.plan(agent, replace(machine_of(home), choices=Choices(enforces=True))))
        (group,) = json.loads((home / LISTS[agent]).read_text())["hooks"][EVENTS[agent]]
        assert group.get("matcher", "") in ("", "*"), agent


@pytest.mark.parametrize("agent", PROGRAMS)
def test_the_programs_say_yes_or_no(home: Path, agent: str) -> None:
    for enforces, word in ((False, "no"), (True, "yes")):
        setup.apply(setup.plan(agent, replace(machine_of(home), choices=Choices(enforces=enforces))))
        text = (home / PROGRAMS[agent]).read_text()
        assert re.findall(r'^const ENFORCES.* = "(.*)"', text, re.MULTILINE) == [word]
        assert "{enforces}" not in text


def test_others_ask_nothing_more(home: Path) -> None:
    machine = machine_of(home)
    others = set(AGENTS) - set(EVENTS)
    assert others == {"antigravity", "cursor"}, "which can't be run here"
    for agent in others:
        wanted = wanted_of(AGENTS[agent], machine)
        assert [*wanted_of(AGENTS[agent], machine, Choices(enforces=True))] == [*wanted]


@pytest.mark.parametrize("agent", EVENTS)
@pytest.mark.parametrize("enforces", [True, False])
def test_while_the_setting_cannot_be_read_agents_stay_as_they_are(
    home: Path, agent: str, enforces: bool
) -> None:
    machine = machine_of(home)
    config = machine.places.config_file
    put(config, b'[hooks]\nbefore_tool = ["enforce"]\n' if enforces else b"")
    read = replace(machine, choices=choices_for_all(machine.places))
    assert read.choices == Choices(enforces=enforces)
    setup.apply(setup.plan(agent, read))
    config.write_text("[hooks\n")
    unread = replace(machine, choices=choices_for_all(machine.places))
    assert unread.choices == Choices()
    assert check(agent, unread).state == "current"
    assert not setup.plan(agent, unread).visible


def test_it_is_a_setting(ada: Desk) -> None:
    ada.init()
    (ada.home / ".claude").mkdir()
    assert ada.ctxrepo("config", "set", "hooks.before_tool", "enforce").returncode == 0
    assert ada.ctxrepo("setup", "claude", "--yes").returncode == 0
    assert "PreToolUse" in commands(ada.home, "claude")
    assert ada.ctxrepo("config", "set", "hooks.before_tool", "").returncode == 0
    done = ada.ctxrepo("setup", "claude", "--check")
    assert done.returncode == 1
    assert done.stdout.startswith("claude: stale\n")
    assert ada.ctxrepo("setup", "claude", "--yes").returncode == 0
    assert "PreToolUse" not in commands(ada.home, "claude")
