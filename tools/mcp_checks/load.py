"""Two hosts and a terminal at once on one memory, a thousand calls: what is lost, and what a server holds."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

from machines import Machine

from mcp_checks.hosts import make_machine, resident, start

CALLS = 1000
MOST_BYTES = 120 * 1024 * 1024


class Host:
    """A host that asks one question at a time."""

    def __init__(self, machine: Machine) -> None:
        self.process = start(machine)
        self.number = 0
        self.most = 0
        info = {"name": "check", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.number, "an answer to another question"
        return answer

    def call(self, name: str, **arguments: object) -> str:
        """The text of a tool's answer; an error of it ends the check."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        assert not result["isError"], result["content"][0]["text"]
        return str(result["content"][0]["text"])


def run(root: Path, _: Path) -> bool:
    """Whether each fact that was acknowledged is there, once, and here and at the remote."""
    machine = make_machine(root)
    hosts = [Host(machine), Host(machine)]
    began = time.monotonic()
    threads = [threading.Thread(target=_work, args=(host, number)) for number, host in enumerate(hosts)]
    terminal = threading.Thread(target=_type, args=(machine,))
    for thread in (*threads, terminal):
        thread.start()
    for thread in (*threads, terminal):
        thread.join()
    seconds = time.monotonic() - began
    held = [sum(map(resident, [host.process.pid, *_children(host.process.pid)])) for host in hosts]
    for host in hosts:
        assert host.process.stdin
        host.process.stdin.close()
        host.process.wait(15)
    machine.process("sync")
    text = "".join(file.read_text() for file in machine.clone.rglob("*.md"))
    at_remote = machine.git("ls-tree", "-r", "--name-only", "origin/main").split()
    sent = "".join(machine.git("show", f"origin/main:{path}") for path in at_remote if path.endswith(".md"))
    facts = [f"Host {number} says {n}." for number in (0, 1) for n in range(CALLS // 5)]
    facts += [f"Somebody types {n}." for n in range(40)]
    lost = [fact for fact in facts if text.count(fact) != 1 or fact not in sent]
    calls = sum(host.number - 1 for host in hosts)
    load = f"{calls} calls of two hosts and 40 commands in {seconds:.0f} s"
    print(f"{load}; {len(facts)} facts, lost: {len(lost)}")
    print(f"memory of the servers with their helpers: {', '.join(f'{n / 2**20:.0f} MiB' for n in held)}")
    return not lost and max(held) < MOST_BYTES and calls >= CALLS


def _work(host: Host, number: int) -> None:
    """Half of the calls: every second asks for what the other host has written."""
    for n in range(CALLS // 5):
        host.call("remember", text=f"Host {number} says {n}.", category=f"fact-{n % 7}")
        host.call("recall", text=f"what does host {1 - number} say")
        if n % 2:
            host.call("search", query=f"host {1 - number}")


def _type(machine: Machine) -> None:
    for n in range(40):
        run = machine.process("remember", f"Somebody types {n}.")
        assert run.returncode == 0, run.stderr


def _children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(name) for name in text.split()]
