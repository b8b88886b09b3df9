"""setup: it shows, asks, does what was shown, and takes it back byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal

THEIRS = '{\n  "model": "opus",\n  "hooks": {}\n}\n'


@pytest.fixture
def settings(cli: Terminal) -> Path:
    """A person's settings of Claude Code."""
    file = cli.machine.home / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(THEIRS)
    return file


def everything(cli: Terminal) -> dict[str, str]:
    """Every file but the state, with a digest of its bytes."""
    home = cli.machine.home
    state = cli.machine.places.state
    return {
        str(p): hashlib.sha256(p.read_bytes()).hexdigest()
        for p in home.rglob("*")
        if p.is_file() and state not in p.parents
    }


def test_it_refuses_to_go_on_unasked_where_nobody_can_answer(cli: Terminal, settings: Path) -> None:
    before = everything(cli)
    for words in (["setup", "claude"], ["setup", "claude", "--remove"], ["setup", "--all"]):
        answer = cli(*words)
        if "--remove" in words:
            assert (answer.code, answer.out) == (0, "claude: nothing to remove\n")
        else:
            assert (answer.code, answer.is_one_line()) == (2, True)
            assert "--diff" in answer.err
            assert "--yes" in answer.err
    assert everything(cli) == before


def test_a_dry_run_shows_all_and_changes_nothing(cli: Terminal, settings: Path) -> None:
    before = everything(cli)
    answer = cli("setup", "claude", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert f"+++ {settings}" in answer.out
    assert "hook.py claude SessionStart" in answer.out
    data = cli("setup", "claude", "--dry-run", "--json").data["agents"][0]
    assert (data["agent"], data["applied"]) == ("claude", False)
    assert str(settings) in data["paths"]
    assert everything(cli) == before


def test_yes_connects_twice_changes_nothing_and_remove_restores(cli: Terminal, settings: Path) -> None:
    before = everything(cli)
    answer = cli("setup", "claude", "--yes")
    assert (answer.code, answer.out.partition(":")[0]) == (0, "connected claude")
    assert str(settings) in answer.out
    hooks = json.loads(settings.read_text())["hooks"]
    assert "SessionStart" in hooks
    connected = everything(cli)
    assert cli("setup", "claude", "-y").out == "claude is connected already\n"
    assert cli("setup", "--all").out == "claude is connected already\n"
    assert everything(cli) == connected
    assert cli("setup", "claude", "--remove", "--yes").out.startswith("removed claude:\n  ")
    assert everything(cli) == before


@pytest.mark.parametrize(
    ("typed", "code", "message"),
    [
        (b"n\n", 0, "claude: nothing was changed"),
        (b"\n", 0, "claude: nothing was changed"),
        (b"\x04", 130, ""),
        (b"y\n", 0, "connected claude:\n  "),
        (b"d\ny\n", 0, "connected claude:\n  "),
    ],
)
def test_at_a_terminal_it_says_in_a_few_lines_what_it_would_do_and_asks(
    cli: Terminal, settings: Path, typed: bytes, code: int, message: str
) -> None:
    before = everything(cli)
    keyboard, terminal = pty.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-m", "ctxrepo", "setup", "claude"],
        env=cli.machine.env,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    os.write(keyboard, typed)
    out, _ = asking.communicate(timeout=30)
    for end in (keyboard, terminal):
        os.close(end)
    assert asking.returncode == code
    summary, _, rest = out.partition("Make these changes?")
    assert len(summary.splitlines()) < 6
    assert f"hooks in {settings}: SessionStart, " in summary
    assert "skills come to" in summary
    assert (f"+++ {settings}" in rest) == typed.startswith(b"d")
    assert message in out.partition("Make these changes?")[2]
    assert (everything(cli) == before) == (not message.startswith("connected"))


def test_check_tells_by_its_exit_code(cli: Terminal, settings: Path) -> None:
    answer = cli("setup", "claude", "--check")
    assert (answer.code, answer.out) == (1, "claude: absent\n")
    cli("setup", "claude", "--yes")
    answer = cli("setup", "claude", "--check", "--json")
    assert answer.code == 0
    assert answer.data == {"agents": [{"agent": "claude", "state": "current", "findings": []}]}
    settings.write_text(settings.read_text().replace(sys.executable, "/gone/python"))
    answer = cli("setup", "claude", "--check")
    assert answer.code == 1
    assert "/gone/python, which is gone" in answer.out
    assert "ctxrepo setup claude" in answer.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["setup"], "no agent was named"),
        (["setup", "cluade"], "no agent is called 'cluade'"),
        (["setup", "claude", "nobody", "--yes"], "no agent is called 'nobody'"),
        (["setup", "--all"], "no agent that ctxrepo knows"),
    ],
)
def test_2_a_name_that_is_wrong_stops_it_before_anything_is_done(
    cli: Terminal, words: list[str], message: str
) -> None:
    before = everything(cli)
    answer = cli(*words)
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert message in answer.err
    assert everything(cli) == before


