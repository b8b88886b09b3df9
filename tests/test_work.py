"""The worker's door: who is not needed leaves before it loads much, and nobody leaves work behind."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from machines import Machine
from sessions import eventually

from ctxrepo.hooks.wakeup import is_taken, start_worker, take
from ctxrepo.services.faults.faults import of_worker
from ctxrepo.storage.cache.cache import Cache, all_faults
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings, read_settings

HEAVY = {"pygit2", "dataclasses", "pathlib", "subprocess", "ctxrepo.storage.memory"}


def loaded(machine: Machine) -> set[str]:
    """The modules that a worker of this machine loads; it is run to its end."""
    words = ["-I", "-X", "importtime", "-m", "ctxrepo", "_work", "--state", str(machine.places.state)]
    run = subprocess.run([sys.executable, *words], env=machine.env, capture_output=True, text=True)
    assert run.returncode == 0
    return {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}


def bare() -> set[str]:
    """What `python -m` loads by itself."""
    run = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-m", "this"], capture_output=True, text=True
    )
    return {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}


@pytest.mark.slow
def test_who_finds_another_at_work_leaves_before_it_loads_anything_heavy(ada: Machine) -> None:
    ada.init()
    lock = str(ada.open().state.lock("work"))
    with open(take(lock)):
        assert loaded(ada) & (HEAVY - bare()) == set()
    assert "pygit2" in loaded(ada)


def test_the_lock_that_was_taken_for_it_is_let_go_of(ada: Machine) -> None:
    ada.init()
    state = ada.open().state
    ada.remember("a fact")
    assert start_worker(sys.executable, str(ada.places.state), str(state.root))
    assert is_taken(str(state.lock("work")))
    eventually(lambda: not is_taken(str(state.lock("work"))), 60)
    assert "- a fact" in ada.git("show", "HEAD:shop/MEMORY.md")


def test_where_the_clone_was_removed_sessions_are_told_and_nothing_is_made_of_it(
    ada: Machine, remote: Path
) -> None:
    """Also where a run was writing at that moment, which leaves a folder of ours in a `.git` of its own."""
    ada.init(str(remote))
    cache = ada.open().state.cache
    shutil.rmtree(ada.clone)
    ada.clone.joinpath(".git/ctxrepo/replaced").mkdir(parents=True)
    assert ada.process("_work", "--state", str(ada.places.state)).returncode == 0
    (fault,) = Cache.open(cache).ask(all_faults)
    way = f"Move away what is there, then `ctxrepo init {remote}` brings it back."
    assert fault == ("clone", f"there is no memory repository at {ada.clone}. {way}")
    assert way in ada.ctxrepo("status").stderr
    assert [path.name for path in ada.clone.joinpath(".git").iterdir()] == ["ctxrepo"]
    ada.clone.rename(ada.home / "away")
    assert ada.ctxrepo("status").stderr.endswith(f"  `ctxrepo init {remote}` brings it back.\n")
    assert ada.ctxrepo("init", str(remote)).returncode == 0


def test_who_cannot_open_the_memory_wakes_another_for_what_came_meanwhile(
    ada: Machine, tmp_path: Path
) -> None:
    """Whoever came saw the lock held, and woke nobody."""
    ada.init()
    memory = ada.open()
    memory.state.spool.touch()
    started = tmp_path / "started"
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\necho started >> {started}\n")
    interpreter.chmod(0o755)
    known = read_settings(ada.places.state) | {"interpreter": str(interpreter)}
    compile_settings(ada.places.state, known, [CompiledRepository(memory.clone.repo_id(), ada.clone)])
    code = (
        "import sys; from ctxrepo.faces import worker; from pathlib import Path\n"
        "def opening(*_):\n"
        "    if sys.argv[2]: Path(sys.argv[2]).write_text(sys.argv[3])\n"
        "    raise ValueError('can not be opened')\n"
        "worker._worker = opening\n"
        "worker.main(['_work', '--state', sys.argv[1]])"
    )
    line = json.dumps({"event": "stop", "agent": "claude", "session": "s"}) + "\n"
    for spool in ("", str(memory.state.spool)):
        words = [sys.executable, "-c", code, str(ada.places.state), spool, line]
        subprocess.run(words, env=ada.env, check=True)
        time.sleep(0.3)
        assert started.exists() == bool(spool)
    assert "can not be opened" in memory.state.log.read_text()


def test_a_worker_brings_the_clone_to_the_installation_that_runs_it(ada: Machine) -> None:
    ada.init()
    driver = ["git", "config", "merge.ctxrepo.driver"]
    before = ada.git(*driver[1:])
    ada.git(*driver[1:], before.replace(sys.executable, "/gone/python"))
    assert loaded(ada)
    assert ada.git(*driver[1:]) == before


@pytest.mark.slow
def test_a_run_that_meets_nothing_settles_what_an_earlier_one_met(ada: Machine) -> None:
    ada.init()
    memory = ada.open()
    (ada.clone / ".git" / "MERGE_HEAD").touch()
    ada.remember("a fact")
    loaded(ada)
    assert of_worker(memory)
    assert not memory.state.well.exists()
    (ada.clone / ".git" / "MERGE_HEAD").unlink()
    loaded(ada)
    assert of_worker(memory) is None
    assert memory.state.log.exists()
