"""setup --all: each agent that is there is looked after; one that can't be keeps no other one back."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

import pytest
from connecting import put
from homes import documents, others, snapshot, wanted
from long import rotating
from terminal import Terminal

from ctxrepo.agents import names
from ctxrepo.agents.known import AGENTS
from ctxrepo.agents.wanted import SkillsFolder

EDITED = [name for name in names() if documents(name, Path("/h"))]


@pytest.fixture
def started(cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which every agent was started once; no program of theirs is on the PATH."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in names():
        others(name, cli.machine.home)
    return cli.machine.home


def connected(output: str) -> list[str]:
    return [line.split()[1].rstrip(":") for line in output.splitlines() if line.startswith("connected ")]


def state(name: str) -> str:
    """How a connected agent stands: one that runs only trusted hooks can't be asked here, and one that needs
    our MCP server has it."""
    served = ", --mcp" if AGENTS[name].needs_server else ""
    return f"{'unknown' if AGENTS[name].trust else 'current'}{served}"


def test_all_are_connected_and_let_go_of_to_the_byte(cli: Terminal, started: Path) -> None:
    before = snapshot(started)
    answer = cli("setup", "--all", "--yes")
    assert (answer.code, connected(answer.out)) == (0, names())
    after = snapshot(started)
    again = cli("setup", "--all", "--yes")
    assert again.code == 0
    assert again.out.splitlines() == [f"{name} is connected already" for name in names()]
    assert snapshot(started) == after
    checked = cli("setup", "--all", "--check")
    assert [line for line in checked.out.splitlines() if not line.startswith(" ")] == [
        f"{name}: {state(name)}" for name in names()
    ]
    assert checked.code == 0
    assert "connected: antigravity, claude, copilot" in cli("status").out
    assert cli("setup", "--all", "--remove", "--yes").code == 0
    assert snapshot(started) == before


@pytest.mark.parametrize("spoilt", rotating(EDITED, keep=2))
def test_one_that_cannot_be_read_is_told_and_the_others_are_connected(
    cli: Terminal, started: Path, spoilt: str
) -> None:
    document = documents(spoilt, started)[0]
    whole = document.path.read_bytes()
    document.path.write_bytes(b"\xff" + whole)
    answer = cli("setup", "--all", "--yes")
    rest = [name for name in names() if name != spoilt]
    assert (answer.code, connected(answer.out)) == (1, rest)
    (message,) = [line for line in answer.err.splitlines() if str(document.path) in line]
    assert message.startswith(f"ctxrepo: {AGENTS[spoilt].title} was left out: {document.path} is not UTF-8")
    assert document.path.read_bytes() == b"\xff" + whole
    data = cli("setup", "--all", "--yes", "--json")
    assert data.code == 1
    assert [agent["agent"] for agent in data.data["agents"] if "error" in agent] == [spoilt]
    checked = cli("setup", "--all", "--check")
    assert checked.code == 1
    assert all(f"{name}: {state(name)}" in checked.out for name in rest)
    document.path.write_bytes(whole)
    answer = cli("setup", "--all", "--yes")
    assert (answer.code, connected(answer.out)) == (0, [spoilt])


def test_several_by_their_names_are_as_all_are_and_one_alone_is_an_error(
    cli: Terminal, started: Path
) -> None:
    (started / ".claude/settings.json").write_text('{"hooks": [')
    answer = cli("setup", "claude", "cursor", "claude", "--yes")
    assert (answer.code, connected(answer.out)) == (1, ["cursor"])
    assert answer.err.count("Claude Code was left out: ") == 1
    alone = cli("setup", "claude", "--yes")
    assert (alone.code, alone.is_one_line()) == (2, True)
    before = snapshot(started)
    assert cli("setup", "codex", "nobody", "--yes").code == 2
    assert snapshot(started) == before


def test_a_dry_run_shows_what_agents_share_once(cli: Terminal, started: Path) -> None:
    parts = [part for name in names() for part in wanted(name, started)]
    folders = {part.path for part in parts if isinstance(part, SkillsFolder)}
    before = snapshot(started)
    shown = cli("setup", "--all", "--dry-run")
    assert shown.code == 0
    for folder in folders:
        assert shown.out.count(f"+++ {folder}/memory-write/SKILL.md\n") == 1
    assert snapshot(started) == before
    cli("setup", "--all", "--yes")
    after = snapshot(started)
    shown = cli("setup", "--all", "--remove", "--dry-run")
    for folder in folders:
        assert shown.out.count(f"--- {folder}/memory-write/SKILL.md\n") == 1
    assert snapshot(started) == after


def test_an_agent_that_is_gone_is_let_go_of_with_the_others(cli: Terminal, started: Path) -> None:
    cli("setup", "cursor", "--yes")
    rmtree(started / ".cursor")
    answer = cli("setup", "--all", "--remove", "--yes")
    assert (answer.code, "removed cursor:" in answer.out) == (0, True)
    assert [p.name for p in (started / ".agents/skills").iterdir()] == ["theirs"]
    assert not (started / ".cursor").exists()


def test_a_program_that_was_never_started_is_told_and_left(
    cli: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "bin/codex", b"#!/bin/sh\nexit 1\n", 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    answer = cli("setup", "--all", "--yes")
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert "`ctxrepo setup codex` makes one." in answer.err
    (cli.machine.home / ".cursor").mkdir()
    answer = cli("setup", "--all", "--yes")
    assert (answer.code, connected(answer.out)) == (0, ["cursor"])
    assert (
        "`codex` can be called, and Codex has no folder yet: `ctxrepo setup codex` connects it" in answer.err
    )
    assert not (cli.machine.home / ".codex").exists()
