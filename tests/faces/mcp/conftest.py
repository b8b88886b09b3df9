"""Hosts at machines whose memory is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import mcp_types as types
import pytest
from hosts import COMMAND, Host
from machines import Machine
from mcp.client import Client
from mcp.client.session import ClientRequestContext
from mcp.client.stdio import StdioServerParameters, stdio_client
from pydantic import FileUrl


@pytest.fixture
def host(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A host whose writes call no worker: what a test sees was not done by one."""
    monkeypatch.setattr("ctxrepo.app.desk.run_forking", lambda start: None)
    ada.init()
    return Host(ada)


@asynccontextmanager
async def speaking(
    machine: Machine,
    mode: str = "legacy",
    *,
    name: str = "zed",
    roots: Sequence[str] = (),
    cwd: Path | None = None,
    **more: str,
) -> AsyncIterator[Client]:
    """The official client, and a server that it has started; nothing unforeseen is on its standard error."""

    async def list_roots(context: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(uri)) for uri in roots])

    command, *words = COMMAND
    server = StdioServerParameters(
        command=command, args=words, cwd=cwd or machine.project_folder, env={**machine.env, **more}
    )
    errors = machine.home.parent / f"errors of {name}"
    with errors.open("w") as log:
        async with Client(
            stdio_client(server, log),
            mode=mode,
            list_roots_callback=list_roots if roots else None,
            client_info=types.Implementation(name=name, version="1"),
        ) as client:
            yield client
    assert errors.read_text() == ""


Speak = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture
def speak() -> Speak:
    return speaking
