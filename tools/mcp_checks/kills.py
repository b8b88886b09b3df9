"""Servers that are killed in the middle of their work: what they answered must be there."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

from mcp_checks.hosts import make_machine, start

SERVERS = 60
FACTS = 20
"""Facts that each server is asked to keep at once."""


def run(root: Path, _: Path) -> bool:
    """Whether each fact whose answer was written is in the memory, once, and the cache is of its notes."""
    machine = make_machine(root)
    chance = random.Random(7)
    answered: list[str] = []
    for number in range(SERVERS):
        server = start(machine)
        assert server.stdin
        assert server.stdout
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        }
        messages = [{"id": 0, "method": "initialize", "params": hello}]
        for fact in range(FACTS):
            arguments = {"text": f"Fact {number}-{fact}.", "category": f"kind{fact % 3}"}
            call = {"name": "remember", "arguments": arguments}
            messages.append({"id": fact + 1, "method": "tools/call", "params": call})
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()
        server.stdout.readline()  # to the greeting
        time.sleep(chance.uniform(0.0, 0.9))
        server.kill()
        lines = [line for line in server.stdout.read().split("\n") if line.endswith("}")]
        answers = [json.loads(line) for line in lines]
        answered += [f"Fact {number}-{answer['id'] - 1}." for answer in answers if "result" in answer]
        server.wait()
    machine.process("sync")
    notes = "".join(file.read_text() for file in machine.clone.rglob("*.md"))
    lost = [fact for fact in answered if notes.count(fact) != 1]
    verified = machine.process("cache", "verify").returncode == 0
    print(f"{SERVERS} servers killed; {len(answered)} of {SERVERS * FACTS} facts answered, lost: {len(lost)}")
    print(f"the cache {'is' if verified else 'IS NOT'} that of the notes")
    return not lost and verified and bool(answered)
