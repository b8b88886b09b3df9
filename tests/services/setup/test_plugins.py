"""How each agent notes that our plugin is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.agents.known import AGENTS
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.setup import plan
from ctxrepo.services.setup.standings import Standing, check

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
    state = check(name, machine).state
    assert state == ("unknown" if AGENTS[name].trust else "plugin")  # trust in them can't be asked here
    assert any("plugin" in notice for notice in plan(name, machine).notices)


@pytest.mark.parametrize(("name", "text"), OFF.items())
def test_one_that_is_off_connects_nobody(name: str, text: str, home: Path, machine: Machine) -> None:
    noted(name, machine, text)
    assert check(name, machine) == Standing(name, "absent")


@pytest.mark.parametrize(("name", "text"), [("codex", "torn ="), ("copilot", "{torn"), ("pi", "{torn")])
def test_of_settings_that_cannot_be_read_nobody_knows_whether_it_is_on(
    name: str, text: str, home: Path, machine: Machine
) -> None:
    noted(name, machine, text)
    standing = check(name, machine)
    assert (standing.state, {f.level for f in standing.findings}) == ("unknown", {"warning"})


def test_settings_with_comments_are_read_as_the_agent_reads_them(home: Path, machine: Machine) -> None:
    noted("copilot", machine, "// mine\n" + ON["copilot"])
    assert check("copilot", machine).state == "plugin"
