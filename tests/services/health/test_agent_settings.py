"""doctor tells what pi's own settings say of its sessions; another memory that they name is a finding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from machines import Machine

from ctxrepo.services.health.doctor import check_own_settings


@pytest.fixture
def mine(ada: Machine, remote: Path) -> Machine:
    ada.init(str(remote))
    return ada


def put(machine: Machine, section: object) -> None:
    file = machine.home / ".pi/agent/settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"pi-memory-md": section} if section is not None else {}))


def test_without_such_settings_there_is_nothing_to_tell(mine: Machine) -> None:
    assert check_own_settings(mine.open(), "pi") is None
    put(mine, None)
    assert check_own_settings(mine.open(), "pi") is None


def named(machine: Machine, path: Path) -> list[dict[str, str]]:
    """What doctor finds about this place."""
    findings: list[dict[str, str]] = machine.json("doctor")["data"]["findings"]
    return [finding for finding in findings if str(path) in finding["problem"]]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({}, "nothing that config.toml doesn't say"),
        (
            {"hooks": {"sessionStart": ["pull"], "sessionEnd": ["push"]}},
            "nothing that config.toml doesn't say",
        ),
        ({"enabled": False, "delivery": "x"}, "not enabled, so its sessions are given nothing"),
        ({"delivery": "system-prompt"}, "the packet stands in its system prompt"),
        (
            {"tape": {"anchor": {"mode": "manual", "keywords": {"global": ["ship"]}}}},
            "its tape has its own mode, keywords, only_git, exclude_dirs, bridge_seconds, tools",
        ),
        (
            {"repoUrl": "https://h/zoe/notes"},
            "it names the remote https://h/zoe/notes, which isn't this memory's",
        ),
        (
            {"hooks": {"beforeAgentStart": ["dance"]}},
            "its sessions don't send what they write; the next push of another agent does; "
            "hooks.beforeAgentStart names 'dance', and ctxrepo knows only 'sessionBridge' there",
        ),
        (
            {"hooks": {"sessionStart": []}},
            "its sessions begin without a fetch; its sessions don't send what they write; the next push of "
            "another agent does",
        ),
    ],
)
def test_how_its_sessions_differ_is_told(mine: Machine, section: dict[str, Any], message: str) -> None:
    put(mine, section)
    outcome = check_own_settings(mine.open(), "pi")
    assert outcome
    assert outcome.stands == f"{mine.home}/.pi/agent/settings.json: {message}"
    assert not outcome.findings


def test_pi_may_do_what_other_agents_are_not_to(mine: Machine) -> None:
    assert mine.ctxrepo("config", "set", "hooks.session_end", "commit").returncode == 0
    put(mine, {"hooks": {"sessionEnd": ["push"]}})
    outcome = check_own_settings(mine.open(), "pi")
    assert outcome
    assert outcome.stands.endswith(": its sessions send what they write")


def test_another_memory_that_they_name_is_a_finding(mine: Machine) -> None:
    put(mine, {"localPath": str(mine.clone)})
    outcome = check_own_settings(mine.open(), "pi")
    assert outcome
    assert not outcome.findings
    other = mine.home / "other"
    put(mine, {"localPath": str(other)})
    assert named(mine, other) == [], "a folder that isn't there is no memory"
    (other / ".git").mkdir(parents=True)
    (finding,) = named(mine, other)
    assert "ctxrepo import pi-memory-md" in finding["remedy"]


def test_settings_of_pi_that_can_not_be_read_are_told(mine: Machine) -> None:
    file = mine.home / ".pi/agent/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text('{\n // x\n "pi-memory-md": {"enabled": false}\n}')
    outcome = check_own_settings(mine.open(), "pi")
    assert outcome
    assert str(file) in outcome.findings[0].problem
