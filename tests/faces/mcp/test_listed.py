"""The server as an agent's list of servers has it, started in the form that the agent documents."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest
from machines import Machine
from mcp.client import Client, ClientRequestContext
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation, ListRootsResult, Root, TextContent
from processes import wait_for_workers

from ctxrepo.agents.permissions import TOOLS
from ctxrepo.faces.mcp.tools import tools

FACT = "The canary is rolled out first"

pytestmark = [
    pytest.mark.slow,  # a server is started, and its worker sends what was written
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),  # roots
]


def test_what_cursor_starts_writes_into_the_project_of_its_window_and_it_is_sent(
    ada: Machine, remote: Path
) -> None:
    ada.init(str(remote))
    assert ada.process("setup", "cursor", "--yes").returncode == 0
    entry = json.loads((ada.home / ".cursor" / "mcp.json").read_text())["mcpServers"]["ctxrepo"]
    assert remember(ada, entry).endswith("(project shop)")
    wait_for_workers(ada)
    sent = subprocess.run(
        ["git", "-C", str(remote), "log", "-p", "--format=%B", "main"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"+- [fact] {FACT}" in sent.stdout
    assert "Ctxrepo-Agent: cursor" in sent.stdout


def remember(machine: Machine, entry: dict[str, Any]) -> str:
    """What Cursor's client is answered: it starts a server in the user's home with a thin environment, and
    names the folder of its window when it is asked."""
    command = StdioServerParameters(
        command=entry["command"],
        args=entry["args"],
        env={"HOME": str(machine.home), "PATH": os.environ["PATH"], **entry["env"]},
        cwd=machine.home,
    )
    texts: list[str] = []

    async def roots(context: ClientRequestContext) -> ListRootsResult:
        return ListRootsResult(roots=[Root.model_validate({"uri": machine.project_folder.as_uri()})])

    async def talk() -> None:
        info = Implementation(name="cursor-vscode", version="1.0.0")
        with anyio.fail_after(60):
            async with Client(
                stdio_client(command), mode="legacy", client_info=info, list_roots_callback=roots
            ) as client:
                result = await client.call_tool("remember", {"text": FACT, "category": "fact"})
                texts.extend(part.text for part in result.content if isinstance(part, TextContent))

    anyio.run(talk)
    return texts[0]


def test_what_setup_lets_an_agent_call_is_what_the_server_offers() -> None:
    assert set(TOOLS["write"]) == set(tools())
    assert set(TOOLS["read"]) == {name for name, tool in tools().items() if tool.reads}
