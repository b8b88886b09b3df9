"""Servers whose hosts are ended in every way that there is: none may be left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mcp_checks.hosts import COMMAND, MARK, make_machine, processes

SERVERS = 50
MOST_SECONDS = 15.0

HOST = """
import json, os, subprocess, sys, time
command, works, keeps = json.loads(sys.argv[1]), sys.argv[2] == "works", sys.argv[3] == "keeps"
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(**fields):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **fields}) + "\\n")
    server.stdin.flush()
info = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
ask(id=1, method="initialize", params=info)
server.stdout.readline()
ask(method="notifications/initialized")
ask(id=2, method="tools/call", params={"name": "remember", "arguments": {"text": f"Fact {os.getpid()}"}})
server.stdout.readline()
if keeps:  # another process of the host holds the other end of standard input
    subprocess.Popen(["sleep", "60"], stdout=server.stdin, env={"PATH": os.environ["PATH"]})
if works:  # it asks on and reads no answers
    os.set_blocking(server.stdin.fileno(), False)
    try:
        for number in range(3, 3000):
            ask(id=number, method="tools/call", params={"name": "read", "arguments": {"target": "index"}})
    except BlockingIOError:
        pass
print(server.pid, flush=True)
time.sleep(600)
"""
"""A host: it starts a server, has it write, and waits for its own end."""

Ending = Callable[[int, int], None]

ENDINGS: dict[str, tuple[Ending, str, str]] = {
    "the host is killed": (lambda host, _: os.kill(host, signal.SIGKILL), "", ""),
    "the host is ended": (lambda host, _: os.kill(host, signal.SIGTERM), "", ""),
    "the host loses its terminal": (lambda host, _: os.kill(host, signal.SIGHUP), "", ""),
    "the host is killed, and its answers unread": (
        lambda host, _: os.kill(host, signal.SIGKILL),
        "works",
        "",
    ),
    "the host is killed, and a child holds the pipe": (
        lambda host, _: os.kill(host, signal.SIGKILL),
        "",
        "keeps",
    ),
    "the server is ended": (lambda _, server: os.kill(server, signal.SIGTERM), "", ""),
    "the server is interrupted": (lambda _, server: os.kill(server, signal.SIGINT), "", ""),
    "the server loses its terminal": (lambda _, server: os.kill(server, signal.SIGHUP), "", ""),
    "the server is killed": (lambda _, server: os.kill(server, signal.SIGKILL), "", ""),
    "the host aborts": (lambda host, _: os.kill(host, signal.SIGABRT), "works", "keeps"),
}
"""What happens -> how it is done, whether the host works then, and whether a child of it keeps the pipe."""


def run(root: Path, _: Path) -> bool:
    """Whether none of SERVERS servers, nor what they started, is left after MOST_SECONDS."""
    machine = make_machine(root)
    environment = {**machine.env, MARK: f"{root}/hosts"}
    waits: dict[str, list[float]] = {name: [] for name in ENDINGS}
    written = 0
    for _round in range(SERVERS // len(ENDINGS)):
        started = []
        for name, (_ending, works, keeps) in ENDINGS.items():
            words = [sys.executable, "-c", HOST, json.dumps(COMMAND), works, keeps]
            host = subprocess.Popen(
                words, cwd=machine.project_folder, env=environment, stdout=subprocess.PIPE, text=True
            )
            started.append((name, host))
        for name, host in started:
            assert host.stdout
            server = int(host.stdout.readline())
            written += 1
            ENDINGS[name][0](host.pid, server)
            waits[name].append(_seconds_until_gone(server))
            host.kill()
            host.wait()
    left = _left(f"{root}/hosts")
    notes = "".join(file.read_text() for file in machine.clone.rglob("*.md"))
    kept = len(set(re.findall(r"Fact \d+", notes)))
    print("| what happens | servers | longest until the server is gone |\n|---|---:|---:|")
    for name, seconds in waits.items():
        print(f"| {name} | {len(seconds)} | {max(seconds):.1f} s |")
    print(f"\n{written} servers; left after {MOST_SECONDS:.0f} s: {len(left)} processes; facts kept: {kept}")
    return not left and kept == written and all(max(each) < MOST_SECONDS for each in waits.values())


def _seconds_until_gone(server: int) -> float:
    began = time.monotonic()
    while _is_there(server) and time.monotonic() < began + 2 * MOST_SECONDS:
        time.sleep(0.02)
    return time.monotonic() - began


def _is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _left(mark: str) -> list[int]:
    """The processes that are there when the time is over; a worker may commit and send until then."""
    until = time.monotonic() + MOST_SECONDS
    while (left := [*processes(mark)]) and time.monotonic() < until:
        time.sleep(0.2)
    return left
