"""Sessions while the remote hangs: nobody waits, all is committed, and no process is left over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from machines import Machine
from processes import processes_of, workers
from servers.line import Line, line_to, machine_at, ssh_client
from servers.ssh import SshServer, needs_sshd
from sessions import Session, connected, eventually, log_of

from ctxrepo.storage.processes.lock import is_held

pytestmark = needs_sshd

WAY_OUT = 60.0
"""Seconds that are more than any of this may take."""


@pytest.fixture
def line(sshd: SshServer, remote: Path) -> Iterator[Line]:
    with line_to(sshd, remote) as line:
        yield line


@pytest.fixture
def at_the_line(line: Line, tmp_path: Path) -> Callable[[int], Machine]:
    """Makes a machine that gives a remote up after so many seconds of silence."""

    def make(timeout: int) -> Machine:
        client = line.client if "sshCommand" in line.client else ssh_client(line.client)
        machine = connected(machine_at(tmp_path, "ada", client, sync=""), line.url)
        assert machine.process("config", "set", "sync.timeout", str(timeout)).returncode == 0
        eventually(lambda: not processes_of(machine), WAY_OUT)
        return machine

    return make


def is_talking(machine: Machine) -> bool:
    return is_held(machine.open().state.lock("post"))


def written(machine: Machine, fact: str) -> bool:
    return fact in machine.git("log", "-p", "--format=")


def test_what_a_later_session_writes_is_committed_while_an_earlier_one_waits(
    line: Line, at_the_line: Callable[[int], Machine], remote: Path
) -> None:
    ada = at_the_line(50)
    first, second = Session(ada, "s-1"), Session(ada, "s-2")
    line.proxy.suffer("hang")
    first.edit("shop/topics/one.md", "- the first fact\n")
    first.hook("SessionEnd")
    eventually(lambda: is_talking(ada), WAY_OUT)
    calls = line.proxy.connections
    for number in range(3):
        second.edit(f"shop/topics/two-{number}.md", f"- the second fact, {number}\n")
        second.hook("Stop")
        eventually(partial(written, ada, f"second fact, {number}"), WAY_OUT)
    second.hook("SessionEnd")
    eventually(lambda: len(workers(ada)) == 1, WAY_OUT)
    assert is_talking(ada), "the first is still waiting"
    assert line.proxy.connections - calls <= 1, "nobody else has called the remote"
    line.proxy.heal()
    eventually(lambda: "second fact, 2" in log_of(remote) and "the first fact" in log_of(remote), WAY_OUT)
    eventually(lambda: not processes_of(ada), WAY_OUT)


def test_a_remote_that_never_answers_leaves_no_process(
    line: Line, at_the_line: Callable[[int], Machine]
) -> None:
    ada = at_the_line(2)
    session = Session(ada, "s-1")
    session.edit("shop/topics/one.md", "- the first fact\n")
    line.proxy.suffer("hang")
    session.hook("SessionStart")
    session.hook("SessionEnd")
    eventually(lambda: any("ssh" in words for words in processes_of(ada).values()), WAY_OUT)
    eventually(lambda: not processes_of(ada), WAY_OUT)
    assert written(ada, "the first fact")
    assert session.slowest < 8


def test_what_hung_is_sent_by_the_next_session(
    line: Line, at_the_line: Callable[[int], Machine], remote: Path
) -> None:
    ada = at_the_line(2)
    line.proxy.suffer("hang")
    Session(ada, "s-1").edit("shop/topics/one.md", "- the first fact\n")
    Session(ada, "s-1").hook("SessionEnd")
    eventually(lambda: not processes_of(ada), WAY_OUT)
    assert "the first fact" not in log_of(remote)
    assert "remote timeout" in ada.open().state.log.read_text()
    line.proxy.heal()
    Session(ada, "s-2").hook("SessionStart")
    eventually(lambda: "the first fact" in log_of(remote), WAY_OUT)


def test_errands_that_come_for_ever_are_no_reason_to_call_for_ever(
    line: Line, at_the_line: Callable[[int], Machine]
) -> None:
    ada = at_the_line(1)
    session = Session(ada, "s-1")
    session.edit("shop/topics/one.md", "- the first fact\n")
    line.proxy.suffer("hang")
    session.hook("SessionEnd")
    eventually(lambda: is_talking(ada), WAY_OUT)
    calls = line.proxy.connections
    began = time.monotonic()
    while is_talking(ada):
        assert time.monotonic() - began < WAY_OUT
        (ada.open().state.root / "send").touch()
    eventually(lambda: not processes_of(ada), WAY_OUT)
    assert line.proxy.connections - calls <= 2
