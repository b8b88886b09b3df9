"""Our MCP server in agents' lists of servers: asked for, kept, declined, taken out, and looked after."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from homes import machine_of, snapshot
from server_lists import LISTS, SERVING, apply, every_serving, listed, put_theirs, rewrite

from ctxrepo.agents import names
from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.mcp_server import command_of
from ctxrepo.errors import ConfigError, UsageError
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user import receipt
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.receipt import Choices


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent trusts our hooks: whether it does is the matter of another test."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)


def test_every_agent_that_lists_servers_is_here() -> None:
    assert LISTS.keys() == {*SERVING}


@every_serving
@pytest.mark.parametrize("make", [put_theirs, lambda agent, home: None], ids=["theirs", "no list"])
def test_it_is_listed_kept_declined_and_taken_out(
    home: Path, agent: str, make: Callable[[str, Path], None]
) -> None:
    machine = machine_of(home)
    make(agent, home)
    before, theirs = snapshot(home), listed(agent, home)
    apply(agent, machine, mcp=True)
    servers = listed(agent, home)
    ours = servers.pop("ctxrepo")
    assert command_of(ours) == str(machine.interpreter)
    assert servers == theirs
    is_new = LISTS[agent][0] not in before and agent not in ("codex", "gemini")
    mode = (home / LISTS[agent][0]).stat().st_mode & 0o777
    assert mode == 0o600 or not is_new, "agents write keys into it, and leave its mode as it is"
    assert (check(agent, machine).state, check(agent, machine).choices.mcp) == ("current", True)
    assert not setup.plan(agent, machine).visible, "asked for nothing, it keeps what it has"
    apply(agent, machine, mcp=False)
    assert listed(agent, home) == theirs
    assert (check(agent, machine).state, bool(check(agent, machine).choices.mcp)) == ("current", False)
    assert not setup.plan(agent, machine).visible, "declined, it stays away"
    apply(agent, machine, mcp=True)
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


@every_serving
def test_a_list_that_was_edited_since_loses_our_server_alone(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    put_theirs(agent, home)
    theirs = file.read_text()
    apply(agent, machine, mcp=True)
    file.write_text(file.read_text().replace("npx", "bunx"))
    setup.apply(setup.removal(agent, machine))
    assert file.read_text() == theirs.replace("npx", "bunx")


@every_serving
def test_it_goes_where_the_receipt_is_lost(home: Path, agent: str) -> None:
    machine = machine_of(home)
    put_theirs(agent, home)
    apply(agent, machine, mcp=True)
    for kept in (home / ".config/ctxrepo/receipts").iterdir():
        kept.unlink()
    setup.apply(setup.removal(agent, machine))
    assert listed(agent, home).keys() == {"github"}


@every_serving
@pytest.mark.parametrize("is_declined", [True, False])
def test_a_list_that_is_broken_is_told_in_a_line_where_it_matters(
    home: Path, agent: str, is_declined: bool
) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"ctxrepo" = [')
    before = snapshot(home)
    with pytest.raises(ConfigError) as error:
        setup.plan(agent, machine, Choices(mcp=True))
    assert error.value.message.startswith(f"{file}, ")
    assert "\n" not in error.value.message + error.value.hint
    assert snapshot(home) == before
    if not AGENTS[agent].needs_server and agent != "gemini":  # whose hooks stand in it, too
        apply(agent, machine)
        assert file.read_text() == '{"ctxrepo" = ['


@every_serving
def test_a_variable_that_a_person_set_outlives_every_setup(home: Path, agent: str) -> None:
    machine, name = machine_of(home), "environment" if agent == "opencode" else "env"
    apply(agent, machine, mcp=True)
    rewrite(agent, home, lambda entry: entry.setdefault(name, {}).update(CTXREPO_MCP="read"))
    assert check(agent, machine).state == "current"
    assert not apply(agent, machine).visible
    moved = replace(machine, interpreter=Path("/bin/sh"), places=replace(machine.places, home=Path("/srv/m")))
    for there, added in ((moved, {"CTXREPO_HOME": "/srv/m"}), (machine, {})):
        apply(agent, there)  # the file is as the last setup left it
        assert listed(agent, home)["ctxrepo"][name] == {"CTXREPO_MCP": "read", **added}
        assert command_of(listed(agent, home)["ctxrepo"]) == str(there.interpreter)
    assert check(agent, machine).state == "current"


@pytest.mark.parametrize("agent", [name for name in SERVING if name != "gemini"])
def test_where_nobody_asked_for_ours_a_broken_list_keeps_from_nothing_else(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    apply(agent, machine, mcp=True)
    whole = file.read_text()
    file.write_text("[[\n" + whole)
    moved = replace(machine, interpreter=Path("/bin/sh"))
    plan = apply(agent, moved)
    assert re.search(r"line \d+, column \d+", plan.notices[0])
    assert plan.hooks
    assert file.read_text() == "[[\n" + whole
    file.write_text(whole)
    assert command_of(listed(agent, home)["ctxrepo"]) != "/bin/sh"
    apply(agent, moved)
    assert command_of(listed(agent, home)["ctxrepo"]) == "/bin/sh", "the choice is kept"
    file.write_text("[[\n" + whole)
    plan = setup.removal(agent, moved)
    assert plan.notices[0].startswith(f"the MCP servers of {AGENTS[agent].title} are left alone: {file}, ")
    file.write_text(whole)
    setup.apply(setup.removal(agent, moved))
    assert not file.exists()


@every_serving
def test_what_became_of_it_is_a_finding_and_setup_mends_it(home: Path, agent: str) -> None:
    machine, file = machine_of(home), home / LISTS[agent][0]
    apply(agent, machine, mcp=True)
    text, python = file.read_text(), str(machine.interpreter)
    for became, message in {
        text.replace(python, "/gone/python"): "/gone/python run our MCP server, and that is gone",
        text.replace(python, "/bin/sh"): "our MCP server of another installation, /bin/sh",
    }.items():
        file.write_text(became)
        standing = check(agent, machine)
        assert standing.state == "stale"
        assert any(message in finding.problem for finding in standing.findings), standing.findings
        assert standing.findings[0].remedy == f"ctxrepo setup {agent}"
        apply(agent, machine)
        assert check(agent, machine).state == "current"
    without = replace(machine, can_serve=False)
    assert "can't run without the package `mcp`" in check(agent, without).findings[0].problem
    setup.apply(setup.removal(agent, machine))


@pytest.mark.parametrize("agent", [name for name in SERVING if name not in ("codex", "gemini")])
def test_that_it_is_gone_is_told(home: Path, agent: str) -> None:
    machine = machine_of(home)
    apply(agent, machine, mcp=True)
    (home / LISTS[agent][0]).unlink()
    (finding,) = check(agent, machine).findings
    assert finding.problem == f"{AGENTS[agent].title}: our MCP server isn't in {home / LISTS[agent][0]}"
    apply(agent, machine)
    assert "ctxrepo" in listed(agent, home)


def test_an_agent_that_needs_it_has_it_unless_it_is_declined(home: Path) -> None:
    (agent,) = [name for name in SERVING if AGENTS[name].needs_server]
    machine = machine_of(home)
    plan = setup.plan(agent, machine)
    assert any(line == f"our MCP server comes to {home / LISTS[agent][0]}" for line in plan.summary)
    setup.apply(plan)
    assert "ctxrepo" in listed(agent, home)
    plan = apply(agent, machine, mcp=False)
    assert plan.summary == (f"our MCP server leaves {home / LISTS[agent][0]}",)
    assert not (home / LISTS[agent][0]).exists()
    assert not setup.plan(agent, machine).visible


def test_without_its_package_it_is_refused_or_left_out_and_both_say_what_helps(home: Path) -> None:
    machine = replace(machine_of(home), can_serve=False)
    for agent in SERVING:
        with pytest.raises(UsageError, match="needs the package `mcp`") as error:
            setup.plan(agent, machine, Choices(mcp=True))
        assert "pipx inject ctxrepo mcp" in error.value.hint
        plan = apply(agent, machine)
        assert "ctxrepo" not in listed(agent, home)
        assert any("pipx inject" in notice for notice in plan.notices) == AGENTS[agent].needs_server
        assert check(agent, machine).state == "current"
    (agent,) = [name for name in SERVING if AGENTS[name].needs_server]
    assert setup.plan(agent, machine_of(home)).visible, "as soon as it is installed, it is wanted"
    assert not apply(agent, machine, mcp=False).notices, "nobody misses what was declined"


@pytest.mark.parametrize("agent", [name for name in names() if name not in SERVING])
def test_an_agent_that_takes_none_says_so(home: Path, agent: str) -> None:
    with pytest.raises(UsageError, match="takes no MCP servers"):
        setup.plan(agent, machine_of(home), Choices(mcp=True))
    apply(agent, machine_of(home), mcp=False)
    assert check(agent, machine_of(home)).state == "current"


def test_it_is_told_the_places_that_it_would_not_find(home: Path) -> None:
    assert machine_of(home).server.environment == {}
    environment = {
        "HOME": str(home),
        "CTXREPO_HOME": "/srv/memory",
        "XDG_STATE_HOME": "/var/state",
        "TOKEN": "x",
    }
    machine = replace(machine_of(home), places=Places.of(environment), environment=environment)
    wanted = {"CTXREPO_HOME": "/srv/memory", "CTXREPO_STATE": "/var/state/ctxrepo"}
    assert machine.server.environment == wanted
    apply("cursor", replace(machine, places=replace(machine.places, state=home / "state")))
    there = listed("cursor", home)["ctxrepo"]["env"]
    assert there == {"CTXREPO_HOME": "/srv/memory", "CTXREPO_STATE": str(home / "state")}


def files_of_receipt(home: Path) -> Mapping[Path, receipt.WrittenFile]:
    """What the only receipt of this home says of each file that setup changed."""
    [file] = (home / ".config/ctxrepo/receipts").iterdir()
    saved = receipt.load(file.read_bytes())
    assert saved is not None, file
    return saved.files


def test_of_what_claude_code_keeps_for_itself_no_copy_is_made(home: Path) -> None:
    machine, state = machine_of(home), home / ".claude.json"
    kept = {"oauthAccount": {"emailAddress": "ada@example.com"}, "numStartups": 7, "mcpServers": {}}
    state.write_text(json.dumps(kept, indent=2))
    apply("claude", machine, mcp=True)
    assert files_of_receipt(home)[state].original == b'{"mcpServers": {}}\n'
    # Claude Code writes it while it runs.
    state.write_text(state.read_text().replace('"numStartups": 7', '"numStartups": 8'))
    assert check("claude", machine).state == "current"
    assert not setup.plan("claude", machine).visible
    setup.apply(setup.removal("claude", machine))
    assert state.read_text() == json.dumps({**kept, "numStartups": 8}, indent=2)
    apply("claude", machine)
    assert state not in files_of_receipt(home), "nobody asked for a server"


def test_claude_code_finds_it_where_a_variable_says(home: Path) -> None:
    environment = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / "work")}
    apply("claude", replace(machine_of(home), environment=environment), mcp=True)
    assert "ctxrepo" in json.loads((home / "work/.claude.json").read_text())["mcpServers"]
    assert not (home / ".claude.json").exists()


TOOLS = {"none": [], "read": ["recall", "search", "read"]}
TOOLS["write"] = [*TOOLS["read"], "remember", "edit", "handoff"]


@pytest.mark.parametrize("level", TOOLS)
def test_its_tools_are_permitted_as_commands_are(home: Path, level: str) -> None:
    machine = machine_of(home)
    for agent in ("claude", "gemini", "codex"):
        apply(agent, machine, "write", mcp=True)
        apply(agent, machine, level)
    settings = json.loads((home / ".claude/settings.json").read_text())
    allowed = settings.get("permissions", {}).get("allow", [])
    assert [rule for rule in allowed if "mcp" in rule] == [f"mcp__ctxrepo__{tool}" for tool in TOOLS[level]]
    policy = home / ".gemini/policies/ctxrepo.toml"
    rules = tomllib.loads(policy.read_text())["rule"] if policy.exists() else []
    tools = [rule["toolName"] for rule in rules if rule.get("mcpName") == "ctxrepo"]
    assert tools == ([TOOLS[level]] if level != "none" else [])
    approval = listed("codex", home)["ctxrepo"].get("default_tools_approval_mode")
    assert approval == ("approve" if level == "write" else None)


@pytest.mark.parametrize("agent", ["claude", "gemini"])
def test_without_the_server_no_tool_of_it_is_permitted(home: Path, agent: str) -> None:
    machine = machine_of(home)
    apply(agent, machine, "write", mcp=True)
    apply(agent, machine, mcp=False)
    text = "".join(
        file.read_text() for file in (home / f".{agent}").rglob("*.[jt][so][om]*") if file.is_file()
    )
    assert "remember" in text
    assert "mcp__" not in text
    assert "mcpName" not in text
