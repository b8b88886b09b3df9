"""What a hook took of an agent's edits is kept until a commit has it, whatever is wrong with the spool."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from long import mostly_long, rotating
from machines import NOW, Machine, make_remote
from processes import processes_of
from sessions import Session, connected, eventually
from world import repo_with

from ctxrepo.hooks import saves
from ctxrepo.hooks.dialect import Event, TouchedFile
from ctxrepo.hooks.known.world import open_hooks
from ctxrepo.hooks.saves import size_of
from ctxrepo.services.faults.faults import of_bounds
from ctxrepo.services.health.doctor import doctor
from ctxrepo.services.health.status import status
from ctxrepo.services.locate.identify import Location
from ctxrepo.services.setup.connection import Machine as Person
from ctxrepo.storage.state import journal
from ctxrepo.storage.state.spool import Spool

NOTE = "shop/topics/build.md"


@contextmanager
def held(*locks: Path) -> Iterator[None]:
    """Others hold these locks for as long as it takes."""
    files = [lock.open("ab") for lock in locks]
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        for file in files:
            file.close()


@pytest.fixture
def agent(ada: Machine, tmp_path: Path) -> Session:
    connected(ada, str(make_remote(tmp_path)))
    ada.commits_late()
    ada.write(NOTE, "- at first\n")
    ada.sync()
    eventually(lambda: not processes_of(ada), 60)
    return Session(ada, "s-1")


def versions_of(machine: Machine) -> str:
    return machine.git("log", "-p", "--format=", "--", NOTE)


def edits(session: Session, count: int) -> None:
    """Each edit replaces what the one before it wrote, so that only the journal knows of it."""
    for number in range(count):
        session.edit(NOTE, f"- version {number}\n")


def has_all(machine: Machine, count: int) -> bool:
    versions = versions_of(machine)
    return all(f"+- version {number}\n" in f"{versions}\n" for number in range(count))


def test_something_else_is_in_the_journals_place(agent: Session) -> None:
    """Then the spool names the file, and what it holds is committed by the next worker."""
    machine = agent.machine
    place = machine.open().state.journal
    if place.exists():
        place.rmdir()
    place.touch()
    edits(agent, 1)
    machine.worker().run()
    assert has_all(machine, 1)
    assert Spool(machine.open().state).is_empty()


@pytest.mark.parametrize("also", rotating(["access.jsonl", ""], keep=1))
def test_the_spools_lock_is_held_by_others_while_an_agent_edits(agent: Session, also: str) -> None:
    machine = agent.machine
    state = machine.open().state.root
    with held(state / "spool.jsonl", *([state / also] if also else [])):
        edits(agent, 4)
    machine.worker().run()
    assert has_all(machine, 4)
    assert Spool(machine.open().state).is_empty()


def test_something_else_is_in_the_spools_place(agent: Session) -> None:
    machine = agent.machine
    place = machine.open().state.spool
    place.unlink(missing_ok=True)
    place.mkdir()
    edits(agent, 3)
    machine.worker().run()
    assert has_all(machine, 3)
    assert any("isn't a file that ctxrepo can use" in line for line in of_bounds(machine.open()))


def test_hooks_that_were_killed_half_way_leave_nothing_that_is_in_the_way(agent: Session) -> None:
    machine = agent.machine
    spool = Spool(machine.open().state)
    spool.left.mkdir()
    (spool.left / ".1-1").write_text('{"event": "to')
    edits(agent, 2)
    machine.worker().run()
    assert has_all(machine, 2)
    assert spool.is_empty()


def test_many_edits_while_a_person_is_amid_a_rebase_are_all_kept(
    agent: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = agent.machine
    count = 12
    unfinished = machine.clone / ".git" / "rebase-merge"
    unfinished.mkdir()
    edits(agent, count)
    waiting = machine.open().journal
    assert len(waiting.names()) == count
    monkeypatch.setattr("ctxrepo.storage.state.journal.HOOKS_BYTES", size_of(waiting.names()))
    (fault,) = of_bounds(machine.open())
    assert "saves wait for a commit, over 80 %" in fault
    memory = machine.open()
    person = Person(memory.places, machine.env, Path(sys.executable))
    assert fault in status(memory, Location(None), person).faults
    assert any(
        fault in finding.problem for check in doctor(memory, person, NOW) for finding in check.findings
    )
    unfinished.rmdir()
    machine.worker().run()
    assert has_all(machine, count)
    assert of_bounds(machine.open()) == []


@pytest.mark.parametrize("count", mostly_long([150, 620], keep=1))
def test_as_many_edits_as_were_once_lost_are_all_kept(agent: Session, count: int) -> None:
    """620 while a person is amid a rebase, of which 119 were in no commit; left as their hooks leave them."""
    machine = agent.machine
    unfinished = machine.clone / ".git" / "rebase-merge"
    unfinished.mkdir()
    repo = repo_with(machine.open().state.root, machine.clone)
    db = open_hooks(str(machine.places.state))
    assert db is not None
    event = Event("claude", "", {"session": "s-1", "cwd": str(machine.clone)})
    for number in range(count):
        machine.write(NOTE, f"- version {number}\n")
        version = saves.version_of(repo, TouchedFile(str(machine.clone / NOTE), "[]", ""), NOTE)
        assert version is not None
        assert saves.save(db, repo, event, version) == ""
    assert of_bounds(machine.open()) == [], "they are next to nothing of what is kept"
    unfinished.rmdir()
    machine.worker().run()
    assert has_all(machine, count)
    assert machine.open().journal.is_settled()


def test_what_cannot_be_kept_is_said_to_the_session_and_to_doctor(agent: Session) -> None:
    machine = agent.machine
    machine.write(NOTE, "- x\n" * (saves.MAX_VERSION // 4 + 1))
    file = str(machine.clone / NOTE)
    output = agent.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": file})
    assert NOTE in output
    assert "larger than 1 MiB" in output
    run = machine.process("doctor")
    assert "larger than 1 MiB" in run.stdout + run.stderr


def test_a_journal_that_is_nearly_full_is_told(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    ada.init()
    ada.remember("x" * 400)
    assert of_bounds(ada.open()) == []
    monkeypatch.setattr(journal, "HOOKS_BYTES", 600)
    (fault,) = of_bounds(ada.open())
    assert "saves wait for a commit" in fault
