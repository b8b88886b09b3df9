"""The worker is a daemon: a session of its own, nobody's child once its starter has ended, deaf and mute."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from ctxrepo.hooks import wakeup
from ctxrepo.hooks.wakeup import is_taken, start_worker, take

_SPY = """#!{python}
import json, os, signal, sys, time

deaf = [signal.getsignal(one) is signal.SIG_IGN for one in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
facts = dict(
    deaf=deaf, blocked=len(signal.pthread_sigmask(signal.SIG_BLOCK, [])), cwd=os.getcwd(),
    streams=[os.path.samestat(os.fstat(one), os.stat(os.devnull)) for one in (0, 1, 2)],
    session=os.getsid(0), guard=os.environ.get("CTXREPO_HOOK", ""), words=sys.argv[1:],
)
try:
    os.fstat(77)
    facts["leak"] = True
except OSError:
    facts["leak"] = False
end = time.monotonic() + 5
while str(os.getppid()) == os.environ.get("STARTER") and time.monotonic() < end:
    time.sleep(0.01)
facts["parent"] = os.getppid()
open({out!r} + ".part", "w").write(json.dumps(facts))
os.rename({out!r} + ".part", {out!r})
"""


@pytest.fixture
def spy(tmp_path: Path) -> Path:
    """An interpreter that writes down how it was started."""
    made = tmp_path / "python"
    made.write_text(_SPY.format(python=sys.executable, out=str(tmp_path / "out")))
    made.chmod(0o755)
    return made


def written(spy: Path) -> str:
    """What it wrote, as soon as it has."""
    out = spy.with_name("out")
    deadline = time.monotonic() + 30
    while not out.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return out.read_text()


def start_and_end(spy: Path, *, lock_at: int = 0) -> int:
    """Start it from a process that ends at once, as a hook does; returns that process's id. The lock is
    opened at the file descriptor `lock_at` (0: any); 77 is open, as an agent may leave one open."""
    starter = os.fork()
    if starter == 0:
        os.dup2(1, 77)
        os.environ["STARTER"] = str(os.getpid())
        if lock_at:
            wakeup.take = lambda path: os.dup2(take(path), lock_at, inheritable=False)
        os._exit(0 if start_worker(*settings(spy)) else 1)
    assert os.waitpid(starter, 0)[1] == 0
    return starter


@pytest.mark.parametrize("lock_at", [0, 3, 9])
def test_it_is_started_detached_with_the_state_it_serves(spy: Path, lock_at: int) -> None:
    starter = start_and_end(spy, lock_at=lock_at)
    facts = json.loads(written(spy))
    assert facts.pop("session") != os.getsid(0)
    assert facts.pop("parent") not in (starter, os.getpid())
    assert facts == {
        "deaf": [True, True, True],
        "blocked": 0,
        "cwd": "/",
        "streams": [True, True, True],
        "leak": False,
        "guard": "1",
        "words": ["-I", "-m", "ctxrepo", "_work", "--state", "/the/state", "--lock", "3"],
    }


def test_it_has_the_lock_from_before_it_runs(spy: Path) -> None:
    spy.write_text("#!/bin/sh\nread wait < $(dirname $0)/pipe\n")
    os.mkfifo(spy.with_name("pipe"))
    start_and_end(spy)
    assert is_taken(str(spy.with_name("work.lock")))
    spy.with_name("pipe").write_text("end\n")


def test_where_its_interpreter_is_gone_the_running_one_is_taken(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(spy))
    assert start_worker("/gone/python", *settings(spy)[1:])
    assert "/the/state" in written(spy)


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
    assert written(spy)


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
    assert written(spy) == "started\n"
    spy.with_name("end").touch()


def test_a_signal_to_all_descendants_spares_the_one_that_is_on_its_way(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starter and daemon are each sent it in the moment after the daemon was made."""
    fork, heard = os.fork, []

    def fork_and_be_shot() -> int:
        child = fork()
        os.kill(os.getpid(), signal.SIGTERM)
        return child

    monkeypatch.setattr(os, "fork", fork_and_be_shot)
    before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
    try:
        assert start_worker(*settings(spy))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]  # the starter hears it as ever, once the daemon is there
    assert "/the/state" in written(spy)


def test_it_has_left_our_process_group_when_the_starter_goes_on(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent kills that group as soon as the hook has ended."""
    fork, leave, children = os.fork, os.setsid, list[int]()

    def leave_late() -> None:
        time.sleep(0.2)
        leave()

    def fork_and_tell() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "setsid", leave_late)
    monkeypatch.setattr(os, "fork", fork_and_tell)
    assert start_worker(*settings(spy))
    assert [os.getsid(child) for child in children] == children
    assert written(spy)


def settings(spy: Path) -> tuple[str, str, str]:
    """(interpreter, state, folder)"""
    return str(spy), "/the/state", str(spy.parent)


def test_an_interpreter_that_cannot_run_harms_nobody(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(0o755)
    assert start_worker(*settings(broken))
