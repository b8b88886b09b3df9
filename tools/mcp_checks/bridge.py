"""HTTP in front of a server on standard input and output, for a suite that only speaks HTTP.

Each `initialize` starts a new server, as a host starts one for a session; what has no session goes to one
that is kept. An answer of the protocol's errors gets the status that the transport has for it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

_STATUS = {-32601: 404, -32602: 400, -32022: 400, -32600: 400}
"""Status of an answer in the newer era that is an error."""

_NEWER = "2026-07-28"
_META = "io.modelcontextprotocol"
_DISCOVER = {
    "jsonrpc": "2.0",
    "id": "bridge",
    "method": "server/discover",
    "params": {"_meta": {f"{_META}/protocolVersion": _NEWER, f"{_META}/clientCapabilities": {}}},
}

_LOCAL = ("localhost", "127.0.0.1")


@dataclass
class Child:
    """One server, asked one question at a time."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=dict(self.environment),
        )

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a request; None for a notification, and where the server has ended."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        while "id" in message and (line := self.process.stdout.readline()):
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
        return None

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(15)


class Bridge(ThreadingHTTPServer):
    """The HTTP server; `with Bridge(…) as bridge` serves at `bridge.url`."""

    daemon_threads = True

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.started = (command, environment, folder)
        self.children: dict[str, Child] = {}
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def __enter__(self) -> Bridge:
        Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        for child in self.children.values():
            child.end()

    def handle_error(self, *_: object) -> None:
        """A client that goes away is no matter."""

    def ask(self, message: Mapping[str, Any], version: str) -> dict[str, Any] | None:
        """The answer of the server of the era to which a request of this `version` belongs."""
        is_newer = version >= _NEWER
        era = "newer" if is_newer else "older"
        with self.lock:
            if message.get("method") == "initialize" and not is_newer and era in self.children:
                self.children.pop(era).end()
            if era not in self.children:
                child = self.children[era] = Child(*self.started)
                if is_newer:  # the first request decides of which era a connection is
                    child.ask(_DISCOVER)
            return self.children[era].ask(message)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Bridge

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        host = (self.headers.get("Host") or "").rsplit(":", 1)[0]
        origin = (self.headers.get("Origin") or "").partition("://")[2].rsplit(":", 1)[0]
        if host not in _LOCAL or (origin and origin not in _LOCAL):
            self._answer(403, {})
            return
        answer = self.server.ask(json.loads(body), self.headers.get("MCP-Protocol-Version", ""))
        if answer is None:
            self._answer(202, None)
        else:
            self._answer(_STATUS.get(answer.get("error", {}).get("code"), 200), answer)

    def do_GET(self) -> None:
        self._answer(405, {})

    do_DELETE = do_GET  # noqa: N815  # its name is the method's

    def _answer(self, status: int, answer: Mapping[str, Any] | None) -> None:
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
