"""Terminals at machines whose memory is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada
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


@pytest.fixture(scope="module")
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with the NOTES of the test's module, path -> text, which all of its tests may read."""
    machine = make_ada(tmp_path_factory.mktemp("library"))
    _fill(machine, request.module.NOTES)
    machine.sync()
    return machine


@pytest.fixture
def shelf(library: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Those notes for a test that only reads; `notes` has some of its own."""
    return Terminal(library, monkeypatch, capsys)


@pytest.fixture
def notes(
    filled: Callable[[Path], Machine],
    copies: Copies,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    """A memory with the NOTES of the test's module, path -> text."""
    return Terminal(copies.of(filled), monkeypatch, capsys)


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest) -> Callable[[Path], Machine]:
    """Makes that memory."""

    def fill(place: Path) -> Machine:
        ada = make_ada(place)
        _fill(ada, request.module.NOTES)
        return ada

    return fill


def _fill(machine: Machine, notes: Mapping[str, str]) -> None:
    machine.remember("a start")
    for path, text in notes.items():
        machine.write(path, text)
