"""Which agent a host is, and in which folder it works: by what clients, roots and environments say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.known import AGENTS
from ctxrepo.faces.mcp.host import agent_of, call_of, folder_of, session_of, workspace_of

CLIENTS = {
    "claude-code": "claude",
    "codex-mcp-client": "codex",
    "Codex": "codex",
    "github-copilot-developer": "copilot",
    "copilot-cli": "copilot",
    "gemini-cli-mcp-client": "gemini",
    "opencode": "opencode",
    "cursor-vscode": "cursor",
    "antigravity-client": "antigravity",
    # Of other hosts, and of those of our agents' makers that are no agent of ours.
    "claude-ai": "claude-ai",
    "Visual Studio Code": "visual-studio-code",
    "JetBrains-IU-copilot-intellij": "jetbrains-iu-copilot-intellij",
    "@n8n/n8n-nodes-langchain.mcpClientTool": "n8n-n8n-nodes-langchain-mcpclienttool",
    "com.raycast.macos": "com-raycast-macos",
    "Cherry Studio": "cherry-studio",
    "Zed": "zed",
    "codexplorer": "codexplorer",
    "cursory notes": "cursory-notes",
    "": "mcp",
    "  ": "mcp",
    "語": "mcp",
}
"""How clients introduce themselves (npm's mcp-client-capabilities) -> who writes are said to come from."""

CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}


@pytest.mark.parametrize(("client", "agent"), CLIENTS.items())
def test_a_client_is_the_agent_that_its_name_begins_with_or_its_name_as_a_word(
    client: str, agent: str
) -> None:
    assert agent_of(client, {}) == agent


@given(st.text() | st.text("aZ9 -./\n\0\x1b", max_size=200))
def test_whatever_a_client_calls_itself_is_one_safe_word(client: str) -> None:
    agent = agent_of(client, {})
    assert agent
    assert len(agent) <= 40
    assert agent.replace("-", "").isalnum()
    assert agent.isascii()
    assert agent == agent.lower().strip("-")


def test_a_client_that_says_nothing_known_is_the_agent_that_started_the_server() -> None:
    assert agent_of("some sdk", CLAUDE) == agent_of("", CLAUDE) == "claude"
    assert agent_of("codex-mcp-client", CLAUDE) == "codex"


def test_the_session_is_that_of_the_agent_and_of_no_other() -> None:
    assert session_of("claude", CLAUDE) == "s-1"
    assert session_of("codex", CLAUDE) == session_of("mcp", CLAUDE) == session_of("claude", {}) == ""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a b" / "shop"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def test_without_roots_the_folder_of_the_server_counts(here: Path) -> None:
    assert folder_of([]) == here


@pytest.mark.parametrize("up", [0, 1, 2])
def test_the_folder_of_the_server_counts_if_it_lies_in_a_root(here: Path, tmp_path: Path, up: int) -> None:
    root = [here, *here.parents][up]
    assert folder_of([tmp_path.joinpath("other").as_uri(), root.as_uri()]) == here
    assert folder_of([f"{root.as_uri()}/"]) == here


def test_else_the_first_root_counts(here: Path, tmp_path: Path) -> None:
    """Whether it is there is seen by whoever looks for the project, apart: a disk that is gone may hang."""
    first, second = (tmp_path / name for name in ("first", "second"))
    assert folder_of([first.as_uri(), second.as_uri()]) == first


def test_a_name_that_only_begins_like_the_folder_is_no_folder_around_it(here: Path, tmp_path: Path) -> None:
    other = tmp_path / "a b" / "sh"
    assert folder_of([other.as_uri()]) == other


@pytest.mark.parametrize("name", ["c#", "100%", "50%25", "what?", "語 ñ", "semi;colon"])
def test_a_root_is_read_as_it_was_encoded(here: Path, tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    assert folder_of([root.as_uri()]) == root
    assert folder_of([root.as_uri().replace("file://", "file://localhost")]) == root
    assert folder_of([root.as_uri().replace("file://", f"FILE://{os.uname().nodename}")]) == root


def test_a_root_with_bytes_that_are_no_utf_8_is_that_folder(here: Path, tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert folder_of([root.as_uri()]) == root


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "https://example.org/a",
        "vscode-remote://wsl/home/ada",
        "file://elsewhere/home/ada",
        "file:relative",
        "file:///a%00b",
        "file://[torn/a",
        "untitled:Untitled-1",
        "\ud800",
    ],
)
def test_what_names_no_folder_here_is_passed_over(here: Path, tmp_path: Path, uri: str) -> None:
    assert folder_of([uri]) == here
    assert folder_of([uri, tmp_path.as_uri()]) == here
    other = tmp_path / "other"
    assert folder_of([uri, other.as_uri()]) == other


def test_where_the_folder_of_the_server_is_gone_a_root_counts_else_home(
    here: Path, tmp_path: Path, home: Path
) -> None:
    here.rmdir()
    assert folder_of([tmp_path.as_uri()]) == tmp_path
    assert folder_of([]) == home
    assert folder_of([here.as_uri()]) == here


def test_cursor_and_claude_name_their_folders_in_the_environment(here: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("one, yes: one", "two"))
    for named, folder in {
        f"{first}": first,
        f"{second},{first}": second,
        f"{second}:{first}": second,
        f"{first}:{second}": first,
    }.items():
        call = call_of("cursor-vscode", [], {"WORKSPACE_FOLDER_PATHS": named})
        assert (call.cwd, call.session) == (folder, ("cursor", ""))
    call = call_of("claude-code", [], {**CLAUDE, "CLAUDE_PROJECT_DIR": str(second)})
    assert (call.cwd, call.session) == (second, ("claude", "s-1"))


def test_roots_say_more_than_the_environment(here: Path, tmp_path: Path) -> None:
    first, second = (tmp_path / name for name in ("one", "two"))
    environment = {"WORKSPACE_FOLDER_PATHS": str(first)}
    assert call_of("cursor-vscode", [second.as_uri()], environment).cwd == second
    assert call_of("zed", [], environment).cwd == here


@pytest.mark.parametrize("named", ["", "relative", ",", ":", "C:\\Users\\ada"])
def test_what_is_no_path_in_the_environment_is_no_folder(named: str) -> None:
    assert workspace_of("cursor", {"WORKSPACE_FOLDER_PATHS": named}) == []


def test_no_two_agents_have_clients_of_one_name() -> None:
    clients = [(client, name) for name, agent in AGENTS.items() for client in agent.identity.CLIENTS]
    assert clients
    assert [agent_of(client, {}) for client, _ in clients] == [name for _, name in clients]
