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


def test_it_is_started_detached_with_the_state_it_serves(tmp_path: Path) -> None:
    out, spy = tmp_path / "out", tmp_path / "python"
    spy.write_text(_SPY.format(python=sys.executable, out=str(out)))
    spy.chmod(0o755)
    assert start_worker({"interpreter": str(spy), "state": "/the/state", "folder": str(tmp_path)})
    deadline = time.monotonic() + 10
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


def test_without_an_interpreter_nothing_starts_and_nothing_fails(tmp_path: Path) -> None:
    assert not start_worker({"state": "/s", "folder": str(tmp_path)})
    assert not start_worker({"interpreter": str(tmp_path / "gone"), "state": "/s", "folder": str(tmp_path)})


def test_an_interpreter_that_cannot_run_harms_nobody(tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_bytes(b"\x7fnot a program")
    broken.chmod(0o755)
    assert start_worker({"interpreter": str(broken), "state": "/s", "folder": str(tmp_path)})
