"""The set check: many writers in many clones, SIGKILL at random, and in the end not one entry missing."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from processes import workers

from torture.fleet import Fleet, Verdict, judge, make_fleet
from torture.process import Process, fork
from torture.writers import TOKEN, TOKEN_BYTES, Work, keep_syncing, shared_notes, type_commands, write

STALL = 180.0
"""Seconds without an acknowledgement after which somebody hangs."""

UNACKNOWLEDGED = 0.05
"""Entries a kill that may be there without anybody having been told: it hit between the disk and the word.
With a kill for every five entries that is one in a hundred."""

SPARE = 3


@dataclass(frozen=True)
class Plan:
    """`entries` are shared out among all writers; `commands` of them are typed at the command line."""

    clones: int = 5
    writers: int = 8
    entries: int = 1000
    kills: int = 300
    commands: int = 150
    seed: int = 1


@dataclass
class Run:
    """One set check while it runs."""

    plan: Plan
    fleet: Fleet
    chance: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    live: dict[Process, Callable[[], Process] | None] = field(default_factory=dict)
    """Processes, each with what replaces it when it ends before its time."""

    @property
    def log(self) -> Path:
        return self.fleet.root / "tracebacks"

    @property
    def stop(self) -> Path:
        return self.fleet.root / "stop"

    def acknowledged(self) -> int:
        return sum(f.stat().st_size for f in self.fleet.journals.iterdir()) // TOKEN_BYTES


def set_check(root: Path, plan: Plan) -> tuple[Verdict, Counter[str]]:
    """Run the plan; what was found in the end, and who was killed how often."""
    run = Run(plan, make_fleet(root, plan.clones), random.Random(plan.seed))
    try:
        _start(run)
        stalled = _rage(run)
        run.stop.touch()
        hung = _await_all(run)
    finally:
        for process in run.live:
            process.kill(whole_group=True)
    verdict = judge(run.fleet, TOKEN)
    verdict.faults += [*stalled, *hung]
    if verdict.unacknowledged > SPARE + run.kills.total() * UNACKNOWLEDGED:
        verdict.faults.append(f"{verdict.unacknowledged} entries are there that nobody was told of")
    if run.log.exists():
        verdict.faults.append(run.log.read_text()[-2000:])
    return verdict, run.kills


def _start(run: Run) -> None:
    plan = run.plan
    typed = plan.commands // plan.clones
    each = -(-(plan.entries - typed * plan.clones) // (plan.clones * plan.writers))
    notes = shared_notes(plan.entries)
    for machine in run.fleet.machines:
        name = machine.home.name
        for number in range(plan.writers):
            journal = run.fleet.journals / f"{name}-{number}"
            _begin(run, "writer", write, Work(machine, plan.seed, number, 0, each, notes, journal))
        if typed:
            journal = run.fleet.journals / f"{name}-typed"
            _begin(run, "person", type_commands, Work(machine, plan.seed, 99, 0, typed, notes, journal))
        _sync_in(run, machine.home.name)


def _begin(run: Run, kind: str, job: Callable[[Work], None], work: Work) -> Process:
    """Start a writer; its next life writes what this one leaves."""
    process = fork(kind, work.machine.home.name, partial(job, work), run.log)
    run.live[process] = partial(_begin, run, kind, job, replace(work, life=work.life + 1))
    return process


def _sync_in(run: Run, name: str) -> Process:
    machine = next(m for m in run.fleet.machines if m.home.name == name)
    process = fork("syncer", name, partial(keep_syncing, machine, run.plan.seed, run.stop), run.log)
    run.live[process] = partial(_sync_in, run, name)
    return process


def _rage(run: Run) -> list[str]:
    """Kill in step with what is acknowledged, until all is; what is wrong if that never comes."""
    last, since = -1, time.monotonic()
    while any(p.kind != "syncer" for p in run.live):
        _reap(run)
        done = run.acknowledged()
        if done != last:
            last, since = done, time.monotonic()
        elif time.monotonic() - since > STALL:
            return [f"nothing was acknowledged for {STALL:.0f} s"]
        if run.kills.total() < run.plan.kills * (done + 5) / run.plan.entries:
            _kill(run)
        time.sleep(run.chance.random() * 0.03)
    return []


def _kill(run: Run) -> None:
    kind = run.chance.choices(("writer", "syncer", "person", "worker"), (35, 40, 10, 15))[0]
    if kind == "worker":
        machine = run.chance.choice(run.fleet.machines)
        for pid in workers(machine)[:1]:
            Process(pid, kind, "").kill(whole_group=run.chance.random() < 0.5)
            run.kills[kind] += 1
        return
    if victims := [p for p in run.live if p.kind == kind]:
        victim = run.chance.choice(victims)
        # A command whose shell alone dies would write on, with nobody to tell that it did.
        victim.kill(whole_group=kind == "person" or run.chance.random() < 0.7)
        run.kills[kind] += 1


def _reap(run: Run) -> None:
    """Replace who was killed; whoever ended by himself had nothing left to do."""
    for process in list(run.live):
        if (ended := process.ended()) is not None:
            again = run.live.pop(process)
            if ended != 0 and again:
                again()


def _await_all(run: Run) -> list[str]:
    end = time.monotonic() + 120
    while run.live:
        for process in list(run.live):
            if process.ended() is not None:
                del run.live[process]
        if time.monotonic() > end:
            return [f"a {p.kind} of {p.machine} does not end" for p in run.live]
        time.sleep(0.05)
    return []
