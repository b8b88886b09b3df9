"""Sessions that end badly: the agent kills all that descends from it, or somebody kills the worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from long import rotating
from machines import Machine
from processes import processes_of, workers
from sessions import Session, connected, eventually, log_of

WAY_OUT = 60.0

AGENT = """
import os, signal, subprocess, sys, time
line, said, moment, spool = sys.argv[1:]

def descendants(of):
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{name}/stat").read()
        except OSError:
            continue
        parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(name))
    found, rest = [], [of]
    while rest:
        children = parents.get(rest.pop(), [])
        found += children
        rest += children
    return found

def size():
    try:
        return os.stat(spool).st_size
    except OSError:
        return 0

hook = subprocess.Popen(["sh", "-c", line], stdin=subprocess.PIPE, text=True)
before = size()
hook.stdin.write(said)
hook.stdin.close()
if moment == "returned":
    hook.wait()
else:
    while size() <= before and hook.poll() is None:
        pass
    time.sleep(float(moment))
killed = descendants(os.getpid())
for number in killed:
    try:
        os.kill(number, signal.SIGTERM)
    except ProcessLookupError:
        pass
hook.wait()
print(len(killed))
"""
"""Ends a session, and with one signal all that descends from it; `moment` is `returned`, or the seconds after
the hook has left its line."""


@pytest.fixture
def ada_connected(ada: Machine, remote: Path) -> Iterator[Machine]:
    connected(ada, str(remote))
    eventually(lambda: not processes_of(ada), WAY_OUT)
    yield ada
    eventually(lambda: not processes_of(ada), WAY_OUT)


@pytest.mark.parametrize("moment", rotating(["0.01", "0", "returned"], keep=1))
def test_an_agent_that_kills_its_descendants_does_not_keep_the_memory_from_its_remote(
    ada_connected: Machine, remote: Path, moment: str
) -> None:
    ada = ada_connected
    session = Session(ada, "s-1")
    session.edit("shop/topics/one.md", "- the first fact\n")
    spool = str(ada.open().state.spool)
    words = [
        sys.executable,
        "-c",
        AGENT,
        session.lines["SessionEnd"],
        session.said("SessionEnd"),
        moment,
        spool,
    ]
    subprocess.run(words, env=ada.env, cwd=ada.project_folder, check=True, timeout=WAY_OUT)
    eventually(lambda: "the first fact" in log_of(remote), 60)


def hold_pushes(remote: Path) -> Path:
    """A file; while it is there the remote takes its time for every push."""
    held = remote.parent / "held"
    held.touch()
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nwhile [ -e '{held}' ]; do sleep 0.1; done\n")
    hook.chmod(0o755)
    return held


def end_in_a_push_that_hangs(machine: Machine, remote: Path) -> Path:
    """A session writes a fact and ends; its push waits as long as the file that is returned exists."""
    held = hold_pushes(remote)
    session = Session(machine, "s-1")
    session.edit("shop/topics/one.md", "- the first fact\n")
    session.hook("SessionEnd")
    eventually(lambda: any("push" in words for words in processes_of(machine).values()), WAY_OUT)
    return held


def kill(machine: Machine) -> None:
    for number in workers(machine):
        with suppress(ProcessLookupError):
            os.killpg(os.getpgid(number), signal.SIGKILL)


def test_a_worker_that_was_killed_takes_its_git_along(ada_connected: Machine, remote: Path) -> None:
    held = end_in_a_push_that_hangs(ada_connected, remote)
    kill(ada_connected)
    eventually(lambda: not processes_of(ada_connected), 60)
    held.unlink()


def test_a_push_that_was_killed_is_made_good_by_any_hook_that_wakes_a_worker(
    ada_connected: Machine, remote: Path
) -> None:
    ada = ada_connected
    held = end_in_a_push_that_hangs(ada, remote)
    kill(ada)
    held.unlink()
    eventually(lambda: not processes_of(ada), WAY_OUT)
    before = log_of(remote)
    Session(ada, "s-2").hook("Stop")
    eventually(lambda: not processes_of(ada), WAY_OUT)
    assert "the first fact" in log_of(remote), before


@pytest.mark.parametrize("delay", rotating([0.1, 0.3], keep=1))
def test_a_worker_killed_at_any_moment_loses_nothing(
    ada_connected: Machine, remote: Path, delay: float
) -> None:
    """`make torture` does so thousands of times."""
    ada = ada_connected
    session = Session(ada, "s-1")
    for number in range(3):
        session.edit(f"shop/topics/{number}.md", f"- fact {number}\n")
    session.hook("Stop")
    session.hook("SessionEnd")
    time.sleep(delay)
    kill(ada)
    eventually(lambda: not workers(ada), WAY_OUT)  # one that is dying has its lock for a moment yet
    Session(ada, "s-2").hook("SessionStart")
    eventually(lambda: not processes_of(ada), WAY_OUT)
    held = subprocess.run(
        ["git", "-C", str(remote), "grep", "-h", "fact", "main"], capture_output=True, text=True
    ).stdout
    assert [number for number in range(3) if f"fact {number}" not in held] == []
    assert json.loads(ada.process("status", "--json").stdout)["data"]["waiting"] == 0


def test_a_worker_told_to_end_takes_git_with_it(ada_connected: Machine, remote: Path) -> None:
    ada = ada_connected
    held = end_in_a_push_that_hangs(ada, remote)
    began = time.monotonic()
    while workers(ada) and time.monotonic() - began < WAY_OUT:
        for number in workers(ada):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGTERM)
        time.sleep(0.2)
    assert held.exists()
    # What serves the remote on this disk is git's, and waits there.
    assert [words for words in processes_of(ada).values() if "ctxrepo" in words and "push" in words] == []
    held.unlink()
