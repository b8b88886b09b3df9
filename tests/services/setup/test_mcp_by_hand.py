"""Servers that people put into agents' lists by hand, under the name of ours: another's, and ours."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from connecting import put
from homes import machine_of, snapshot
from server_lists import LISTS, SERVING, apply, every_serving, listed, put_theirs

from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.mcp_server import ARGUMENTS, command_of
from ctxrepo.errors import ConfigError
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.connection import Machine
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user.receipt import Choices


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent trusts our hooks: whether it does is the matter of another test."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)


@every_serving
def test_another_server_with_our_name_is_told_and_left(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    put_theirs(agent, home)
    file.write_text(file.read_text().replace("github", "ctxrepo"))
    before = snapshot(home)
    with pytest.raises(ConfigError, match='"ctxrepo" is the name of another MCP server here') as error:
        setup.plan(agent, machine, Choices(mcp=True))
    assert "\n" not in error.value.message + error.value.hint
    apply(agent, machine, mcp=False)
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


@every_serving
def test_where_nobody_asked_for_ours_another_server_keeps_from_nothing_else(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    put_theirs(agent, home)
    file.write_text(file.read_text().replace("github", "ctxrepo"))
    before, text = snapshot(home), listed(agent, home)
    for _ in range(2):
        setup.apply(plan := setup.plan(agent, machine, Choices("write", True), every=True))
        (notice,) = plan.notices
        assert f"{file}, " in notice
        assert '"ctxrepo" is the name of another MCP server' in notice
        assert f"`ctxrepo setup {agent} --no-mcp`" in notice
        assert plan.hooks
        assert listed(agent, home) == text
    written = "".join(each.read_text() for each in home.rglob("*.[jt][so][om]*") if each.is_file())
    assert "mcp__ctxrepo" not in written, "what isn't ours isn't permitted"
    assert "mcpName" not in written
    assert not apply(agent, machine, mcp=False).notices
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


@every_serving
def test_that_another_has_the_name_is_told_alike_wherever_it_is_seen(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    apply(agent, machine, mcp=True)
    connected = file.read_text()
    foreign = connected.replace('"-I"', '"-x"')
    file.write_text(foreign)
    standing = check(agent, machine)
    (finding,) = standing.findings
    assert (standing.state, bool(standing.choices.mcp)) == ("partial", True)
    assert finding.problem.startswith(f"{AGENTS[agent].title}: {file}, ")
    assert finding.problem.endswith('"ctxrepo" is the name of another MCP server here')
    assert finding.remedy == f"Rename that one, or do without ours: `ctxrepo setup {agent} --no-mcp`.", (
        "`setup` alone mends nothing"
    )
    (notice,) = apply(agent, machine).notices
    with pytest.raises(ConfigError) as error:
        setup.plan(agent, machine, Choices(mcp=True))
    assert f"{error.value.message}. {error.value.hint}" in notice
    assert f"{AGENTS[agent].title}: {error.value.message}" == finding.problem
    assert error.value.hint == finding.remedy
    assert file.read_text() == foreign
    file.write_text(foreign.replace('"ctxrepo":', '"other":').replace(".ctxrepo]", ".other]"))
    assert check(agent, machine).state == "stale"
    apply(agent, machine)
    assert check(agent, machine).state == "current", "it was renamed"
    file.write_text(foreign)
    apply(agent, machine, mcp=False)
    assert check(agent, machine).state == "current", "it was declined"
    assert file.read_text() == foreign


@pytest.mark.parametrize("agent", [name for name in SERVING if name != "gemini"])
def test_beside_it_all_else_is_looked_at_and_renewed(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    apply(agent, machine, mcp=True)
    file.write_text(file.read_text().replace('"-I"', '"-x"'))
    moved = replace(machine, interpreter=Path("/bin/sh"))
    standing = check(agent, moved)
    assert standing.state == "stale"
    hooks, server = standing.findings
    assert (hooks.remedy, "--no-mcp" in server.remedy) == (f"ctxrepo setup {agent}", True)
    apply(agent, moved)
    assert check(agent, moved).findings == (server,)


@pytest.mark.parametrize("is_declined", [False, True])
def test_a_list_that_is_broken_is_told_with_what_helps(home: Path, is_declined: bool) -> None:
    machine, file = machine_of(home), home / LISTS["cursor"][0]
    apply("cursor", machine)
    file.write_text("[[\n" + file.read_text())
    apply("cursor", machine, mcp=False if is_declined else None)
    standing = check("cursor", machine)
    (finding,) = standing.findings
    assert standing.state == "partial"
    assert finding.problem.startswith(f"Cursor: {file}, line ")
    assert finding.remedy.startswith("Mend it")
    assert ("--no-mcp" in finding.remedy) != is_declined


def paste(agent: str, home: Path, *words: str) -> dict[str, Any]:
    """Put our server into the agent's list, in the form that our pages show."""
    file, key, read = LISTS[agent]
    entry: dict[str, Any] = {"command": words[0], "args": [*words[1:]]}
    if agent == "opencode":
        entry = {"type": "local", "command": [*words]}
    if agent == "copilot":
        entry |= {"type": "stdio", "tools": ["recall"]}
    text = json.dumps({key: {"ctxrepo": entry}})
    if read is tomllib.loads:
        text = f'[{key}.ctxrepo]\ncommand = "{words[0]}"\nargs = {[*words[1:]]}\n'
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    (home / file).write_text(text)
    return entry


