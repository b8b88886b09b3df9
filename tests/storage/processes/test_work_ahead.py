"""Work done ahead comes in order, fails here rather than there, and leaves nobody behind."""

from __future__ import annotations

import os
import signal

import pytest
from sessions import eventually

from ctxrepo.storage.processes.apart import work_ahead

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def _cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 3)


def children() -> set[int]:
    """The processes that this one has started and that still run."""
    processes = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                state, parent, *_ = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            processes.add(int(process))
    return processes


def text(number: int) -> bytes:
    return f"{number} by {os.getpid()}".encode() + b"x" * number * 1000


def test_results_come_in_order_from_several_processes() -> None:
    before = children()
    done = list(work_ahead(text, 50))
    assert [int(data.split()[0]) for data in done] == list(range(50))
    assert [len(data.partition(b"x")[2]) for data in done[1:]] == [n * 1000 - 1 for n in range(1, 50)]
    assert len({data.split(b"x")[0].split()[-1] for data in done}) == 3
    eventually(lambda: not children() - before, 60)


@pytest.mark.parametrize("cores", [1, None])
def test_one_core_does_it_here(monkeypatch: pytest.MonkeyPatch, cores: int | None) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert {data.split(b"x")[0].split()[-1] for data in work_ahead(text, 5)} == {str(os.getpid()).encode()}


def test_an_error_is_raised_here() -> None:
    def work(number: int) -> bytes:
        if number == 7:
            raise ValueError(f"not {number}")
        return b"%d" % number

    results = work_ahead(work, 20)
    assert [next(results) for _ in range(7)] == [b"%d" % number for number in range(7)]
    with pytest.raises(ValueError, match="not 7"):
        next(results)


def test_what_a_killed_process_left_is_done_here() -> None:
    here = os.getpid()

    def work(number: int) -> bytes:
        if number == 4 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return b"%d" % number

    assert list(work_ahead(work, 12)) == [b"%d" % number for number in range(12)]


def test_who_stops_listening_leaves_nobody_behind() -> None:
    before = children()
    results = work_ahead(text, 1000)
    assert next(results).startswith(b"0 by")
    started = children() - before
    assert started
    results.close()
    # One that has no processor for a second is told to end, and isn't waited for any longer.
    eventually(lambda: not started & children(), 60)


def test_nothing_to_do() -> None:
    assert list(work_ahead(text, 0)) == []
