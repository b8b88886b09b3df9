"""What the tests of attacks share: canaries, and a machine whose memory has been exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks.canaries import Canaries, canaries
from attacks.forks import Runner
from attacks.stage import Stage, make_memory, setups
from machines import Machine
from servers.ssh import SshServer


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Canaries]:
    with canaries(tmp_path / "canaries") as made:
        yield made


@pytest.fixture
def address(remote: Path) -> str:
    """The remote's, in the form in which git may take it for the name of a remote."""
    return remote.as_uri()


@pytest.fixture
def mine(ada: Machine, ben: Machine, remote: Path, address: str, watched: Canaries) -> Machine:
    """A machine with a fact that is sent, after which somebody copied the memory and added a note."""
    for machine in (ada, ben):
        machine.init(address)
    ada.remember("sent before")
    ada.sync()
    watched.fill_foreign(remote)
    return ada


@pytest.fixture
def stage(tmp_path: Path, sshd: SshServer, watched: Canaries) -> Iterator[Stage]:
    remote = make_memory(tmp_path)
    setup = setups(tmp_path, remote, sshd, None)["ssh"]
    with Runner() as runner:
        stage = Stage(tmp_path, remote, setup, watched, runner)
        watched.fill_foreign(remote)
        yield stage
