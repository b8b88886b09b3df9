"""What commands that agents and shells run many times cost beside a bare start of their interpreter."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.corpus import PER_PROJECT, Author, path_of
from bench.hooks import BASE, PROJECT, code_of, settle
from bench.person import Person
from bench.plan import Command, Rows, ratio, run

_HEAD = """
| notes | command | ceiling | wall | CPU | ms | peak MB |
|---:|---|---:|---:|---:|---:|---:|"""


@dataclass(frozen=True)
class Row:
    """A command to measure, and its ceiling as a multiple of a bare start."""

    command: Command
    ceiling: float


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench commands", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="what runs the commands")
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        print(_HEAD)
        for size in options.sizes:
            person = settle(root / str(size), size)
            base = Command(BASE, [str(options.python), "-c", "pass"], str(code_of(person)))
            rows = rows_of(person, options.python)
            took = run(person, [base, *[row.command for row in rows]], options.rounds)
            person.wait_for_workers()
            for row in rows:
                _print(size, row, took)
            print(f"| {size} | *{BASE}* | | 1.00 | 1.00 | {_milliseconds(took, BASE)} | |")
    finally:
        shutil.rmtree(root)
    return 0


def rows_of(person: Person, interpreter: Path) -> list[Row]:
    """Commands in a project that is known, while nothing waits; the one that writes comes last."""
    author = Author()
    note = path_of(PROJECT * PER_PROJECT + 1)
    prompt = author.prompt(PROJECT * PER_PROJECT + 2)
    topic = author.topic(PROJECT * PER_PROJECT)[0]

    def row(ceiling: float, *words: str, wakes: bool = False) -> Row:
        start = [str(interpreter), "-m", "ctxrepo", *words]
        name = " ".join(words[:1] if words[0][0] != "_" else words[:1] + words[2:])
        return Row(Command(name, start, str(code_of(person)), wakes=wakes), ceiling)

    return [
        row(3, "--version"),
        row(6, "_complete", "fish", "rea"),
        row(6, "_complete", "fish", "read", "topics/"),
        row(10, "read", note),
        row(10, "search", topic),
        row(10, "list"),
        row(10, "status"),
        row(10, "recall", prompt),
        row(10, "log"),
        row(16, "history", note),
        row(22, "why", note),
        row(22, "diff", note),
        row(14, "remember", f"{prompt} is what this measurement writes", wakes=True),
    ]


def _print(size: int, row: Row, took: Rows) -> None:
    name = row.command.name
    wall, cpu = (ratio(took, name, BASE, column) for column in (0, 1))
    peak = max(row[2] for row in took[name]) / 1024
    over = " **over**" if wall > row.ceiling else ""
    shown = f"`{name}`"
    print(
        f"| {size} | {shown} | {row.ceiling:g} | {wall:.1f}{over} | {cpu:.1f} "
        f"| {_milliseconds(took, name)} | {peak:.0f} |",
        flush=True,
    )


def _milliseconds(took: Rows, name: str) -> str:
    return f"{median(row[0] for row in took[name]) * 1000:.0f}"
