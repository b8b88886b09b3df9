"""Terminals at machines whose memory is made."""

from __future__ import annotations

import pytest
from machines import Machine
from terminal import Terminal


@pytest.fixture
def fresh(ada: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Before `init`."""
    return Terminal(ada, monkeypatch, capsys)


@pytest.fixture
def cli(fresh: Terminal) -> Terminal:
    """With a memory repository on this machine only."""
    fresh.machine.init()
    return fresh


@pytest.fixture
def both(
    pair: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Terminal, Terminal]:
    """Two machines that share a remote."""
    ada, ben = pair
    return Terminal(ada, monkeypatch, capsys), Terminal(ben, monkeypatch, capsys)


@pytest.fixture
def notes(cli: Terminal, request: pytest.FixtureRequest) -> Terminal:
    """A memory with the NOTES of the test's module, path -> text."""
    cli.machine.remember("a start")
    for path, text in request.module.NOTES.items():
        cli.machine.write(path, text)
    return cli
