"""The worker is a daemon: a session of its own, nobody's child, deaf and mute."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ctxrepo.hot.daemon import start_worker

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
    assert start_worker({"interpreter": str(spy), "state": "/the/state"})
    cwd, stdout, session, parent, guard, *words = facts(spy)
    assert (cwd, stdout, guard) == ("/", os.devnull, "1")
    assert session != str(os.getsid(0))
    assert parent != str(os.getpid())
    assert words == ["-I", "-m", "ctxrepo", "_work", "--state", "/the/state"]


def test_where_its_interpreter_is_gone_the_running_one_is_taken(
    spy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(spy))
    assert start_worker({"interpreter": "/gone/python", "state": "/the/state"})
    assert facts(spy)[-1] == "/the/state"


def test_without_an_interpreter_nothing_starts_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not start_worker({"state": "/s"})
    monkeypatch.setattr(sys, "executable", "")
    assert not start_worker({"interpreter": "/gone/python", "state": "/s"})


def test_an_interpreter_that_cannot_run_harms_nobody(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(0o755)
    assert start_worker({"interpreter": str(broken), "state": "/s"})
