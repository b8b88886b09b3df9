"""Servers that the tests of a run share, lines to them, and machines at their ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import Machine
from servers.https import HttpsServer, https_server, needs_https
from servers.line import Line, line_to, machine_at
from servers.ssh import SshServer, needs_sshd, ssh_server

BOTH = [pytest.param("sshd", marks=needs_sshd), pytest.param("nginx", marks=needs_https)]


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with ssh_server(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture(scope="session")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpsServer]:
    with https_server(tmp_path_factory.mktemp("nginx"), tmp_path_factory.getbasetemp()) as server:
        yield server


@pytest.fixture(params=BOTH)
def line(request: pytest.FixtureRequest, remote: Path) -> Iterator[Line]:
    """A line to an empty remote, over ssh and then over https."""
    with line_to(request.getfixturevalue(request.param), remote) as made:
        yield made


@pytest.fixture
def machines(line: Line, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines whose memories share the remote at the end of the line."""
    pair = (machine_at(tmp_path, "ada", line.client), machine_at(tmp_path, "ben", line.client))
    for machine in pair:
        machine.init(line.url)
    return pair
