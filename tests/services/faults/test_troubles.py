"""Troubles: what was met, as long as nothing has got past it."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.services.faults.faults import hooks_log, of_hooks, of_worker, put_aside
from ctxrepo.storage.memory import Memory

AT = datetime(2026, 11, 20, 12, 0, 5, 500_000, tzinfo=UTC)
LINE = "2026-11-20T12:00:05.500+00:00 the branch kept moving. Run the command again.\n"


@pytest.fixture
def memory(ada: Machine) -> Memory:
    ada.init()
    return ada.open()


@pytest.mark.parametrize(("later", "stands"), [(-1, True), (0.4, True), (0.6, False), (3600, False)])
def test_a_run_that_began_later_and_met_nothing_settles_it(
    memory: Memory, later: float, stands: bool
) -> None:
    memory.state.log.write_text(LINE)
    memory.state.well.touch()
    os.utime(memory.state.well, (AT.timestamp() - 0.5 + later,) * 2)
    assert bool(of_worker(memory)) == stands


def test_what_was_met_is_told_with_its_moment_and_without_the_way_there(memory: Memory) -> None:
    memory.state.log.write_text(
        f"{LINE}2026-11-20T13:00:00.000+00:00 Traceback (most recent call last):\n  File x\nValueError: why\n"
    )
    trouble = of_worker(memory)
    assert trouble
    assert (trouble.at, trouble.words) == (datetime(2026, 11, 20, 13, tzinfo=UTC), "ValueError: why")


def test_a_session_that_began_later_settles_what_a_hook_met(memory: Memory) -> None:
    hooks_log(memory).write_text("2026-11-20T12:00:05Z claude Stop hook.py:7 OSError: no room\n")
    assert of_hooks(memory)
    memory.places.sessions.mkdir(exist_ok=True)
    ledger = memory.places.sessions / "claude-s1"
    ledger.write_text(f"began {int(AT.timestamp()) - 60}\n")
    assert of_hooks(memory)
    ledger.write_text(f"began {int(AT.timestamp()) + 60}\n")
    assert of_hooks(memory) is None


def test_without_logs_there_is_none_and_nothing_to_put_aside(memory: Memory) -> None:
    assert (of_hooks(memory), of_worker(memory), list(put_aside(memory))) == (None, None, [])
    memory.state.log.write_text(LINE)
    (aside,) = put_aside(memory)
    assert aside.read_text() == LINE
    assert of_worker(memory) is None
