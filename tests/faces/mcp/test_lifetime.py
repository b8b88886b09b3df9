"""A server lives no longer than its host, however that ends, and leaves nobody behind and nothing undone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hosts import COMMAND, GREETING, Server, request
from machines import Machine
from processes import processes_of

pytestmark = pytest.mark.slow
"""Each test starts a server, and waits until it and all that it started have ended."""

WITHIN = 5
"""Seconds after its host in which a server has ended."""


@pytest.fixture
def mine(ada: Machine) -> Iterator[Machine]:
    """A memory; afterwards nobody works for it any more, and nothing unforeseen has happened."""
    ada.init()
    ada.remember("a start")
    yield ada
    left = wait_until_alone(ada, 20)
    assert not left
    assert not (ada.places.state / "errors.log").exists()


def wait_until_alone(machine: Machine, within: float) -> dict[int, str]:
    """Who works for the machine after so many seconds; as soon as nobody does, nobody."""
    end = time.monotonic() + within
    while (left := processes_of(machine)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def servers(machine: Machine) -> list[int]:
    return [pid for pid, words in processes_of(machine).items() if words.rstrip().endswith(" ctxrepo mcp")]


def ended_within(machine: Machine, seconds: float) -> bool:
    """Whether there is no server any more; one that has ended and isn't waited for counts as none."""
    end = time.monotonic() + seconds
    while left := servers(machine):
        if time.monotonic() > end:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True


def used(server: Server) -> Server:
    """The server after a call, with the helper process that it needed."""
    server.greet()
    server.call(1, "remember", text="The port of postgres is 5433")
    assert not server.answer(1)["result"].get("isError")
    return server


def test_it_ends_when_standard_input_is_closed(mine: Machine) -> None:
    with Server(mine) as server:
        used(server).close_input()
        assert (server.ends(WITHIN), server.errors()) == (0, "")


def test_it_ends_when_standard_input_is_closed_before_anything_was_said(mine: Machine) -> None:
    with Server(mine) as server:
        server.close_input()
        assert (server.ends(WITHIN), server.errors()) == (0, "")


def test_it_ends_when_standard_input_is_closed_while_a_call_is_under_way(mine: Machine) -> None:
    with Server(mine) as server:
        used(server)
        for number in range(2, 12):
            server.call(number, "remember", text=f"fact {number} is {number * 7919}")
        server.close_input()
        assert (server.ends(WITHIN), server.errors()) == (0, "")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 0), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_it_ends_at_a_signal(mine: Machine, number: signal.Signals, code: int) -> None:
    with Server(mine) as server:
        used(server).process.send_signal(number)
        assert (server.ends(WITHIN), server.errors()) == (code, "")


def test_it_ends_once_when_told_so_in_several_ways_at_once(mine: Machine) -> None:
    """As hosts do: they close standard input, and send signals soon after."""
    for pause in (0, 0.001, 0.01):
        with Server(mine) as server:
            used(server)
            server.call(2, "search", query="port")
            server.process.send_signal(signal.SIGTERM)
            server.close_input()
            time.sleep(pause)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                server.process.send_signal(number)
            assert server.ends(WITHIN) in (0, 129, 130)
            assert server.errors() == ""


def test_what_was_acknowledged_before_a_signal_is_there(mine: Machine) -> None:
    facts = {number: f"fact {number} is {number * 7919}" for number in range(2, 22)}
    with Server(mine) as server:
        used(server)
        for number, fact in facts.items():
            server.call(number, "remember", text=fact)
        answers = [server.receive() for _ in range(3)]
        server.process.send_signal(signal.SIGTERM)
        with suppress(AssertionError):  # the server has ended
            while True:
                answers.append(server.receive())
        assert (server.ends(WITHIN), server.errors()) == (0, "")
    mine.sync()
    lines = mine.git("show", "HEAD:shop/MEMORY.md").splitlines()
    answered = [answer["id"] for answer in answers if not answer["result"].get("isError")]
    refused = {answer["result"]["content"][0]["text"] for answer in answers if answer["id"] not in answered}
    assert len(answered) >= 3
    assert [number for number in answered if f"- {facts[number]}" not in lines] == []
    assert refused <= {"the server is ending, and has not begun with this."}
    assert mine.git("status", "--porcelain") == ""


