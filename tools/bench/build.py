"""How long the cache takes to be made from nothing, and an edit to be beside a prompt."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.corpus import PER_PROJECT, path_of
from bench.hooks import PROJECT, code_of, settle
from bench.person import Person
from bench.plan import Command, Hooks

CEILINGS = {10_000: 1.5, 100_000: 20.0}
"""Seconds that a cold build of so many notes may take."""

_BUILD = """
import os, time
from ctxrepo.services.saving.refresh import build
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places
memory = Memory.open(Places.of(os.environ), os.environ)
head = memory.objects.ref(memory.clone.branch_ref)
began = time.monotonic()
build(memory, head)
print(time.monotonic() - began)
"""

_WAIT = 60.0


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench build", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(words)
    print("| notes | ceiling | cold build | in bare starts | cache MB | an edit is beside a prompt after |")
    print("|---:|---:|---:|---:|---:|---:|")
    for size in options.sizes:
        root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
        try:
            print(_row(settle(root, size), size, options.rounds), flush=True)
        finally:
            shutil.rmtree(root)
    return 0


def _row(person: Person, size: int, rounds: int) -> str:
    built, starts = [], []
    for _ in range(rounds if size < 100_000 else 1):
        starts += [bare_start(person) for _ in range(5)]
        built.append(cold_build(person))
    seen = [edit_to_prompt(person, number) for number in range(rounds)]
    took, ceiling = median(built), CEILINGS.get(size, 0)
    over = " **over**" if ceiling and took > ceiling else ""
    bytes_ = sum(file.stat().st_size for file in person.state.glob("*/cache.db"))
    cells = [size, f"{ceiling} s" if ceiling else "", f"{took:.2f} s{over}", f"{took / median(starts):.0f}"]
    cells += [f"{bytes_ / 1e6:.0f}", f"{median(seen):.2f} s"]
    return "| " + " | ".join(map(str, cells)) + " |"


def bare_start(person: Person) -> float:
    began = time.monotonic()
    person.run(sys.executable, "-c", "pass")
    return time.monotonic() - began


def cold_build(person: Person) -> float:
    """Seconds for the cache of a memory that has none; interpreter and libraries are loaded."""
    for file in person.state.glob("*/cache.db*"):
        file.unlink()
    return float(person.run(sys.executable, "-c", _BUILD))


def edit_to_prompt(person: Person, number: int) -> float:
    """Seconds from an agent's edit, with which its turn ends, until a prompt is given what it says."""
    note = person.clone / path_of(PROJECT * PER_PROJECT + 1 + number)
    word = f"quixotry{number}"
    hooks = Hooks(person, Path(sys.executable), 1)
    code = code_of(person)
    edited = hooks.command(f"edited {number}", "PostToolUse-edit", code, file=[str(note)])
    ended = hooks.command(f"ended {number}", "Stop", code)
    with note.open("a") as file:
        file.write(f"\n- the {word} is kept below the stairs\n")
    began = time.monotonic()
    for hook in (edited, ended):
        _answer(person, hook)
    while time.monotonic() < began + _WAIT:
        session = f"asked {number} {time.monotonic_ns()}"
        asked = hooks.command(session, "UserPromptSubmit", code, prompt=[f"where is the {word} kept?"])
        if word in _answer(person, asked):
            took = time.monotonic() - began
            person.wait_for_workers()
            return took
        time.sleep(0.02)
    raise AssertionError(f"not beside a prompt within {_WAIT} s")


def _answer(person: Person, hook: Command) -> str:
    with open(hook.stdin[0], "rb") as payload:
        run = subprocess.run(hook.words, stdin=payload, env=person.env, capture_output=True, text=True)
    assert run.returncode == 0
    return run.stdout
