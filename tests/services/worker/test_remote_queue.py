"""Who talks to the remote: one at a time, for all who leave errands, and never for ever."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine, count_pushes

from ctxrepo.services.saving.commit import commit
from ctxrepo.services.worker import remote_queue as module
from ctxrepo.services.worker.remote_queue import RemoteQueue
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.remote.exchanges import Errands

NOW = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def ahead(ada: Machine, remote: Path) -> Machine:
    """A machine with a commit that isn't sent."""
    ada.init(str(remote))
    ada.remember("a fact")
    commit(ada.open(), NOW, sends=False)
    return ada


def post(machine: Machine, log: Callable[[str], None] = print) -> RemoteQueue:
    memory = machine.open()
    return RemoteQueue(memory, lambda: NOW, log, TryLock(memory.state.lock("post")))


def errands(machine: Machine) -> Errands:
    return Errands(machine.open().state.root)


def nothing(_: float) -> None:
    pass


def test_without_an_errand_nobody_calls_the_remote(ahead: Machine, remote: Path) -> None:
    pushes = count_pushes(remote)
    assert post(ahead).run(nothing)
    assert pushes.read_text() == ""


def test_an_errand_is_left_to_the_one_who_is_talking(ahead: Machine, remote: Path) -> None:
    pushes = count_pushes(remote)
    errands(ahead).leave("send")
    talking = post(ahead)
    assert talking.lock.acquire()
    assert post(ahead).run(nothing)
    assert pushes.read_text() == ""
    assert talking.run(nothing)
    assert len(pushes.read_text().splitlines()) == 1
    assert post(ahead).lock.acquire(), "the lock is let go of"


def test_what_is_left_while_it_talks_is_run_too(ahead: Machine, remote: Path) -> None:
    pushes = count_pushes(remote)
    errands(ahead).leave("fetch", "send")
    arrivals = []

    def write_more(_: float) -> None:
        arrivals.append(1)
        if len(arrivals) == 1:
            errands(ahead).leave("fetch")

    ahead.open().state.fetched.unlink(missing_ok=True)
    assert post(ahead).run(write_more)
    assert len(arrivals) == 2
    assert len(pushes.read_text().splitlines()) == 1
    assert not errands(ahead).are_waiting


def test_a_remote_that_is_away_is_not_asked_for_ever(ahead: Machine, remote: Path) -> None:
    remote.rename(remote.with_name("gone.git"))
    lines: list[str] = []

    def log(line: str) -> None:
        lines.append(line)
        errands(ahead).leave("send")

    errands(ahead).leave("send")
    assert post(ahead, log).run(nothing)
    assert len(lines) == 2
    assert not errands(ahead).are_waiting


def test_errands_that_never_end_are_for_the_next_worker(
    ahead: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIFE", 0.3)
    errands(ahead).leave("fetch")
    assert not post(ahead).run(lambda _: errands(ahead).leave("fetch"))
    assert errands(ahead).are_waiting


def test_what_nobody_expected_ends_no_worker(ahead: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("surprise")

    monkeypatch.setattr(module, "sync", fail)
    lines: list[str] = []
    errands(ahead).leave("send")
    assert post(ahead, lines.append).run(nothing)
    assert "ValueError: surprise" in lines[0]
