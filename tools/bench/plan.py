"""What is run beside what: hooks with what an agent would tell them, and a plan for the measuring process."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from checkout import PAYLOADS

from bench.person import Person
from ctxrepo import hook
from ctxrepo.agents import dialect_of
from ctxrepo.agents.hook_line import HookLine
from ctxrepo.hooks.dialect import extract_fields

WARM = 2
"""Rounds before those that count."""

Rows = Mapping[str, Sequence[Sequence[float]]]
"""command -> per round (wall seconds, CPU seconds, peak KiB, bytes answered)"""


@dataclass(frozen=True)
class Command:
    """Something to be run in every round; `stdin` has a file a round."""

    name: str
    words: Sequence[str]
    cwd: str
    stdin: Sequence[str] = ()
    wakes: bool = False


@dataclass(frozen=True)
class Hooks:
    """Hook lines of one person as `setup` writes them, run by an interpreter that may be another's."""

    person: Person
    interpreter: Path
    rounds: int

    def command(
        self,
        name: str,
        payload: str,
        cwd: Path,
        wakes: bool = False,
        shell: bool = False,
        agent: str = "claude",
        of: str = "",
        **fill: Sequence[str],
    ) -> Command:
        """The hook of a recorded payload; each round a session of its own, which it shares with hooks of the
        same `of`, and its own value for `fill`."""
        line = HookLine(self.interpreter, Path(hook.__file__), self.person.state)
        text = line(agent, payload.partition("-")[0])
        words = ["/bin/sh", "-c", text] if shell else shlex.split(text)
        recorded = (PAYLOADS.parent / agent / f"{payload}.json").read_text()
        fields = _fields_of(recorded, agent)
        if fields["path"] and "@file@" not in recorded:
            recorded = recorded.replace(fields["path"], "@file@")
        if "error" in fill:
            recorded = recorded.replace(json.dumps(fields["error"])[1:-1], "@error@")
        inputs = self._inputs(name, recorded, fields["session"], cwd, fill, of)
        return Command(name, words, str(cwd), inputs, wakes)

    def _inputs(
        self,
        name: str,
        recorded: str,
        session: str,
        cwd: Path,
        fill: Mapping[str, Sequence[str]],
        of: str,
    ) -> Sequence[str]:
        folder = self.person.home / "stdin" / name.replace(" ", "-").replace(",", "")
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(WARM + self.rounds):
            given = {"cwd": str(cwd), "home": str(self.person.home), "prompt": "", "file": ""}
            given |= {key: values[number % len(values)] for key, values in fill.items()}
            text = recorded.replace(session, f"{of or folder.name}-{number}")
            for key, value in given.items():
                text = text.replace(f"@{key}@", json.dumps(value)[1:-1])
            (folder / str(number)).write_text(text)
        return [str(folder / str(number)) for number in range(WARM + self.rounds)]


def _fields_of(recorded: str, agent: str) -> dict[str, str]:
    """The fields that this agent's dialect finds in a recorded payload."""
    dialect = dialect_of(agent)
    assert dialect
    with closing(sqlite3.connect(":memory:")) as db:
        return extract_fields(db, recorded, dialect.fields)


def run(person: Person, commands: Sequence[Command], rounds: int, waits: bool = True) -> Rows:
    """Run the commands in turns; `waits` for the worker that a hook has woken before the next one."""
    steps = [asdict(command) | {"wakes": command.wakes and waits} for command in commands]
    plan = {
        "rounds": rounds,
        "warm": 2,
        "env": dict(person.env),
        "state": str(person.state),
        "commands": steps,
    }
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(plan, file)
        file.flush()
        words = [sys.executable, "-I", "-S", str(Path(__file__).with_name("measure.py")), file.name]
        run = subprocess.run(words, stdout=subprocess.PIPE, check=True, env=dict(os.environ))
    rows: Rows = json.loads(run.stdout)
    return rows


def ratio(rows: Rows, name: str, base: str, column: int) -> float:
    """The median over the rounds of what `name` took beside what `base` took in the same round."""
    return median(
        ours[column] / max(its[column], 1e-4) for ours, its in zip(rows[name], rows[base], strict=True)
    )
