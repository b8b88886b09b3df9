"""Hosts of the Model Context Protocol: one performs tools in this process, one starts a server."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from after_init import NOW
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.faces.mcp.answers import ToolAnswer
from ctxrepo.faces.mcp.former_tools import former_tools
from ctxrepo.faces.mcp.tools import Tool, ToolRequest, perform, tools

TOOLS: Mapping[str, Tool] = {**former_tools(), **tools()}


@dataclass(frozen=True)
class Host:
    """Calls tools in the project's folder; `agent` and `session` are what a server takes from its client."""

    machine: Machine
    agent: str = "mcp"
    session: str = "s-1"
    cwd: Path | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, tool: str, **arguments: Any) -> ToolAnswer:
        """The answer of a tool."""
        return self.desk().perform(perform, ToolRequest(TOOLS[tool], arguments), self.call())

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of the answer without the seal around it, which is looked at."""
        return unsealed(self(tool, **arguments).text)

    def fields(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What the answer tells programs."""
        fields = self(tool, **arguments).fields
        assert fields is not None
        return dict(fields)

    def desk(self) -> Desk:
        return Desk(self.call(), lambda: NOW, sys.executable)

    def call(self) -> Call:
        environment = {**self.machine.env, **self.more}
        return Call(self.cwd or self.machine.project_folder, environment, session=(self.agent, self.session))


def unsealed(text: str) -> str:
    """What stands between the delimiters of a quotation, below the line that says what it is."""
    first, frame, *lines, last = text.split("\n")
    assert first.startswith('<ctxrepo-memory tag="')
    assert last == f"</{first[1:]}"
    assert frame.startswith("Quoted from ")
    return "\n".join(lines)


def is_sealed(text: str) -> bool:
    return text.startswith("<ctxrepo-memory tag=")


CODE_OF_OTHERS = 'raise SystemExit("code of the project was run")\n'


def plant_code(folder: Path) -> None:
    """What would be imported in place of ours, or of the SDK, by a server that looked into its folder."""
    for name in ("ctxrepo", "mcp", "mcp_types", "anyio", "json"):
        (folder / f"{name}.py").write_text(CODE_OF_OTHERS)


class Server:
    """A server as a process, and its pipes: what is written there goes to it as it is."""

    def __init__(self, machine: Machine, cwd: Path | None = None, **more: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND],
            cwd=cwd or machine.project_folder,
            env={**machine.env, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._rest = b""
        self._answers: dict[object, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in self._pipes():
            with suppress(BrokenPipeError):
                pipe.close()

    def send(self, line: str | bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, **params: object) -> None:
        self.send(request(number, method, **params))

    def call(self, number: int, tool: str, **arguments: object) -> None:
        self.request(number, "tools/call", name=tool, arguments=arguments)

    def receive(self, within: float = 20) -> dict[str, Any]:
        """The next message, which is a line and an object. TimeoutError when there is none in time."""
        assert self.process.stdout
        end = time.monotonic() + within
        while b"\n" not in self._rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"no message within {within} s; there is {self._rest[:200]!r}")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            assert chunk, f"the server ended: {self.errors()}"
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        message = json.loads(line)
        assert isinstance(message, dict)
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to this request, in whatever order answers come; errors that answer none are passed
        over."""
        while number not in self._answers:
            message = self.receive()
            if "method" not in message:
                self._answers[message.get("id")] = message
        return self._answers.pop(number)

    def greet(self, name: str = "zed") -> dict[str, Any]:
        """The handshake of the older era."""
        self.send(GREETING.replace("NAME", name))
        greeting = self.answer(0)
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return greeting

    def close_input(self) -> None:
        """What a host does that is done with its server."""
        assert self.process.stdin
        self.process.stdin.close()

    def ends(self, within: float = 5) -> int:
        """How it ended, in time."""
        return self.process.wait(within)

    def errors(self) -> str:
        """What it has said on standard error, of a server that has ended."""
        self.process.wait(20)
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def _pipes(self) -> list[IO[bytes]]:
        return [pipe for pipe in (self.process.stdin, self.process.stdout, self.process.stderr) if pipe]


def request(number: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


COMMAND = (sys.executable, "-I", "-m", "ctxrepo", "mcp")

GREETING = request(
    0,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "NAME", "version": "1"},
)
