"""Kills commands, hooks and workers, any of them, at random moments."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine
from processes import workers

from torture.fleet import Verdict, judge, make_fleet

HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")
FACT = re.compile(r"fact-\d+-\d+-[0-9a-f]{8}")


@dataclass
class Report:
    kills: Counter[str] = field(default_factory=Counter)
    runs: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)

    @property
    def killed(self) -> int:
        return self.kills.total()


def kill_commands(root: Path, kills: int, seed: int) -> Report:
    """Run until so many processes were killed; the report's `faults` are empty when all is well."""
    chance = random.Random(seed)
    fleet = make_fleet(root, 2)
    report = Report()
    for token in _tokens(seed):
        if report.killed >= kills:
            break
        machine = chance.choice(fleet.machines)
        kind, words, stdin = _something(chance, machine, token)
        process = _start(machine, words, stdin)
        if chance.random() < 0.6:
            _kill_soon(process, chance, report, kind)
        else:
            _kill_a_worker(machine, chance, report)
        output, _ = process.communicate(timeout=120)
        report.runs[kind] += 1
        if process.returncode == 0 and kind in _WRITERS:
            (fleet.journals / token).write_text(token)
        elif process.returncode not in (0, -signal.SIGKILL, *_ENDS.get(kind, ())):
            report.faults.append(f"{kind} ended with {process.returncode}: {output[-300:]}")
        if "Traceback" in output:
            report.faults.append(f"{kind} showed a traceback: {output[-300:]}")
    report.verdict = judge(fleet, FACT)
    report.faults += report.verdict.faults
    return report


def _start(machine: Machine, words: tuple[str, ...], stdin: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "ctxrepo", *words],
        cwd=machine.project_folder,
        env=machine.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdin
    process.stdin.write(stdin)
    process.stdin.close()
    process.stdin = None  # or `communicate` would try to flush it
    return process


_OTHERS = ("pull", "push", "context", "status", "list", "read", "check", "doctor", "setup", "init")
_ENDS = {
    "read": (3,),
    "check": (1,),
    "doctor": (1,),
    "sync": (4, 5),
    "pull": (4, 5),
    "push": (4, 5),
    "init": (4, 5),
}
"""How commands may end besides with 0: nothing there yet, something found, a version aside, queued."""

_WRITERS = ("remember", "anchor", "new", "stage")


def _tokens(seed: int) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"fact-{seed}-{number}-{random.Random(number).getrandbits(32):08x}"


def _something(chance: random.Random, machine: Machine, token: str) -> tuple[str, tuple[str, ...], str]:
    """(kind, words of the command, stdin) of a random deed."""
    kind = chance.choices(
        ["remember", "anchor", "new", "stage", "sync", "hook", *_OTHERS],
        [8, 2, 2, 1, 3, 6, *([1] * len(_OTHERS))],
    )[0]
    match kind:
        case "remember":
            note = chance.choice(["topics/shared.md", "topics/own.md", "MEMORY.md"])
            return kind, ("remember", f"{token} is so", "--note", note, "--tag", token), ""
        case "stage":
            return kind, ("remember", f"{token} may be so", "--stage", "--tag", token), ""
        case "anchor":
            return kind, ("anchor", token), ""
        case "new":
            return kind, ("new", f"notes/{token}.md", "-d", token), ""
        case "hook":
            event = chance.choice(HOOKS)
            file = machine.clone / "shop" / "topics" / "shared.md"
            payload = {
                "session_id": f"s-{chance.randrange(5)}",
                "cwd": str(machine.project_folder),
                "hook_event_name": event,
                "source": "startup",
                "prompt": "why is the shared fact so?",
                "tool_name": "Edit",
                "tool_input": {"file_path": str(file)},
            }
            return f"hook {event}", ("hook", "claude", event), json.dumps(payload)
        case "read":
            return kind, ("read", "topics/shared.md"), ""
        case "setup":
            return kind, ("setup", "claude", "--yes"), ""
        case _:
            return kind, (kind,), ""


def _kill_soon(process: subprocess.Popen[str], chance: random.Random, report: Report, kind: str) -> None:
    """SIGKILL to the whole group somewhere in the time it usually takes."""
    time.sleep(chance.random() * (0.15 if kind.startswith("hook") else 0.6))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        report.kills[kind] += 1


def _kill_a_worker(machine: Machine, chance: random.Random, report: Report) -> None:
    time.sleep(chance.random() * 0.4)
    for pid in workers(machine)[:1]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            report.kills["worker"] += 1
