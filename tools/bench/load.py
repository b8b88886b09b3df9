"""Many hooks in a row and at once: what goes wrong, what is left behind, and what grows."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from subprocess import DEVNULL, PIPE

from bench.corpus import PER_PROJECT, Author, path_of
from bench.hooks import PROJECT, code_of, settle
from bench.measure import at_work
from bench.person import Person
from bench.plan import Command, Hooks, run

STATE_BYTES = 8 * 1024 * 1024
"""What the state folder may hold beside databases, which are as large as the memory makes them, and ledgers,
of which each session has one."""

_APART = ("cache.db", "hooks.db", "stamps.db", "claude-")


@dataclass(frozen=True)
class Load:
    """What came of it; an empty `problems` is good."""

    cpu: Sequence[float]
    """Seconds, hook by hook in the order of their ends."""
    early: float
    late: float
    """Peak MB of the first and the last hooks."""
    state: int
    problems: Sequence[str]

    @property
    def tail(self) -> float:
        """The 99th percentile of CPU time as a multiple of the median."""
        return quantiles(self.cpu, n=100)[98] / median(self.cpu)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench load", description=__doc__)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=50)
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        person = settle(root, options.notes)
        outcome = load(person, options.calls, options.at_once)
    finally:
        shutil.rmtree(root)
    print(f"{len(outcome.cpu)} hooks in a row, {options.at_once} at once")
    print(f"CPU time: median {median(outcome.cpu) * 1000:.1f} ms, p99 {outcome.tail:.2f} times as much")
    print(f"peak memory: {outcome.early:.1f} MB at first, {outcome.late:.1f} MB at last")
    print(f"state without databases and ledgers: {outcome.state / 1024:.0f} KiB")
    print("\n".join(outcome.problems) or "no error, nothing left running")
    return 1 if outcome.problems else 0


def load(person: Person, calls: int, at_once: int) -> Load:
    """`calls` hooks one after another, in the order of a session, and then `at_once` side by side."""
    turns = max(1, calls // len(_session(person, 1)))
    session = _session(person, turns)
    rows = run(person, session, turns, waits=False)
    row = [took for number in range(turns) for took in (rows[c.name][number] for c in session)]
    problems = _side_by_side(person, session, at_once)
    run(person, session[-1:], 1)  # what tools left is for the worker that an end wakes
    person.wait_for_workers()
    problems += _problems(person)
    few = max(1, min(50, len(row) // 4))
    early, late = (max(took[2] for took in some) / 1024 for some in (row[:few], row[-few:]))
    return Load([took[1] for took in row], early, late, state_bytes(person), problems)


def state_bytes(person: Person) -> int:
    """Bytes below the state folder but for databases and ledgers."""
    files = [f for f in person.state.rglob("*") if f.is_file() and not f.name.startswith(_APART)]
    return sum(f.stat().st_size for f in files)


def _session(person: Person, rounds: int) -> list[Command]:
    """A start, three turns with tools inside and outside the memory, an end."""
    hooks, code, author = Hooks(person, Path(sys.executable), rounds), code_of(person), Author()
    first = PROJECT * PER_PROJECT
    prompts = [author.prompt(first + 1 + n % (PER_PROJECT - 2)) for n in range(rounds)]
    commands = [hooks.command("start", "SessionStart", code)]
    for turn in range(3):
        note, file = str(person.clone / path_of(first + 1 + turn)), str(code / f"{turn}.py")
        commands += [
            hooks.command(f"prompt {turn}", "UserPromptSubmit", code, prompt=prompts),
            hooks.command(f"read {turn}", "PostToolUse-read", code, file=[file]),
            hooks.command(f"edit {turn}", "PostToolUse-edit", code, file=[file]),
            hooks.command(f"note {turn}", "PostToolUse-edit", code, file=[note]),
            hooks.command(f"stop {turn}", "Stop", code),
        ]
    return [*commands, hooks.command("compact", "PreCompact", code), hooks.command("end", "SessionEnd", code)]


def _side_by_side(person: Person, session: Sequence[Command], count: int) -> list[str]:
    """Start so many hooks before any of them is waited for; what was wrong with their ends."""
    running = []
    for number in range(count):
        command = session[number % len(session)]
        with open(command.stdin[number % len(command.stdin)], "rb") as payload:
            running.append(
                subprocess.Popen(
                    command.words, stdin=payload, stdout=DEVNULL, stderr=PIPE, env=person.env, cwd=command.cwd
                )
            )
    ends = [(process.communicate()[1], process.returncode) for process in running]
    return [f"ended with {code}, saying {errors!r}" for errors, code in ends if code or errors]


def _problems(person: Person) -> list[str]:
    log = person.state / "hook-errors.log"
    problems = [f"hook-errors.log: {line}" for line in (log.read_text().splitlines() if log.exists() else [])]
    problems += [f"still running: {pid}" for pid in at_work(str(person.state))]
    if (size := state_bytes(person)) > STATE_BYTES:
        problems.append(f"the state takes {size} bytes")
    for place in person.state.rglob("journal"):
        if left := os.listdir(place):
            problems.append(f"saves that no commit took: {len(left)}")
    return problems
