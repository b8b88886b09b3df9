"""The worker is a daemon: a session of its own, nobody's child, deaf and mute."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from ctxrepo.hooks.files.daemon import is_taken, start_worker, take

_SPY = """#!{python}
import os, sys
facts = [os.getcwd(), os.readlink("/proc/self/fd/1") if os.path.exists("/proc/self/fd") else os.devnull,
         str(os.getsid(0)), str(os.getppid()), os.environ.get("CTXREPO_HOOK", ""), *sys.argv[1:]]
open({out!r} + ".part", "w").write("\\n".join(facts))
os.rename({out!r} + ".part", {out!r})
"""


@pytest.fixture
def spy(tmp_path: Path) -> Path:
    """An interpreter that writes down how it was started."""
    made = tmp_path / "python"
    made.write_text(_SPY.format(python=sys.executable, out=str(tmp_path / "out")))
    made.chmod(0o755)
    return made


def facts(spy: Path) -> list[str]:
    """What it wrote, as soon as it has."""
    out = spy.with_name("out")
    deadline = time.monotonic() + 30
    while not out.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return out.read_text().split("\n")


def test_it_is_started_detached_with_the_state_it_serves(spy: Path) -> None:
    assert start_worker(*settings(spy))
    cwd, stdout, session, parent, guard, *words = facts(spy)
    assert (cwd, stdout, guard) == ("/", os.devnull, "1")
    assert session != str(os.getsid(0))
    assert parent != str(os.getpid())
    assert words == ["-I", "-m", "ctxrepo", "_work", "--state", "/the/state", "--lock", "3"]


def test_where_its_interpreter_is_gone_the_running_one_is_taken(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(spy))
    assert start_worker("/gone/python", *settings(spy)[1:])
    assert "/the/state" in facts(spy)


def test_without_an_interpreter_nothing_starts_and_nothing_fails(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not start_worker("", *settings(spy)[1:])
    monkeypatch.setattr(sys, "executable", "")
    assert not start_worker("/gone/python", *settings(spy)[1:])


def test_where_a_worker_has_the_lock_none_is_started(spy: Path) -> None:
    lock = take(str(spy.with_name("work.lock")))
    assert start_worker(*settings(spy))
    assert take(str(spy.with_name("work.lock"))) == -1
    os.close(lock)
    assert not spy.with_name("out").exists()
    assert start_worker(*settings(spy))
    assert facts(spy)


def test_where_no_lock_can_be_made_none_is_started(spy: Path) -> None:
    assert not start_worker(*settings(spy)[:2], "/gone")
    assert not is_taken(str(spy.with_name("work.lock")))


def test_who_only_looks_is_taken_for_no_holder(tmp_path: Path) -> None:
    path = str(tmp_path / "work.lock")
    with open(path, "w") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not is_taken(path)
        # Whoever looks lets go at once; here it is when the lock is asked for.
        timer = threading.Timer(0.02, fcntl.flock, (looking, fcntl.LOCK_UN))
        timer.start()
        os.close(take(path))
        timer.join()


def test_of_many_that_start_one_at_once_one_does(spy: Path) -> None:
    spy.write_text(
        "#!/bin/sh\ncd $(dirname $0)\necho started >> out\n"
        "while [ -e out ] && [ ! -e end ]; do sleep 0.1; done\n"  # nor when the folder is taken away
    )
    starters = []
    for _ in range(20):
        starter = os.fork()
        if starter == 0:
            os._exit(0 if start_worker(*settings(spy)) else 1)
        starters.append(starter)
    assert [os.waitpid(starter, 0)[1] for starter in starters] == [0] * 20
    assert facts(spy) == ["started", ""]
    spy.with_name("end").touch()


def test_a_signal_to_all_descendants_spares_the_one_that_is_on_its_way(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of our processes is sent it in the moment after it was made."""
    fork = os.fork

    def fork_and_be_shot() -> int:
        child = fork()
        os.kill(os.getpid() if child == 0 else child, signal.SIGTERM)
        return child

    starter = fork()
    if starter == 0:
        monkeypatch.setattr(os, "fork", fork_and_be_shot)
        start_worker(*settings(spy))
        os._exit(0)
    os.waitpid(starter, 0)
    assert "/the/state" in facts(spy)


def settings(spy: Path) -> tuple[str, str, str]:
    """(interpreter, state, folder)"""
    return str(spy), "/the/state", str(spy.parent)


def test_an_interpreter_that_cannot_run_harms_nobody(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(0o755)
    assert start_worker(*settings(broken))
