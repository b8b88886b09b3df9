"""The model: a server on loopback that records every request and answers as it was told to."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from live.recorded import Request
from live.steps import Step, Text

LONGEST_HOLD = 60.0
"""Seconds after which even a held answer is given, so that nothing waits for ever."""


class Model:
    """Serves one API (a module such as live.anthropic) while it is entered, and only on 127.0.0.1.

    Each request that offers tools takes the next step; without one, and for requests beside the
    conversation (titles, summaries), the answer is a short text. `log` gets every body as a line of JSON.
    """

    def __init__(self, api: ModuleType, log: Path) -> None:
        self.api, self.log = api, log
        self.requests: list[Request] = []
        self.strangers: list[str] = []
        """Paths that were asked for and aren't in the API."""
        self.answered = 0.0
        """When the last answer was given away, on the monotonic clock."""
        self._steps: deque[Step] = deque()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Bound", (_Handler,), {"model": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def will(self, *steps: Step) -> None:
        """What it does next, behind what it was told before."""
        with self._lock:
            self._steps.extend(steps)

    def forget(self) -> None:
        """It does nothing any more of what it was told to do."""
        with self._lock:
            self._steps.clear()

    @property
    def is_done(self) -> bool:
        """Whether it did all it was told."""
        return not self._steps

    def conversation(self) -> list[Request]:
        """The requests of the conversation itself, without those beside it."""
        return [request for request in self.requests if request.prompt.offers_tools]

    def __enter__(self) -> Model:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def take(self, body: dict[str, Any]) -> tuple[int, Step]:
        """Record a request; its number, and what to answer."""
        prompt = self.api.prompt_of(body)
        with self._lock:
            number = len(self.requests) + 1
            self.requests.append(Request(number, time.monotonic(), prompt))
            with self.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps({"number": number, "body": body}) + "\n")
            step = self._steps.popleft() if self._steps and prompt.offers_tools else Text()
        if step.held:
            step.held.wait(LONGEST_HOLD)
        return number, step


class _Handler(BaseHTTPRequestHandler):
    """HTTP as far as agents need it. Headers are never recorded: they hold a key."""

    protocol_version = "HTTP/1.1"
    model: Model

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.split("?")[0]
        api = self.model.api
        if api.is_count(path):
            self._send("application/json", api.count(body))
        elif api.is_answer(path):
            number, step = self.model.take(body)
            self._send(*api.answer(number, path, body, step))
            self.model.answered = time.monotonic()
        else:
            self._unknown()

    def do_GET(self) -> None:
        listed = self.model.api.listed(self.path.split("?")[0])
        if listed:
            self._send("application/json", listed)
        else:
            self._unknown()

    def do_HEAD(self) -> None:
        self._unknown()

    def log_message(self, *words: object) -> None:
        """Nothing: standard error is for what matters."""

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return whole

    def _unknown(self) -> None:
        self.model.strangers.append(f"{self.command} {self.path}")
        error = {
            "type": "error",
            "error": {"type": "not_found_error", "message": "there is no such thing here"},
        }
        self._send("application/json", json.dumps(error).encode(), status=404)

    def _send(self, kind: str, data: bytes, status: int = 200) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # whoever asked was killed