def with_command(home: Path) -> Machine:
    """A machine on whose PATH there is a `ctxrepo`."""
    put(home / "bin/ctxrepo", b"#!/bin/sh\n", 0o755)
    machine = machine_of(home)
    return replace(machine, environment={**machine.environment, "PATH": f"{home}/bin"})


FORMS = {
    "command": lambda home: ("ctxrepo", "mcp"),
    "path": lambda home: (f"{home}/bin/ctxrepo", "mcp"),
    "ours": lambda home: (sys.executable, *ARGUMENTS),
}
"""What a person pastes that starts our server where it needs no variables."""


@every_serving
@pytest.mark.parametrize("words", FORMS.values(), ids=FORMS)
def test_what_works_as_it_was_pasted_counts_and_stays(
    home: Path, agent: str, words: Callable[[Path], Sequence[str]]
) -> None:
    machine = with_command(home)
    pasted = paste(agent, home, *words(home))
    apply(agent, machine, mcp=True)
    assert listed(agent, home)["ctxrepo"] == pasted
    assert check(agent, machine).state == "current"
    assert not setup.plan(agent, machine, Choices(mcp=True)).visible
    apply(agent, machine, mcp=False)
    assert "ctxrepo" not in listed(agent, home)


@every_serving
@pytest.mark.parametrize("words", FORMS.values(), ids=FORMS)
def test_pasted_later_it_counts_at_once(
    home: Path, agent: str, words: Callable[[Path], Sequence[str]]
) -> None:
    machine = with_command(home)
    apply(agent, machine, mcp=True)
    if agent != "gemini":  # where the hooks stand in the same file
        paste(agent, home, *words(home))
        assert check(agent, machine).findings == ()


@every_serving
def test_what_lacks_a_variable_does_not_count_and_is_given_it(home: Path, agent: str) -> None:
    machine = with_command(home)
    moved = replace(machine, places=replace(machine.places, home=Path("/srv/memory")))
    apply(agent, moved, mcp=True)
    if agent != "gemini":
        paste(agent, home, "ctxrepo", "mcp")
        assert check(agent, moved).state == "stale"
        apply(agent, moved)
        entry = listed(agent, home)["ctxrepo"]
        assert command_of(entry) == "ctxrepo", "the command works"
        assert (entry.get("env") or entry["environment"]) == {"CTXREPO_HOME": "/srv/memory"}
        assert check(agent, moved).state == "current"


def test_copilot_is_given_what_it_takes_no_list_without(home: Path) -> None:
    machine, file = with_command(home), home / LISTS["copilot"][0]
    apply("copilot", machine, mcp=True)
    file.write_text('{"mcpServers": {"ctxrepo": {"command": "ctxrepo", "args": ["mcp"]}}}')
    assert check("copilot", machine).state == "stale"
    apply("copilot", machine)
    entry = listed("copilot", home)["ctxrepo"]
    assert (entry["command"], entry["type"], entry["tools"]) == ("ctxrepo", "local", ["*"])


@every_serving
def test_what_cannot_be_called_is_renewed(home: Path, agent: str) -> None:
    machine = machine_of(home)
    pasted = paste(agent, home, "/home/ada/.local/bin/ctxrepo", "mcp")
    if not AGENTS[agent].needs_server:
        apply(agent, machine)
        assert listed(agent, home)["ctxrepo"] == pasted, "nobody said anything about it"
        setup.apply(setup.removal(agent, machine))
        assert "ctxrepo" not in listed(agent, home)
        paste(agent, home, "/home/ada/.local/bin/ctxrepo", "mcp")
    apply(agent, machine, mcp=True)
    assert command_of(listed(agent, home)["ctxrepo"]) == str(machine.interpreter)
    if agent != "gemini":
        paste(agent, home, "ctxrepo", "mcp")
        (finding,) = check(agent, machine).findings
        assert "has ctxrepo run our MCP server, and that is gone" in finding.problem
    apply(agent, machine, mcp=False)
    assert "ctxrepo" not in listed(agent, home)
