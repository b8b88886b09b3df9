"""The clone is looked after once a day, by a worker that is done with all else."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.errors import GitFailed
from ctxrepo.faces.worker import main as work
from ctxrepo.services.worker.maintain import INTERVAL, PACKS_INTERVAL, maintain
from ctxrepo.storage.objects.packing import MANY_PACKS
from ctxrepo.storage.processes.lock import locked

NOTE = "shop/topics/build.md"


@pytest.fixture
def machine(ada: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine on which a handful of loose objects are many; its clone has them in every folder."""
    monkeypatch.setattr("ctxrepo.storage.objects.packing.MANY_LOOSE", 0)
    ada.init()
    ada.write(NOTE, "- first\n")
    ada.sync()
    fill(ada)
    return ada


def fill(machine: Machine) -> None:
    """Make an object that lies where it is looked whether they are many, and a ref to it."""
    text, number = "", 0
    while not text.startswith("17"):
        number += 1
        (machine.home / "some").write_text(f"some text {number} {time.time_ns()}\n")
        text = machine.git("hash-object", str(machine.home / "some"))
    machine.git("hash-object", "-w", str(machine.home / "some"))
    machine.git("update-ref", f"refs/test/{text}", text)


def packs(machine: Machine) -> int:
    return len([*(machine.clone / ".git/objects/pack").glob("pack-*.pack")])


def test_objects_are_packed_when_they_are_many_and_a_day_has_passed(machine: Machine) -> None:
    memory, now = machine.open(), time.time()
    assert maintain(memory, now)
    assert packs(machine) == 1
    fill(machine)
    assert not maintain(memory, now + INTERVAL - 60)
    assert maintain(memory, now + INTERVAL + 60)
    assert packs(machine) == 2
    assert not maintain(memory, now + 3 * INTERVAL)  # they are no longer many
    assert machine.read(NOTE) == "- first\n"


def test_a_clock_that_was_a_year_ahead_holds_nothing_up(machine: Machine) -> None:
    memory, now = machine.open(), time.time()
    assert maintain(memory, now + 365 * INTERVAL)
    fill(machine)
    assert maintain(memory, now)


def test_who_is_at_it_is_not_disturbed(machine: Machine) -> None:
    memory = machine.open()
    with locked(memory.state.lock("maintain"), 1):
        assert not maintain(memory, time.time())
    assert maintain(memory, time.time())


def test_what_git_can_not_pack_is_told_and_not_tried_again_before_a_day_has_passed(machine: Machine) -> None:
    memory, now = machine.open(), time.time()
    oid = machine.git("rev-parse", "HEAD^{tree}")
    (machine.clone / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(GitFailed, match="could not be packed"):
        maintain(memory, now)
    assert not maintain(memory, now + 60)
    assert packs(machine) == 0


@pytest.fixture
def fetching(ben: Machine, remote: Path) -> Machine:
    """A machine that has fetched more often than there may be small packs."""
    ben.init(str(remote))
    ben.write(NOTE, "- first\n")
    ben.sync()
    fetch(ben, remote, MANY_PACKS + 1)
    return ben


def fetch(machine: Machine, remote: Path, count: int) -> None:
    """Let somebody push a commit, and fetch it, so many times."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=remote, env=machine.env, capture_output=True, text=True, check=True
        ).stdout.strip()

    for number in range(count):
        commit = git("commit-tree", "-p", "main", "-m", f"commit {number} {time.time_ns()}", "main^{tree}")
        git("update-ref", "refs/heads/main", commit)
        assert machine.open().remote.fetch().ok


def test_packs_of_fetches_are_joined_when_they_are_many(fetching: Machine, remote: Path) -> None:
    assert packs(fetching) == MANY_PACKS + 1  # as git checks what it fetches
    memory, now = fetching.open(), time.time()
    assert maintain(memory, now)
    assert packs(fetching) == 1
    assert fetching.sync().received == MANY_PACKS + 1
    fetch(fetching, remote, MANY_PACKS)
    assert not maintain(memory, now + PACKS_INTERVAL - 60)
    assert maintain(memory, now + PACKS_INTERVAL + 60)
    assert packs(fetching) <= 2
    assert not maintain(memory, now + 2 * PACKS_INTERVAL + 120)
    assert fetching.git("fsck", "--no-dangling", "--no-progress") == ""
    assert fetching.read(NOTE) == "- first\n"


def test_old_packs_stay_while_a_sync_is_under_way(fetching: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxrepo.services.worker.maintain._SYNC_WAIT", 0.1)
    memory, now = fetching.open(), time.time()
    with locked(memory.state.lock("sync"), 1):
        assert not maintain(memory, now)
    assert packs(fetching) == MANY_PACKS + 2
    assert maintain(memory, now + PACKS_INTERVAL + 60)
    assert packs(fetching) == 1


def test_old_packs_stay_while_a_gc_is_under_way(fetching: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxrepo.storage.clone.housekeeping.GC_WAIT", 0.1)
    lock = fetching.clone / ".git/gc.pid"
    lock.write_text(f"{os.getppid()} {os.uname().nodename}")
    memory, now = fetching.open(), time.time()
    assert not maintain(memory, now)
    assert packs(fetching) == MANY_PACKS + 2
    lock.unlink()
    assert maintain(memory, now + PACKS_INTERVAL + 60)
    assert packs(fetching) == 1


def test_packs_that_can_not_be_joined_hold_up_no_loose_objects(
    fetching: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxrepo.storage.objects.packing.MANY_LOOSE", 0)
    fill(fetching)
    for suffix in (".idx", ".pack"):
        (fetching.clone / f".git/objects/pack/pack-{'0' * 40}{suffix}").write_bytes(b"spoiled")
    memory = fetching.open()
    with pytest.raises(GitFailed, match="can't be read"):
        maintain(memory, time.time())
    assert packs(fetching) == MANY_PACKS + 3


def test_the_worker_does_it_when_it_is_done(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in machine.env.items():
        monkeypatch.setenv(name, value)
    assert machine.ctxrepo("status").returncode == 0  # which lets hooks know where the memory is
    machine.write(NOTE, "- first\n- second\n")
    with machine.open().state.spool.open("a") as spool:
        spool.write(json.dumps({"event": "stop", "agent": "claude", "session": "s-1"}) + "\n")
    assert work(["--state", str(machine.places.state)]) == 0
    assert machine.git("show", f"HEAD:{NOTE}") == "- first\n- second"
    assert packs(machine) == 1
