"""What the tests of a person's own git share: a machine whose `~/.gitconfig` knows the remote."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import Machine
from servers.line import machine_at

Own = Callable[..., Machine]


@pytest.fixture
def own(tmp_path: Path) -> Own:
    """Makes a machine: its name, the lines of its `~/.gitconfig`, further variables of its environment."""

    def make(name: str, client: str, **more: str) -> Machine:
        plain = machine_at(tmp_path, name, client)
        return Machine(plain.home, more)

    return make


@pytest.fixture
def filtering(remote: Path) -> Path:
    """The remote, which lets partial clones leave things there."""
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        subprocess.run(["git", "-C", str(remote), "config", key, "true"], check=True)
    return remote
