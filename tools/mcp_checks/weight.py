"""What a start costs and what it holds, beside others, as multiples of a bare interpreter's start.

All are started in turn, round after round; told is the median of the rounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from mcp_checks.hosts import COMMAND, make_machine, resident

ROUNDS = 7

LEAST = """
import anyio
from mcp.server import MCPServer
server = MCPServer("least")
@server.tool()
def recall(text: str) -> str:
    return text
server.run()
"""
"""A server of one tool on the same SDK."""


@dataclass
class Measured:
    """A server, and what was measured of it, a figure a round."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    list_seconds: list[float] = field(default_factory=list)
    held_bytes: list[int] = field(default_factory=list)
    end_seconds: list[float] = field(default_factory=list)
    tools: int = 0
    list_bytes: int = 0

    def measure(self) -> None:
        """Start it, ask for its tools, and close its standard input."""
        began = time.perf_counter()
        process = subprocess.Popen(
            self.command,
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        info = {"name": "check", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        _ask(process, 1, "initialize", hello)
        _tell(process, {"method": "notifications/initialized"})
        answer = _ask(process, 2, "tools/list", {})
        self.list_seconds.append(time.perf_counter() - began)
        self.tools = len(answer["tools"])
        self.list_bytes = len(json.dumps(answer["tools"], separators=(",", ":")))
        self.held_bytes.append(resident(process.pid))
        assert process.stdin
        began = time.perf_counter()
        process.stdin.close()
        process.wait(30)
        self.end_seconds.append(time.perf_counter() - began)


def run(root: Path, npm: Path) -> bool:
    """Print the table; whether all could be measured."""
    machine = make_machine(root)
    for number in range(40):
        machine.process("remember", f"Fact {number} of the shop", "-c", f"kind{number % 4}")
    least = root / "least.py"
    least.write_text(LEAST)
    here = (machine.env, machine.project_folder)
    servers = [
        Measured("`ctxrepo mcp`", COMMAND, *here),
        Measured("the SDK with one tool", [sys.executable, "-I", str(least)], *here),
    ]
    reference = npm / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    node = npm / "node_modules/.bin/node"
    if reference.exists():
        environment = {**machine.env, "MEMORY_FILE_PATH": str(root / "memory.jsonl")}
        words = [str(node), str(reference)]
        servers.append(Measured("reference server-memory (Node)", words, environment, machine.project_folder))
    bare: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], env=dict(machine.env), check=True)
        bare.append(time.perf_counter() - began)
        for server in servers:
            server.measure()
    print(
        "| server | × a bare start, to the list of tools | memory | ends after | tools | bytes of the list |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    for server in servers:
        cells = (
            server.name,
            f"{median(server.list_seconds) / median(bare):.1f}",
            f"{median(server.held_bytes) / 2**20:.0f} MiB",
            f"{median(server.end_seconds):.2f} s",
            str(server.tools),
            f"{server.list_bytes:,}",
        )
        print(f"| {' | '.join(cells)} |")
    print(f"\nA bare start took {median(bare) * 1000:.0f} ms, load {os.getloadavg()[0]:.1f}.")
    if not reference.exists():
        print(f"NOT MEASURED: {npm} has no reference server; `make mcp-checks` brings it from npm")
    print(
        "NOT MEASURED: basic-memory, of which no version runs on this Python"
        if sys.version_info < (3, 12)
        else ""
    )
    return reference.exists()


def _tell(process: subprocess.Popen[str], message: Mapping[str, Any]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def _ask(process: subprocess.Popen[str], number: int, method: str, parameters: Mapping[str, Any]) -> Any:
    assert process.stdout
    _tell(process, {"id": number, "method": method, "params": parameters})
    while line := process.stdout.readline():
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer["result"]
    raise RuntimeError(f"no answer to {method}")