_HOST = """
import os, subprocess, sys, time
command, first, flood, keeps = sys.argv[1].split("\\n"), sys.argv[2], int(sys.argv[3]), sys.argv[4]
reading, writing = os.pipe()
server = subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE)
os.close(reading)
if keeps:
    ends = [writing, server.stdout.fileno()]
    keeper = subprocess.Popen([keeps, "60"], pass_fds=ends, env={}, stdout=subprocess.DEVNULL)
    print(keeper.pid, flush=True)
os.write(writing, first.encode() + b"\\n")
server.stdout.readline()
os.write(writing, sys.argv[5].encode() + b"\\n")
if not flood:
    server.stdout.readline()
for _ in range(flood):
    os.write(writing, sys.argv[5].encode() + b"\\n")
print("ready", flush=True)
time.sleep(60)
"""
"""A host that starts a server, sends two messages, floods it with answers that it doesn't read, and waits."""

_CALL = request(1, "tools/call", name="recall", arguments={"text": "which port?"})


class Killed:
    """A host that was killed when its server had answered."""

    def __init__(self, machine: Machine, flood: int = 0, keeps: str = "", message: str = _CALL) -> None:
        self.log = machine.home.parent / "errors of the server"
        words = [sys.executable, "-c", _HOST, "\n".join(COMMAND), GREETING, str(flood), keeps, message]
        with self.log.open("w") as log:
            host = subprocess.Popen(
                words, cwd=machine.project_folder, env=machine.env, stdout=subprocess.PIPE, stderr=log
            )
        assert host.stdout
        self.keeper = int(host.stdout.readline()) if keeps else 0
        assert host.stdout.readline() == b"ready\n"
        if flood:
            time.sleep(0.3)  # until the pipe is full
        self.servers = servers(machine)
        host.kill()
        host.wait()
        host.stdout.close()

    @property
    def errors(self) -> str:
        return self.log.read_text()


def test_it_ends_when_its_host_is_killed(mine: Machine) -> None:
    killed = Killed(mine)
    assert len(killed.servers) == 1
    assert ended_within(mine, WITHIN)
    assert killed.errors == ""


def test_it_ends_when_its_host_is_killed_and_another_process_holds_its_pipes_open(mine: Machine) -> None:
    killed = Killed(mine, keeps="/bin/sleep")
    try:
        assert Path(f"/proc/{killed.keeper}").exists()
        assert len(killed.servers) == 1
        assert ended_within(mine, WITHIN)
        assert killed.errors == ""
    finally:
        os.kill(killed.keeper, signal.SIGKILL)


def test_it_ends_when_its_host_stops_reading_and_is_killed(mine: Machine) -> None:
    killed = Killed(mine, flood=60, message=request(1, "tools/list"))
    assert len(killed.servers) == 1
    assert ended_within(mine, WITHIN)
    assert "Traceback" not in killed.errors
    assert killed.errors == ""


def test_it_ends_at_a_signal_while_its_host_does_not_read(mine: Machine) -> None:
    with Server(mine) as server:
        used(server)
        for number in range(2, 62):
            server.request(number, "tools/list")
        time.sleep(0.3)  # until the pipe is full
        server.process.send_signal(signal.SIGTERM)
        assert (server.ends(WITHIN), server.errors()) == (0, "")


def test_it_ends_when_its_host_has_closed_the_other_end_of_its_output(mine: Machine) -> None:
    with Server(mine) as server:
        stdout = used(server).process.stdout
        assert stdout
        stdout.close()
        server.request(2, "tools/list")
        server.request(3, "tools/list")
        assert server.ends(WITHIN) in (0, 1)
        assert server.errors() == ""
