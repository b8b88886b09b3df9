"""How long a sync takes beside plain git doing the same.

Each figure is the median wall time of several rounds. Plain git (add, commit, pull, push, each object and
ref fsynced) and ctxrepo take turns, so that what else the machine does meets both. The ratio is that of
ctxrepo to plain git and one bare start of ctxrepo together.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median

from bench.corpus import make_remote, path_of
from bench.person import Person

_START = (
    "import ctxrepo.app.desk, ctxrepo.services.sync.sync, ctxrepo.storage.objects\n"
    "from ctxrepo.faces.cli.app import main; main(['--version'])"
)

Seconds = dict[str, dict[str, list[float]]]
"""what was done -> who did it -> how long it took each time"""


class Writer(Person):
    def change(self, *numbers: int) -> None:
        for number in numbers:
            with (self.clone / path_of(number)).open("a") as note:
                note.write(f"- said at {time.time_ns()}\n")


class Plain(Writer):
    def first(self) -> None:
        self.run("git", "clone", "-q", "--no-local", self.remote.as_uri(), str(self.clone))

    def exchange(self) -> None:
        """What a person's script does: commit what there is, and exchange it."""
        self.git("add", "-A")
        if subprocess.run(["git", "diff", "--cached", "--quiet"], cwd=self.clone, env=self.env).returncode:
            self.git("commit", "-qm", "notes")
        self.git("pull", "-q", "--no-rebase", "--no-edit")
        self.git("push", "-q")


class Ours(Writer):
    def first(self, *how: str) -> None:
        self.ctxrepo("init", *how, self.remote.as_uri())

    def exchange(self) -> None:
        self.ctxrepo("sync")


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench sync", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sparse", type=int, default=0, help="compare a sparse clone of so many notes")
    options = parser.parse_args(words)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-bench-"))
    print(
        "| notes | what is done | plain git | one start | ctxrepo | ratio |\n|---:|---|---:|---:|---:|---:|"
    )
    for size in options.sizes:
        for what, took in measure(root / str(size), size, options.rounds).items():
            print(_row(size, what, took), flush=True)
    if options.sparse:
        print("\n| notes | what is done | full clone | sparse clone | ratio |\n|---:|---|---:|---:|---:|")
        for what, took in measure_sparse(root / "sparse", options.sparse, options.rounds).items():
            full, sparse = median(took["full"]), median(took["sparse"])
            print(f"| {options.sparse} | {what} | {full:.2f} s | {sparse:.2f} s | {sparse / full:.2f} |")
    shutil.rmtree(root)
    return 0


def _row(size: int, what: str, took: Mapping[str, list[float]]) -> str:
    plain, start, ours = (median(took[who]) for who in ("plain", "start", "ours"))
    ratio = ours / (plain + start)
    return f"| {size} | {what} | {plain:.2f} s | {start:.2f} s | {ours:.2f} s | {ratio:.2f} |"


def measure(root: Path, size: int, rounds: int) -> Seconds:
    """Both people do the same on remotes of their own, in turns; a third one makes their histories part."""
    plain = Plain(_home(root, "plain"), make_remote(root / "plain.git", size))
    ours = Ours(_home(root, "ours"), make_remote(root / "ours.git", size))
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        for person in (plain, ours):
            shutil.rmtree(person.home)
            person.home.mkdir()
        _turns(seconds["first clone"], plain, plain.first, ours, ours.first)
    others = [Plain(_home(root, f"other-{p.home.name}"), p.remote) for p in (plain, ours)]
    for other in others:
        other.first()
    ours.exchange()
    for number in range(rounds):
        _turns(seconds["nothing new"], plain, plain.exchange, ours, ours.exchange)
        for what, notes in (("one note", [number]), ("100 notes", [*range(min(size, 100))])):
            for person in (plain, ours):
                person.change(*notes)
            _turns(seconds[what], plain, plain.exchange, ours, ours.exchange)
        for other in others:
            other.git("pull", "-q")
            other.change(50 + number)
            other.exchange()
        for person in (plain, ours):
            person.change(10 + number)
        _turns(seconds["diverged 1/1"], plain, plain.exchange, ours, ours.exchange)
    return seconds


def measure_sparse(root: Path, size: int, rounds: int) -> Seconds:
    """The same memory as a full clone and as one of the global notes."""
    remote = make_remote(root / "remote.git", size)
    seconds: Seconds = defaultdict(lambda: defaultdict(list))
    people = {"full": Ours(_home(root, "full"), remote), "sparse": Ours(_home(root, "sparse"), remote)}
    for who, person in people.items():
        how = ["--sparse"] if who == "sparse" else []
        seconds["first clone"][who].append(_timed(partial(person.first, *how)))
        person.wait_for_workers()
        person.exchange()
    for number in range(rounds):
        for what in ("nothing new", "one note"):
            for who, person in people.items():
                if what == "one note":
                    person.change(number)
                seconds[what][who].append(_timed(person.exchange))
    return seconds


def _turns(
    took: dict[str, list[float]],
    plain: Plain,
    by_git: Callable[[], None],
    ours: Ours,
    by_us: Callable[[], None],
) -> None:
    took["plain"].append(_timed(by_git))
    took["ours"].append(_timed(by_us))
    ours.wait_for_workers()
    took["start"].append(_timed(lambda: plain.run(sys.executable, "-c", _START)))


def _timed(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def _home(root: Path, name: str) -> Path:
    home = root / name
    home.mkdir(parents=True)
    return home
