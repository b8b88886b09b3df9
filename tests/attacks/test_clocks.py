"""A clock that goes back or on in the middle: nothing is lost, and nothing waits for a time to come."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clocks import clock_ahead, needs_clock
from long import rotating
from machines import NOW, Machine
from processes import processes_of
from sessions import Session, connected, eventually, log_of
from world import repo_with

from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.recall import ask_helper
from ctxrepo.services.faults.faults import of_hooks, of_worker
from ctxrepo.services.sync.fetch import is_fetch_due
from ctxrepo.storage.state.ledgers import latest

HOUR, YEAR = 3600, 365 * 86400
WAY_OUT = 60.0


@pytest.fixture
def machine(ada: Machine, remote: Path) -> Iterator[Machine]:
    connected(ada, str(remote))
    yield ada
    eventually(lambda: not processes_of(ada), WAY_OUT)


def in_future(file: Path, seconds: float) -> None:
    file.touch()
    os.utime(file, (time.time() + seconds,) * 2)


@pytest.mark.parametrize("ahead", [HOUR, YEAR])
def test_a_fetch_of_the_future_keeps_no_session_from_the_next(machine: Machine, ahead: int) -> None:
    memory = machine.open()
    in_future(memory.state.fetched, ahead)
    assert is_fetch_due(memory)


@pytest.mark.parametrize("ahead", [HOUR, YEAR])
def test_a_good_run_or_a_session_of_the_future_settles_no_trouble(machine: Machine, ahead: int) -> None:
    memory = machine.open()
    eventually(lambda: not processes_of(machine), WAY_OUT)
    memory.state.log.write_text("2026-11-20T12:00:00Z what the worker met\n")
    (machine.places.state / "hook-errors.log").write_text("2026-11-20T12:00:00Z what a hook met\n")
    in_future(memory.state.well, ahead)
    memory.places.sessions.mkdir(exist_ok=True)
    (memory.places.sessions / "claude-s").write_text(f"began {int(time.time() + ahead)}\n")
    troubles = of_worker(memory), of_hooks(memory)
    assert [trouble.words for trouble in troubles if trouble] == ["what the worker met", "what a hook met"]


@pytest.mark.parametrize("ahead", [HOUR, YEAR])
def test_a_helper_that_failed_in_the_future_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(ask_helper, "start_helper", lambda *words: begun.append(words))
    in_future(tmp_path / ask_helper.FAILED, ahead)
    with pytest.raises(ConnectionRefusedError, match=ask_helper.STARTING):
        ask_helper._answer_line(World({}, str(tmp_path), repo_with(tmp_path)), b"what?\n", 0.05)
    assert len(begun) == 1


def test_a_session_of_the_future_is_not_the_last_one(machine: Machine) -> None:
    memory = machine.open()
    for name, ahead in (("now", 0), ("later", YEAR)):
        memory.places.sessions.mkdir(exist_ok=True)
        in_future(memory.places.sessions / f"claude-{name}", ahead)
    last = latest(memory.places.sessions, memory.state.id)
    assert last is not None
    assert last.session == "now"


@pytest.mark.parametrize("name", rotating(["refs/heads/main", "refs/ctxrepo/wt", "packed-refs"], keep=1))
def test_a_lock_of_the_future_that_a_killed_git_left_is_taken_away(machine: Machine, name: str) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)
    machine.remember("acknowledged")
    lock = machine.clone / ".git" / f"{name}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    in_future(lock, HOUR)
    machine.worker(lambda: NOW).run()
    assert "acknowledged" in machine.git("log", "-p", "--format=")


@needs_clock
@pytest.mark.parametrize("ahead", rotating([HOUR, YEAR], keep=1))
def test_a_clock_that_was_put_back_loses_nothing_and_holds_nothing_up(
    machine: Machine, remote: Path, ahead: int
) -> None:
    """Sessions, commands and the worker work by a clock that is ahead, and go on by the right one."""
    with clock_ahead(machine, ahead) as early:
        Session(early, "s-1").hook("SessionStart")
        assert early.process("remember", "written before it was put back").returncode == 0
        Session(early, "s-1").edit("shop/topics/build.md", "- edited before it was put back\n")
        Session(early, "s-1").hook("UserPromptSubmit", prompt="what is there?")
    session = Session(machine, "s-1")
    for text in ("edited after it", "edited a second time"):
        session.edit("shop/topics/more.md", f"- {text}\n")
        session.hook("Stop")
    assert machine.process("remember", "written after it").returncode == 0
    texts = ("before it was put back", "edited a second time", "written after it")
    eventually(lambda: all(text in machine.git("log", "-p", "--format=") for text in texts), WAY_OUT)
    session.hook("SessionEnd")
    eventually(lambda: "written after it" in log_of(remote), WAY_OUT)
    eventually(lambda: not processes_of(machine), WAY_OUT)
    run = machine.ctxrepo("doctor")
    assert run.returncode == 0, run.stdout
    later = Session(machine, "s-2").hook("SessionStart")
    assert "written after it" in later
    assert "put back" in later
    assert machine.ctxrepo("sync").returncode == 0
    assert not machine.git("status", "--porcelain")


@needs_clock
def test_a_clock_that_goes_on_by_a_year_loses_nothing(machine: Machine, remote: Path) -> None:
    session = Session(machine, "s-1")
    session.hook("SessionStart")
    session.edit("shop/topics/build.md", "- edited a year ago\n")
    assert machine.process("remember", "remembered a year ago").returncode == 0
    with clock_ahead(machine, YEAR) as later:
        Session(later, "s-1").hook("UserPromptSubmit", prompt="which port does redis listen on?")
        assert later.process("remember", "remembered now").returncode == 0
        Session(later, "s-1").hook("SessionEnd")
        eventually(lambda: "remembered now" in log_of(remote), WAY_OUT)
    held = machine.git("log", "-p", "--format=")
    assert [
        t for t in ("edited a year ago", "remembered a year ago", "remembered now") if t not in held
    ] == []


def test_the_files_of_a_clock_that_was_put_back_are_read_again(machine: Machine) -> None:
    """A note is as large as before, and its stamp is of the future both times."""
    machine.write("shop/a.md", "- one\n")
    in_future(machine.clone / "shop/a.md", HOUR)
    assert machine.ctxrepo("sync").returncode == 0
    machine.write("shop/a.md", "- two\n")
    in_future(machine.clone / "shop/a.md", HOUR)
    assert machine.ctxrepo("sync").returncode == 0
    assert machine.git("show", "HEAD:shop/a.md") == "- two"
