"""How each agent notes that our plugin is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.agents.known import AGENTS
from ctxrepo.services.setup.connection import Machine, check
from ctxrepo.services.setup.setup import plan

ON = {
    "claude": '{"enabledPlugins": {"ctxrepo@anywhere": true}}',
    "codex": '[plugins."ctxrepo@anywhere"]\nenabled = true\n',
    "copilot": '{"enabledPlugins": {"ctxrepo@anywhere": true}}',
    "gemini": '{"source": "/clone/hooks/gemini", "type": "link"}',
    "pi": '{"packages": ["npm:ctxrepo@1.0.0"]}',
}
OFF = {
    "claude": '{"enabledPlugins": {"ctxrepo@anywhere": false, "other@ctxrepo": true}}',
    "codex": '[plugins."ctxrepo@anywhere"]\nenabled = false\n',
    "copilot": '{"enabledPlugins": []}',
    "pi": '{"packages": [{"source": "npm:ctxrepo", "extensions": []}]}',
}


def noted(name: str, machine: Machine, text: str) -> None:
    plugin = AGENTS[name].plugin
    assert plugin
    folder = AGENTS[name].install.folder(machine.places.user_home, machine.environment)
    path = folder / plugin.note
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_every_plugin_has_its_example() -> None:
    assert [name for name, agent in AGENTS.items() if agent.plugin] == sorted(ON)


@pytest.mark.parametrize(("name", "text"), ON.items())
def test_an_agent_with_our_plugin_is_connected_by_it(
    name: str, text: str, home: Path, machine: Machine
) -> None:
    assert check(name, machine).state == "absent"
    noted(name, machine, text)
    assert check(name, machine).state == "plugin"
    assert any("plugin" in notice for notice in plan(name, machine).notices)


@pytest.mark.parametrize(("name", "text"), [*OFF.items(), ("codex", "torn ="), ("copilot", "{torn")])
def test_one_that_is_off_or_cannot_be_read_connects_nobody(
    name: str, text: str, home: Path, machine: Machine
) -> None:
    noted(name, machine, text)
    assert check(name, machine).state == "absent"
