"""Our MCP server in Codex' configuration: beside what a person has there, and out again to the byte."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.codex.config_toml import ConfigWithServer
from ctxrepo.agents.mcp_server import ARGUMENTS, McpServer, command_of
from ctxrepo.agents.permissions import InstallOptions

SERVER = McpServer(Path("/opt/py 3/bin/python"), {"CTXREPO_STATE": "/var/ctxrepo"})
LISTED = ConfigWithServer(InstallOptions(server=SERVER))
APPROVED = ConfigWithServer(InstallOptions("write", server=SERVER))
TAKEN_OUT = ConfigWithServer(InstallOptions())

CONFIGS = {
    "nothing": "",
    "keys": 'model = "gpt"  # mine\n',
    "no last line break": "[features]\nmemories = true # mine",
    "blank lines": "\n\n# mine\n\n\n",
    "other servers": '[mcp_servers.github]\ncommand = "npx"\n\n[mcp_servers.github.env]\nA = "b"\n',
    "a header": '[mcp_servers]\n\n[mcp_servers.github]\ncommand = "npx"\n[tui]\nx = 1\n',
    "points": 'mcp_servers.github.command = "npx"\n',
    "windows": '\ufeffmodel = "gpt"\r\n\r\n[tui]\r\nx = """a\r\n[b]\r\n"""\r\n',
}


def connect(config: ConfigWithServer, text: str) -> str:
    return config.connect(text, str)


def servers(text: str) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff")).get("mcp_servers", {})
    return table


@pytest.mark.parametrize("text", CONFIGS.values(), ids=CONFIGS)
def test_ours_comes_beside_theirs_and_goes_again_to_the_byte(text: str) -> None:
    connected = connect(LISTED, text)
    there = servers(connected)
    assert there.pop("ctxrepo") == {
        "command": "/opt/py 3/bin/python",
        "args": ["-I", "-m", "ctxrepo", "mcp"],
        "env": {"CTXREPO_STATE": "/var/ctxrepo"},
    }
    assert there == servers(text)
    assert connect(LISTED, connected) == connected
    assert command_of(LISTED.server(connected)) == "/opt/py 3/bin/python"
    assert LISTED.disconnect(connected, text) == TAKEN_OUT.connect(connected, str, text) == text
    assert LISTED.disconnect(text, text) == connect(TAKEN_OUT, text) == text


def test_it_stands_as_a_table_of_its_own() -> None:
    assert connect(APPROVED, 'model = "gpt"\n') == (
        'model = "gpt"\n'
        "\n"
        "[mcp_servers.ctxrepo]\n"
        'command = "/opt/py 3/bin/python"\n'
        'args = ["-I", "-m", "ctxrepo", "mcp"]\n'
        'env = {CTXREPO_STATE = "/var/ctxrepo"}\n'
        'default_tools_approval_mode = "approve"\n'
    )
    usual = ConfigWithServer(InstallOptions(server=McpServer(Path("/p"))))
    assert "env" not in connect(usual, connect(LISTED, ""))


def test_tools_that_add_are_approved_where_that_is_permitted_and_no_longer() -> None:
    theirs = CONFIGS["other servers"]
    approved = connect(APPROVED, connect(LISTED, theirs)) + "\n[mine]\nx = 1\n"
    assert servers(approved)["ctxrepo"]["default_tools_approval_mode"] == "approve"
    lowered = connect(LISTED, approved)
    assert "approve" not in lowered
    assert "[mine]\nx = 1\n" in lowered
    own = lowered.replace(
        "[mcp_servers.ctxrepo]\n", '[mcp_servers.ctxrepo]\ndefault_tools_approval_mode = "prompt"\n'
    )
    assert connect(LISTED, own) == own, "what a person chose stays"


def test_it_is_brought_up_to_date_and_what_a_person_added_stays_until_it_goes() -> None:
    past = ConfigWithServer(InstallOptions(server=McpServer(Path("/old/python"))))
    added = (
        "startup_timeout_sec = 5\n\n[mcp_servers.ctxrepo.tools.recall]\napproval_mode = 'approve'\n"
        "\n[z]\ny = 2\n"
    )
    text = connect(past, CONFIGS["other servers"]) + added
    now = connect(LISTED, text)
    assert "/old/python" not in now
    assert servers(now)["ctxrepo"] == {
        **SERVER.entry,
        "startup_timeout_sec": 5,
        "tools": {"recall": {"approval_mode": "approve"}},
    }
    assert LISTED.disconnect(now) == CONFIGS["other servers"] + "\n[z]\ny = 2\n"


@pytest.mark.parametrize(
    "env",
    [
        'env = { CTXREPO_MCP = "read", CTXREPO_HOME = "/old" } # mine\n',
        'env.CTXREPO_MCP = "read" # mine\nenv.CTXREPO_HOME = "/old"\n',
        "\n[mcp_servers.ctxrepo.tools.recall]\nx = 1\n\n[mcp_servers.ctxrepo.env] # mine\n"
        'CTXREPO_HOME = "/old"\nCTXREPO_MCP = "read"\n',
    ],
)
def test_of_variables_ours_alone_are_renewed(env: str) -> None:
    head = f'[mcp_servers.ctxrepo]\ncommand = "/opt/py 3/bin/python"\nargs = {[*ARGUMENTS]}\n'
    text = head + env + "\n[z]\ny = 2\n"
    now = connect(LISTED, text)
    there: Any = servers(now)["ctxrepo"]
    assert there["env"] == {"CTXREPO_MCP": "read", "CTXREPO_STATE": "/var/ctxrepo"}
    assert "# mine" in now
    assert now.endswith("[z]\ny = 2\n")
    assert connect(LISTED, now) == now
    usual = ConfigWithServer(InstallOptions(server=McpServer(SERVER.interpreter)))
    there = servers(connect(usual, now))["ctxrepo"]
    assert there["env"] == {"CTXREPO_MCP": "read"}
    empty = head + "env = {}\n"
    assert connect(usual, empty) == empty


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.ctxrepo]\ncommand = "npx"\nargs = ["ctxrepo-mcp"]\n',
        '[mcp_servers.ctxrepo]\nurl = "https://example.com"\n',
        "mcp_servers.ctxrepo = 7\n",
    ],
)
def test_a_server_of_a_person_that_has_our_name_is_told_and_left(text: str) -> None:
    with pytest.raises(ValueError, match='"ctxrepo" is the name of another MCP server here'):
        connect(LISTED, text)
    assert LISTED.disconnect(text) == connect(TAKEN_OUT, text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('mcp_servers = {github = {command = "npx"}}\n', "so that no server can be added"),
        ("mcp_servers = []\n", "should be a table"),
        ("model = \n", "line 1"),
    ],
)
def test_a_configuration_to_which_nothing_can_be_added_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        connect(LISTED, text)
    assert "\n" not in str(error.value)


def test_one_that_a_person_wrote_on_one_line_goes_too() -> None:
    entry = "{command = '/p', args = ['-P', '-m', 'ctxrepo', 'mcp']}"
    assert LISTED.disconnect(f"mcp_servers = {{a = {{url = 'x'}}, ctxrepo = {entry}}}\n").count("url") == 1
    assert "-I" not in LISTED.disconnect(f"mcp_servers.ctxrepo = {entry}\n")


_LINES = st.sampled_from(
    [
        "",
        "# mine",
        "x{0} = 1",
        "[t{0}]",
        "[[l]]",
        "[mcp_servers.s{0}]",
        "y{0} = [\n  1, # [a]\n]",
        "z{0} = '''\n[q]\n'''",
    ]
)


@given(st.lists(_LINES, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_every_configuration_comes_back_to_the_byte(lines: list[str], newline: str, is_ended: bool) -> None:
    text = "\n".join(line.format(number) for number, line in enumerate(lines)) + "\n" * is_ended
    text = text.replace("\n", newline)
    connected = connect(APPROVED, text)
    assert command_of(LISTED.server(connected))
    assert connect(APPROVED, connected) == connected
    assert APPROVED.disconnect(connected, text) == text
