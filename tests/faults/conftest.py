"""What the tests of faults share: lines to servers, machines at their ends, a clone to lose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import NOW, Machine
from servers.https import needs_https
from servers.line import Line, line_to, machine_at
from servers.ssh import needs_sshd

from ctxrepo.services.saving.commit import commit

BOTH = [pytest.param("sshd", marks=needs_sshd), pytest.param("nginx", marks=needs_https)]


@pytest.fixture(params=BOTH)
def line(request: pytest.FixtureRequest, remote: Path) -> Iterator[Line]:
    """A line to an empty remote, over ssh and then over https."""
    with line_to(request.getfixturevalue(request.param), remote) as line:
        yield line


@pytest.fixture
def machines(line: Line, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines whose memories share the remote at the end of the line."""
    pair = (machine_at(tmp_path, "ada", line.client), machine_at(tmp_path, "ben", line.client))
    for machine in pair:
        machine.init(line.url)
    return pair


@pytest.fixture
def mine(pair: tuple[Machine, Machine]) -> Machine:
    """A clone with a fact that is sent and one that is committed here only."""
    ada, _ = pair
    ada.remember("sent before")
    ada.sync()
    ada.remember("committed here")
    commit(ada.open(), NOW)
    return ada


@pytest.fixture
def git_dir(mine: Machine) -> Path:
    return mine.clone / ".git"
