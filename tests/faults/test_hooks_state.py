"""Sessions over a state that is spoiled: they go on, nothing is lost, and it heals."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from long import rotating
from machines import Machine
from processes import processes_of
from sessions import Session, connected, eventually, log_of

WAY_OUT = 60.0
WAITED = 8.0
"""Seconds that no hook may take, however slow the machine."""

FILES = ("../hooks.db", "cache.db", "stamps.db", "spool.jsonl", "../sessions/claude-s-1", "access.jsonl")


@pytest.fixture
def machine(ada: Machine, remote: Path) -> Iterator[Machine]:
    """One with a session that has told of all, and has written a note nobody has committed yet."""
    connected(ada, str(remote))
    assert ada.process("remember", "a fact").returncode == 0
    Session(ada, "s-1").hook("SessionStart")
    eventually(lambda: not processes_of(ada), WAY_OUT)
    Session(ada, "s-1").edit("shop/topics/build.md", "- acknowledged before\n")
    yield ada
    eventually(lambda: not processes_of(ada), WAY_OUT)


def files(machine: Machine) -> list[Path]:
    return [machine.open().state.root / name for name in FILES]


def sound(machine: Machine, remote: Path) -> None:
    """What was acknowledged is at the remote, and sessions are given it again once a worker has mended it."""
    session = Session(machine, "s-2")
    session.hook("SessionEnd")
    eventually(lambda: "acknowledged before" in log_of(remote), WAY_OUT)
    eventually(lambda: not processes_of(machine), WAY_OUT)
    eventually(lambda: "shop/topics/build.md" in session.hook("SessionStart", source="clear"), WAY_OUT)
    assert machine.ctxrepo("sync").returncode == 0


def torn(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) * 2 // 3])


def zeroed(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size + 4096))


def foreign(file: Path) -> None:
    file.write_text("this is nothing of ours\n" * 300)


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()
    (file / "somebody's").touch()


@pytest.mark.parametrize("spoil", rotating([torn, zeroed, foreign], keep=1))
def test_all_spoiled_at_once(machine: Machine, remote: Path, spoil: Callable[[Path], None]) -> None:
    eventually(
        lambda: not processes_of(machine), WAY_OUT
    )  # a worker would mend hooks.db before a hook sees it
    for file in files(machine):
        for journal in file.parent.glob(f"{file.name}-*"):
            journal.unlink()
        spoil(file)
    session = Session(machine, "s-1")
    session.whole()
    assert session.slowest < WAITED
    eventually(lambda: not processes_of(machine), WAY_OUT)
    noted = "".join(log.read_text() for log in machine.places.state.glob("hook-errors.log*"))
    assert (
        "hooks.db can't be read; the worker is asked to rebuild it" in noted
    )  # doctor, until a later session
    sound(machine, remote)


def test_databases_of_another_version_are_made_anew(machine: Machine, remote: Path) -> None:
    hooks, cache, *_ = files(machine)
    for database, words in (
        (hooks, "pragma user_version = 99"),
        (cache, "update meta set value = '99' where key = 'format'"),
    ):
        with closing(sqlite3.connect(database)) as db, db:
            db.execute(words)
    Session(machine, "s-1").whole()
    eventually(lambda: not processes_of(machine), WAY_OUT)
    sound(machine, remote)


def test_a_folder_where_a_file_belongs_is_told_and_stops_no_session(machine: Machine, remote: Path) -> None:
    there = machine.open().state
    for file in (there.spool, there.lock("work"), there.trouble, there.anchors):
        if not file.exists():
            file.touch()
        folder(file)
    session = Session(machine, "s-1")
    session.whole()
    assert session.slowest < WAITED
    output = machine.ctxrepo("doctor", "--json").stdout
    problems = [finding["problem"] for finding in json.loads(output)["data"]["findings"]]
    for file in (there.spool, there.lock("work"), there.trouble, there.anchors):
        assert [problem for problem in problems if str(file) in problem and "isn't a file" in problem], (
            problems
        )
        shutil.rmtree(file)
    sound(machine, remote)


def test_a_file_in_the_place_of_the_journal_loses_the_note_of_nobody(machine: Machine, remote: Path) -> None:
    journal = machine.open().state.journal
    shutil.rmtree(journal)
    journal.touch()
    session = Session(machine, "s-1")
    session.edit("shop/topics/more.md", "- acknowledged in spite of it\n")
    session.hook("Stop")
    eventually(lambda: "in spite of it" in machine.git("log", "-p", "--format="), WAY_OUT)
    noted = (machine.places.state / "hook-errors.log").read_text()
    assert "shop/topics/more.md is in its file only" in noted
    journal.unlink()
    sound(machine, remote)
