"""How long the worker looks for doubts: entries of one project, and its code with as many files."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from bench.person import Person
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.cache.entries import entry_count
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places

_PER_FOLDER, _PER_NOTE = 100, 200
_WHO = ["-c", "user.name=a", "-c", "user.email=a@example.org"]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench doubts", description=__doc__)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=50_000)
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    try:
        person, code = _settle(root, options.entries, options.files)
        count = Memory.open(Places.of(person.env), person.env).cache.ask(entry_count)
        print(f"{count} entries, {options.files} files\n")
        print("| look | wall s | CPU s | doubts |\n|---|---:|---:|---:|")
        for look in ("the first", "without a change", "after a commit that removes a file"):
            if look.startswith("after"):
                _git(code, "rm", "-q", _file(21))
                time.sleep(1)  # git knows whole seconds, and doubts what went after the entry came
                _git(code, *_WHO, "commit", "-qm", "one file less")
            wall, processor, doubts = _look(person, is_first=look == "the first")
            print(f"| {look} | {wall:.1f} | {processor:.1f} | {doubts} |", flush=True)
    finally:
        shutil.rmtree(root)
    return 0


def _settle(root: Path, entries: int, files: int) -> tuple[Person, Path]:
    """Somebody whose memory has these entries, a third of which name a file of the code, and that code."""
    person, code = Person(root / "home", root / "remote.git"), root / "home/shop"
    code.mkdir(parents=True)
    _git(code, "init", "-q", "-b", "main")
    _git(code, "remote", "add", "origin", "https://git.example.org/a/shop")
    for number in range(files):
        path = code / _file(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def handle_{number}(order):\n    return order + {number}\n")
    _git(code, "add", ".")
    _git(code, *_WHO, "commit", "-qm", "all")
    person.ctxrepo("init", cwd=code)
    person.ctxrepo("remember", f"`{_file(1)}` is where orders are added", cwd=code)
    person.ctxrepo("sync", cwd=code)
    person.wait_for_workers()
    for first in range(0, entries, _PER_NOTE):
        note = person.clone / f"shop/topics/n{first // _PER_NOTE}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text("".join(_lines(range(first, min(first + _PER_NOTE, entries)), files)))
    person.ctxrepo("sync", cwd=code)
    person.wait_for_workers()
    return person, code


def _lines(numbers: range, files: int) -> Iterator[str]:
    for number in numbers:
        if number % 3 == 0:
            yield f"- `{_file(number * 7 % files)}` handles case {number}\n"
        else:
            yield f"- customers of group {number} pay within {number % 90} days\n"


def _file(number: int) -> str:
    return f"src/part{number // _PER_FOLDER}/case_{number}.py"


def _git(code: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(code), *words], check=True)


def _look(person: Person, *, is_first: bool) -> tuple[float, float, int]:
    """(wall seconds, processor seconds, doubts afterwards) of one look, as the worker's after a turn; what it
    has found out before is forgotten for the first."""
    person.wait_for_workers()
    memory = Memory.open(Places.of(person.env), person.env)
    if is_first:
        memory.cache.change(lambda db: db.execute("delete from part"))
        shutil.rmtree(memory.state.code, ignore_errors=True)
    began, before = time.monotonic(), _processor()
    scan(memory, datetime.now(UTC))
    wall, processor = time.monotonic() - began, _processor() - before
    return wall, processor, len(memory.cache.ask(all_doubts))


def _processor() -> float:
    return sum(used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))
