"""Where the time of each hook goes: what every layer of it adds, as tenths of a bare start."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bench.hooks import BASE, rows_of, settle
from bench.person import Person
from bench.pieces import pieces
from bench.plan import Command, Hooks, ratio, run
from ctxrepo import hook

_PACKAGE = str(Path(hook.__file__).parents[1])
_ALONE = "import posix; posix._exit(0)"
_LOADING = f"""
import posix, sys
bare = set(sys.modules)
sys.path.append({_PACKAGE!r})
from ctxrepo.hooks.loading import find_quickly
find_quickly()
"""
_SQLITE = f"{_LOADING}import os, _sqlite3\n"
_LOADED = f"""{_LOADING}
from ctxrepo.faces.hook import main
main(sys.argv[1:])
names = [name for name in sys.modules if name not in bare]
posix.write(2, " ".join(names).encode())
posix._exit(0)
"""

_MOMENTS = {
    "tool, path elsewhere": "tool, path elsewhere",
    "tool, inside the memory": "tool, inside the memory",
    "prompt": "prompt",
    "prompt passed over": "prompt passed over",
    "session start, warm": "session start",
    "turn end": "turn end",
}

_HEAD = """
| hook | in all | interpreter | SQLite | our modules | its work | modules | system calls |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench profile", description=__doc__)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="what runs the hooks")
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        person = settle(root, options.notes)
        hooks = Hooks(person, options.python, options.rounds)
        print(_HEAD)
        for row in rows_of(person, options.notes, hooks):
            if row.command.name in _MOMENTS:
                print(_row(person, row.command, options.python, options.rounds), flush=True)
        print("\n| piece, warm | CPU | wall |\n|---|---:|---:|")
        print("\n".join(pieces(person)))
    finally:
        shutil.rmtree(root)
    return 0


def _row(person: Person, command: Command, python: Path, rounds: int) -> str:
    """Layers that build on one another take turns; what one adds is its own share."""
    modules = _loaded(person, command, python)
    imports = _SQLITE + "".join(f"import {name}\n" for name in modules)
    layers = [
        ("alone", _ALONE),
        ("sqlite", _SQLITE + "posix._exit(0)"),
        ("modules", imports + "posix._exit(0)"),
    ]
    commands = [Command(BASE, [str(python), "-c", "pass"], command.cwd)]
    commands += [Command(name, [str(python), "-I", "-S", "-c", code], command.cwd) for name, code in layers]
    rows = run(person, [*commands, command], rounds)
    person.wait_for_workers()
    steps = [ratio(rows, name, BASE, 1) for name in ("alone", "sqlite", "modules", command.name)]
    shares = [steps[0], *(later - earlier for earlier, later in pairwise(steps))]
    ours = sum(1 for name in modules if name.startswith("ctxrepo"))
    cells = [_MOMENTS[command.name], f"{steps[-1]:.2f}", *(f"{share:.2f}" for share in shares), ours]
    return "| " + " | ".join(map(str, [*cells, _calls(person, command, python)])) + " |"


def _loaded(person: Person, command: Command, python: Path) -> Sequence[str]:
    """The modules this hook loads, in order."""
    words = [str(python), "-I", "-S", "-c", _LOADED, *command.words[4:]]
    with open(command.stdin[0], "rb") as payload:
        run = subprocess.run(words, stdin=payload, capture_output=True, env=person.env, cwd=command.cwd)
    person.wait_for_workers()
    return run.stderr.decode().split()


def _calls(person: Person, command: Command, python: Path) -> str:
    """System calls of the hook itself beyond those of a bare interpreter, where strace is installed."""
    if not shutil.which("strace"):
        return "?"
    ours = _count(person, command.words, command.stdin[1], command.cwd)
    bare = _count(person, [str(python), "-I", "-S", "-c", _ALONE], "/dev/null", command.cwd)
    person.wait_for_workers()
    return str(ours - bare)


def _count(person: Person, words: Sequence[str], stdin: str, cwd: str) -> int:
    with open(stdin, "rb") as payload:
        run = subprocess.run(
            ["strace", *words], stdin=payload, capture_output=True, env=person.env, cwd=cwd, check=True
        )
    return run.stderr.count(b"\n")