def test_1_without_a_memory_repository_it_says_so_first(fresh: Terminal) -> None:
    answer = fresh("setup", "claude", "--yes")
    assert (answer.code, answer.is_one_line()) == (1, True)
    assert "`ctxrepo init" in answer.err
    assert not (fresh.machine.home / ".claude").exists()


def test_2_settings_that_can_not_be_understood_are_left_alone(cli: Terminal, settings: Path) -> None:
    settings.write_text('{"hooks": [')
    answer = cli("setup", "claude", "--yes")
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert str(settings) in answer.err
    assert settings.read_text() == '{"hooks": ['


def test_1_hooks_that_could_not_be_trusted_are_connected_all_the_same(
    cli: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    answer = cli("setup", "codex", "--yes", "--trust")
    assert answer.code == 1
    assert answer.out.startswith("connected codex:\n  ")
    assert answer.out.splitlines()[-1].startswith("not trusted: codex app-server could not be started")
    assert "start `codex`, type /hooks, and trust them" in answer.err
    again = cli("setup", "codex", "--yes", "--trust", "--json")
    assert (again.code, again.data["agents"][0]["applied"]) == (1, True)
    assert "could not be started" in again.data["agents"][0]["untrusted"]
    assert "entries of trust" not in cli("setup", "codex", "--remove", "--yes").err


def test_only_to_show_the_changes_takes_no_memory(fresh: Terminal) -> None:
    (fresh.machine.home / ".claude").mkdir()
    answer = fresh("setup", "claude", "--dry-run")
    assert answer.code == 0
    assert f"+++ {fresh.machine.home}/.claude/settings.json" in answer.out
    assert fresh("setup", "claude", "--yes").code == 1
    assert not (fresh.machine.home / ".claude/settings.json").exists()


def test_the_mcp_server_is_added_kept_declined_and_removed(cli: Terminal, settings: Path) -> None:
    before, state = everything(cli), cli.machine.home / ".claude.json"
    answer = cli("setup", "claude", "--mcp", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert f"+++ {state}" in answer.out
    assert '"ctxrepo": {' in answer.out
    assert everything(cli) == before
    assert str(state) in cli("setup", "claude", "--mcp", "--yes").out
    (command, *arguments) = _server(state)
    assert (command, arguments) == (sys.executable, ["-I", "-m", "ctxrepo", "mcp"])
    assert cli("setup", "claude", "--yes").out == "claude is connected already\n"
    assert cli("setup", "claude", "--check").out == "claude: current, --mcp\n"
    assert cli("setup", "--all", "--no-mcp", "--yes").code == 0
    assert not state.exists()
    assert cli("setup", "claude", "--check").out == "claude: current\n"
    assert cli("setup", "claude", "--mcp", "--yes").code == 0
    assert cli("setup", "claude", "--remove", "--yes").code == 0
    assert everything(cli) == before


def test_a_server_that_cannot_be_added_is_refused_in_a_line(cli: Terminal, settings: Path) -> None:
    before = everything(cli)
    answer = cli("setup", "pi", "--mcp", "--yes")
    assert (answer.code, answer.err.partition("\n")[0]) == (2, "ctxrepo: pi takes no MCP servers")
    answer = cli("setup", "claude", "--mcp", "--no-mcp")
    assert (answer.code, answer.is_one_line()) == (2, True)
    state = cli.machine.home / ".claude.json"
    state.write_text('{"mcpServers": {"ctxrepo": {"command": "mine"}}}')
    answer = cli("setup", "claude", "--mcp", "--yes")
    assert answer.code != 0
    assert answer.err.startswith(
        f'ctxrepo: {state}, line 1, column 28: "ctxrepo" is the name of another MCP server'
    )
    state.unlink()
    assert everything(cli) == before


def test_what_was_only_taken_away_is_not_called_connected(cli: Terminal, settings: Path) -> None:
    assert cli("setup", "claude", "--mcp", "--permissions", "write", "--yes").out.startswith("connected")
    answer = cli("setup", "claude", "--no-mcp", "--yes")
    assert answer.out.startswith("changed claude:\n  ")
    answer = cli("setup", "claude", "--permissions", "none", "--yes")
    assert answer.out == f"changed claude:\n  {settings}\n"
    assert "--permissions write" not in answer.err, "that was declined a moment ago"
    assert "--permissions write" in cli("setup", "claude", "--yes").err


@pytest.mark.parametrize(
    ("text", "place"),
    [('{"mcpServers": {"ctxrepo": {"url": "x"}}}', "column 28: "), ("{\n  // mine\n}", "line 2, column 3: ")],
)
def test_cursor_is_set_up_beside_a_list_that_cannot_take_our_server(
    cli: Terminal, text: str, place: str
) -> None:
    listed = cli.machine.home / ".cursor/mcp.json"
    listed.parent.mkdir()
    listed.write_text(text)
    for words in (["cursor"], ["--all", "--mcp"]):
        answer = cli("setup", *words, "--yes")
        assert answer.code == 0
        assert answer.err.count("the MCP servers of Cursor are left alone") == 1
        assert place in answer.err
        assert "or do without ours: `ctxrepo setup cursor --no-mcp`." in answer.err
    refused = cli("setup", "cursor", "--mcp", "--yes")
    assert (refused.code, place in refused.err) == (2, True)
    assert "do without ours: `ctxrepo setup cursor --no-mcp`" in refused.err
    checked = cli("setup", "cursor", "--check")
    assert (checked.code, checked.out.partition("\n")[0]) == (1, "cursor: partial, --mcp")
    assert checked.out.count("`") == checked.out.count("`ctxrepo setup cursor --no-mcp`") * 2 == 2
    for words in (["setup", "cursor", "--check"], ["doctor"]):
        assert "Cursor: " + refused.err.removeprefix("ctxrepo: ").partition("\n")[0] in cli(*words).out
    assert "connected but for the MCP server: cursor; `ctxrepo doctor` says more" in cli("status").out
    assert "are left alone" not in cli("setup", "cursor", "--no-mcp", "--yes").err
    assert cli("setup", "cursor", "--check").out == "cursor: current\n"
    assert listed.read_text() == text


def test_all_agents_get_the_server_but_those_that_take_none(cli: Terminal, settings: Path) -> None:
    (cli.machine.home / ".pi/agent").mkdir(parents=True)
    assert cli("setup", "--all", "--mcp", "--yes").code == 0
    assert cli("setup", "--all", "--check").out == "claude: current, --mcp\npi: current\n"


def _server(file: Path) -> list[str]:
    """The command line of our server in a list of servers."""
    entry = json.loads(file.read_text())["mcpServers"]["ctxrepo"]
    return [entry["command"], *entry["args"]]
