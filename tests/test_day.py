"""A day of many sessions on two machines, nine time zones apart, over midnight."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from long import mostly_long
from machines import Machine, make_machine, make_remote
from processes import workers
from sessions import Session, connected, eventually

APART = timedelta(hours=9)
BETWEEN = timedelta(minutes=30)


class Clock:
    """What the clock on the wall shows in each session. Time itself can't be moved, so the zone is: an hour
    later is a zone one hour further east."""

    def __init__(self, begin: timedelta) -> None:
        now = datetime.now(UTC)
        since_midnight = timedelta(hours=now.hour, minutes=now.minute, seconds=now.second)
        east = (begin - since_midnight) % timedelta(days=1)
        self.first = east if east < timedelta(hours=12) else east - timedelta(days=1)

    def offset(self, number: int) -> timedelta:
        """Of the session with this number: those of one machine follow each other by half an hour."""
        return self.first + number // 2 * BETWEEN - (APART if number % 2 else timedelta(0))

    def zone(self, number: int) -> str:
        """As a TZ of POSIX, whose sign is the other way round."""
        minutes = -int(self.offset(number).total_seconds()) // 60
        return f"DAY{'-' if minutes < 0 else ''}{abs(minutes) // 60}:{abs(minutes) % 60:02}"

    def day(self, number: int) -> date:
        return (datetime.now(UTC) + self.offset(number)).date()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    remote = str(make_remote(tmp_path))
    both = [connected(make_machine(tmp_path, name), remote) for name in ("tokyo", "berlin")]
    yield both
    for machine in both:
        eventually(partial(_is_idle, machine), 60)


def _is_idle(machine: Machine) -> bool:
    return not workers(machine)


@pytest.mark.parametrize(
    ("sessions", "begin"),
    mostly_long([(4, timedelta(hours=23, minutes=40)), (12, timedelta(hours=22, minutes=10))], keep=1),
    ids=str,
)
def test_a_day_of_sessions(machines: list[Machine], sessions: int, begin: timedelta) -> None:
    """It begins so late that some of them are after midnight."""
    clock = Clock(begin)
    assert {clock.day(n) - clock.day(0) for n in range(sessions)} == {timedelta(0), timedelta(1)}
    days: dict[date, list[int]] = {}
    for number in range(sessions):
        session = f"session-{number:02}"
        here = replace(
            machines[number % 2],
            more={"TZ": clock.zone(number), "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": session},
        )
        day = clock.day(number)
        # What a session start has done itself, if that takes no longer than a moment: a sync where the last
        # fetch is two minutes old, and a look at the checkout where its project isn't known.
        _run(here, "sync")
        _run(here, "status")
        given = Session(here, session).hook("SessionStart")
        assert len(given.encode()) <= 9500
        if number:
            assert f"Goal: step {number - 1}" in given
            assert f"- [ ] item {number - 1}" in given
            assert f"- [ ] item {number - 2}" not in given
        for known in days:
            assert (f"## shop/daily/{known}.md" in given) == (known >= day - timedelta(1)), (known, day)
        for done in days.get(day, [])[-3:]:
            assert f"did {done}" in given
        _a_session(here, Session(here, session), number)
        days.setdefault(day, []).append(number)
    assert len(days) == 2
    for machine in machines:
        _run(machine, "sync")
        for day, numbers in days.items():
            logged = [line for line in machine.read(f"shop/daily/{day}.md").splitlines() if "did " in line]
            assert sorted(int(line.rpartition(" ")[2]) for line in logged) == numbers
        assert sorted(p.name for p in (machine.clone / "shop/daily").iterdir()) == [
            f"{d}.md" for d in sorted(days)
        ]
        _is_bounded(machine, sessions // 2)
    assert machines[0].tree() == machines[1].tree()


def _a_session(here: Machine, session: Session, number: int) -> None:
    """A prompt, a line of the log, an item that is open until the next session, a handoff, and the end."""
    session.hook("UserPromptSubmit", prompt=f"what comes after step {number}, and where is it written?")
    _run(here, "log", f"did {number}")
    if number:
        _run(here, "scratch", "done", f"item {number - 1}")
    _run(here, "scratch", "add", f"item {number}")
    _run(here, "handoff", "--goal", f"step {number}")
    for event in ("Stop", "SessionEnd"):
        session.hook(event)
    eventually(lambda: not workers(here), 60)


def _run(machine: Machine, *words: str) -> None:
    run = machine.ctxrepo(*words)
    assert run.returncode == 0, (words, run.stderr)


def _is_bounded(machine: Machine, sessions: int) -> None:
    """What so many sessions leave in the state folder, but for the cache and packed objects."""
    eventually(lambda: not workers(machine), 60)
    memory = machine.open()
    state = memory.state
    assert len(list(memory.places.sessions.iterdir())) == sessions
    assert not state.spool.exists() or state.spool.stat().st_size == 0
    assert not state.journal.exists() or not list(state.journal.iterdir())
    sizes = {p.name: p.stat().st_size for p in state.root.rglob("*") if p.is_file() and "cache" not in p.name}
    assert sum(sizes.values()) < 200_000, sizes
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=machine.clone, env=machine.env, capture_output=True, text=True
    )
    assert status.stdout == ""
