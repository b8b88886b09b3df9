"""Agents' lists of MCP servers in homes of tests: where they are, and what a person and setup put there."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxrepo.agents import names
from ctxrepo.agents.known import AGENTS
from ctxrepo.services.setup import setup
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.user.receipt import Choices

LISTS = {
    "antigravity": (".gemini/config/mcp_config.json", "mcpServers", json.loads),
    "claude": (".claude.json", "mcpServers", json.loads),
    "codex": (".codex/config.toml", "mcp_servers", tomllib.loads),
    "copilot": (".copilot/mcp-config.json", "mcpServers", json.loads),
    "cursor": (".cursor/mcp.json", "mcpServers", json.loads),
    "gemini": (".gemini/settings.json", "mcpServers", json.loads),
    "opencode": (".config/opencode/opencode.json", "mcp", json.loads),
}
"""Agent -> the file in a home that lists its servers, where they stand in it, and how it is read."""

SERVING = [name for name in names() if AGENTS[name].servers]
every_serving = pytest.mark.parametrize("agent", SERVING)


def listed(agent: str, home: Path) -> dict[str, Any]:
    """The servers in the agent's list."""
    file, key, read = LISTS[agent]
    text = (home / file).read_text() if (home / file).exists() else ""
    servers: dict[str, Any] = read(text).get(key, {}) if text else {}
    return servers


def put_theirs(agent: str, home: Path) -> None:
    """The list with a server of a person's, and what else is in such a file."""
    file, key, read = LISTS[agent]
    text = json.dumps({"theme": "dark", key: {"github": {"command": "npx"}}}, indent=4)
    if read is tomllib.loads:
        text = f'model = "gpt"\n\n[{key}.github]\ncommand = "npx"\n'
    (home / file).parent.mkdir(parents=True, exist_ok=True)
    (home / file).write_text(text)
    (home / file).chmod(0o600)


def apply(agent: str, machine: Machine, permissions: str = "", mcp: bool | None = None) -> setup.Plan:
    plan = setup.plan(agent, machine, Choices(permissions, mcp))
    setup.apply(plan)
    return plan


def rewrite(agent: str, home: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A person edits the entry of our server."""
    (file, key, _), entry = LISTS[agent], listed(agent, home)["ctxrepo"]
    change(entry)
    if agent != "codex":
        (home / file).write_text(
            json.dumps({**json.loads((home / file).read_text()), key: {"ctxrepo": entry}})
        )
        return
    env = "".join(f"{name} = '{value}', " for name, value in entry.pop("env", {}).items()).rstrip(", ")
    fields = "".join(f"{name} = {json.dumps(value)}\n" for name, value in entry.items())
    (home / file).write_text(f"[{key}.ctxrepo]\n{fields}" + (f"env = {{{env}}}\n" if env else ""))
