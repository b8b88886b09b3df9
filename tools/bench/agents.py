"""What the hooks of every agent cost beside a bare start of their interpreter, from its recorded payloads."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from checkout import PAYLOADS

from bench.corpus import PER_PROJECT, Author, path_of
from bench.hooks import BASE, PROJECT, code_of, settle
from bench.person import Person
from bench.plan import Command, Hooks, ratio, run
from ctxrepo.agents import dialect_of, names

CEILINGS = {"start": 2.4, "prompt": 2.2, "tool": 1.5, "tool in the memory": 1.8, "stop": 2.0}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench agents", description=__doc__)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        person = settle(root / "memory", options.notes)
        _table(person, options.rounds)
    finally:
        shutil.rmtree(root)
    return 0


def _table(person: Person, rounds: int) -> None:
    commands = [
        (agent, moment, command) for agent in names() for moment, command in _commands(person, agent, rounds)
    ]
    bare = Command(BASE, [sys.executable, "-c", "pass"], str(person.clone))
    rows = run(person, [bare, *(command for _, _, command in commands)], rounds)
    print(f"| | {' | '.join(f'{moment}, {most}' for moment, most in CEILINGS.items())} |")
    print("|---" * (len(CEILINGS) + 1) + "|")
    for agent in names():
        took = {
            moment: ratio(rows, command.name, BASE, 0) for name, moment, command in commands if name == agent
        }
        cells = [_cell(took.get(moment), most) for moment, most in CEILINGS.items()]
        print(f"| {agent} | {' | '.join(cells)} |", flush=True)


def _cell(took: float | None, most: float) -> str:
    return "" if took is None else f"{took:.2f}{' **over**' if took > most else ''}"


def _commands(person: Person, agent: str, rounds: int) -> list[tuple[str, Command]]:
    """A hook for each moment of the agent that has a recorded payload."""
    code, hooks, author = code_of(person), Hooks(person, Path(sys.executable), rounds), Author()
    prompts = [author.prompt(PROJECT * PER_PROJECT + n % PER_PROJECT) for n in range(1, 98)]
    note = str(person.clone / path_of(PROJECT * PER_PROJECT + 1))
    commands = []
    for moment, wakes in (("start", True), ("prompt", False), ("tool", False), ("stop", True)):
        payload = _payload(agent, moment)
        if payload:
            name, other = f"{agent} {moment}", str(code / "main.py")
            command = hooks.command(
                name, payload, code, wakes, agent=agent, of=agent, prompt=prompts, file=[other]
            )
            commands.append((moment, command))
        if payload and moment == "tool":
            name = f"{agent} tool in the memory"
            commands.append(
                (
                    name.partition(" ")[2],
                    hooks.command(name, payload, code, True, agent=agent, of=agent, file=[note]),
                )
            )
    return commands


def _payload(agent: str, moment: str) -> str:
    """The recorded payload of this moment; of a tool one that edits the file that it is told."""
    dialect = dialect_of(agent)
    assert dialect
    for path in sorted((PAYLOADS.parent / agent).glob("*.json")):
        _, its = dialect.events.get(path.stem.partition("-")[0].lower(), ("", ""))
        is_it = moment != "tool" or any(word in path.stem for word in ("edit", "Edit", "replace", "patch"))
        if (
            its == moment
            and is_it
            and not path.stem.endswith(("-sub", "-resume", "-fork", "-clear", "-compact"))
        ):
            return path.stem
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
