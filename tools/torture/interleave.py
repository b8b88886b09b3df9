"""A random search over interleavings: many short cases of actors who write at once, each checked in the end.

A case is made from a seed alone, and can be printed and replayed. One with a fault is shrunk first: steps are
left out for as long as the same kind of fault stays.
"""

from __future__ import annotations

import multiprocessing
import random
import shutil
import subprocess
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from machines import Machine, make_machine, make_remote

from torture.actors import NOTES, Stage, Step, line_of
from torture.points import IN_A_COMMAND, IN_A_COMMIT, Unexpected
from torture.promises import LIMITS, Fault, files_of, history_of

Case = tuple[Step, ...]

_FIRST = (tuple(f"qa{n}q" for n in range(12)), tuple(f"qb{n}q" for n in range(3)))
"""The lines of the notes at the beginning: of so many of the first one, losing most looks like an
accident."""

_ROUNDS = 3
"""Commits after which nothing may be left to do."""

_CHECKED_THOROUGHLY = 8
"""Of so many cases one is checked with git fsck, and on the other machine."""

PROGRESS = 15.0
"""Seconds between two lines for who waits."""


class Found(NamedTuple):
    """What a case came to: the kinds of all that was found; of a fault its words, with the case shrunk."""

    kinds: frozenset[str]
    fault: str
    case: Case


@dataclass
class Report:
    """`faults` has the seed, what went wrong, and the case after it was shrunk; `limits` counts the cases
    that met one of LIMITS, `examples` has the shortest of them."""

    cases: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    limits: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Case] = field(default_factory=dict)

    def note(self, outcome: Found) -> None:
        self.cases += 1
        self.faults += filter(None, [outcome.fault])
        for kind in outcome.kinds & LIMITS.keys():
            self.limits[kind] += 1
            self.examples[kind] = min(self.examples.get(kind, outcome.case), outcome.case, key=len)


def made_up(seed: int) -> Case:
    """The steps of the case with this seed."""
    chance = random.Random(seed)
    return tuple(_step(chance, f"q{n}q") for n in range(chance.randint(3, 12)))


def _step(chance: random.Random, token: str) -> Step:
    kinds = {
        "edit": 12, "remember": 4, "forget": 2, "forget-note": 0.5, "move": 0.5, "hook": 3, "commit": 7,
        "sync": 2, "elsewhere": 2,
    }  # fmt: skip
    kind = chance.choices([*kinds], [*kinds.values()])[0]
    note = int(chance.random() < 0.25)
    trouble = chance.choice(("full", *IN_A_COMMAND)) if chance.random() < 0.2 else ""
    point = chance.choice(IN_A_COMMIT) if chance.random() < 0.4 else ""
    meanwhile = _edit_step(chance, note, f"{token[:-1]}mq") if point and chance.random() < 0.5 else None
    match kind:
        case "remember" | "move":
            return kind, note, token, trouble
        case "forget":
            return kind, note, chance.randrange(12), trouble
        case "forget-note":
            return kind, note, trouble
        case "hook":
            return kind, chance.choice(("s-1", "s-2"))
        case "commit":
            return kind, chance.choice((None, None, (), (0,), (1,), (0, 1))), point, meanwhile
        case "sync":
            return kind, point, meanwhile
        case "elsewhere":
            return kind, note, token, _change(chance).replace("secret", "add")
    return _edit_step(chance, note, token)


def _edit_step(chance: random.Random, note: int, token: str) -> Step:
    """Something that takes no lock."""
    kinds = {
        "tool": 8, "hand": 5, "read": 2, "fill": 1, "open": 2, "late": 3, "delete": 0.7, "put-back": 1,
        "clean": 0.5,
    }  # fmt: skip
    kind = chance.choices([*kinds], [*kinds.values()])[0]
    change, copy = _change(chance), chance.choice(("fresh", "fresh", "last"))
    session = chance.choice(("s-1", "s-1", "s-2"))
    match kind:
        case "tool":
            hooks = ("now", "now", "now said", "later", "later said", "never", "full")
            how = chance.choice(("place", "rename"))
            return kind, session, note, token, change, how, copy, chance.choice(hooks)
        case "hand":
            return kind, note, token, change, chance.choice(("place", "rename", "empty")), copy
        case "read":
            return kind, chance.choice((session, "hand")), note
        case "late":
            return kind, note, token, change
    return kind, note


def _change(chance: random.Random) -> str:
    what = chance.choices(("add", "remove", "swap", "secret"), (10, 3, 2, 1))[0]
    return f"{what} {chance.randrange(12)}" if what in ("remove", "swap") else what


class Theatre:
    """A folder with two machines and their remote, which are put back as they were before each case."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._place, self._made = root / "case", root / "made"
        self._place.mkdir(parents=True)
        remote = make_remote(self._place)
        self.ada, self.ben = make_machine(self._place, "ada"), make_machine(self._place, "ben")
        self.ada.init(str(remote))
        for path, tokens in zip(NOTES, _FIRST, strict=True):
            self.ada.write(path, "# Notes\n\n" + "".join(f"- {line_of(token)}\n" for token in tokens))
        self.ada.sync()
        self.ben.init(str(remote))
        for hooks in self._place.rglob("hooks"):
            shutil.rmtree(hooks)
        for folder in (remote, self.ada.clone, self.ben.clone):  # fewer files to put back before each case
            subprocess.run(["git", "-C", folder, "repack", "-adq"], check=True)
        self._place.rename(self._made)

    def play(self, case: Case, thoroughly: bool = True) -> list[Fault]:
        """What is wrong after these steps."""
        shutil.rmtree(self._place, ignore_errors=True)
        shutil.copytree(self._made, self._place, symlinks=True)
        stage = Stage(self._place, self.ada, self.ben)
        try:
            for step in case:
                stage.play(step)
            exchanges = thoroughly or any(step[0] in ("sync", "elsewhere") for step in case)
            return list(_judged(stage, thoroughly, exchanges))
        except Unexpected as error:
            return [Fault("unexpected", str(error))]
        except Exception:
            return [Fault("unexpected", traceback.format_exc())]
        finally:
            for note in range(len(NOTES)):
                stage.close(note)

    def shrunk(self, case: Case, kind: str) -> Case:
        """The case without the steps that this kind of fault doesn't need."""
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for number in reversed(range(len(case))):
                less = case[:number] + case[number + 1 :]
                if any(fault.kind == kind for fault in self.play(less)):
                    case, is_smaller = less, True
        return case


def _judged(stage: Stage, thoroughly: bool, exchanges: bool) -> Iterator[Fault]:
    """Let everybody end what they began, and look whether every promise was kept."""
    for session, *_ in [*stage.pending]:
        stage.hook(session)
    for note in range(len(NOTES)):
        stage.fill(note)
    stage.commit(None)
    if not any(stage.finish() for _ in range(_ROUNDS)):
        yield Fault("wedged", f"after {_ROUNDS} commits something is left: {stage.memory.journal.read()}")
    if exchanges:
        stage.last_sync()
    if not stage.finish():
        yield Fault("wedged", "after a sync something is left")
    files, (history, leaked) = files_of(stage.ada.open()), history_of(stage.ada)
    yield from stage.promises.faults(history, files)
    if leaked:
        yield Fault("leaked", "a secret is in the history")
    yield from _untidy(stage.ada, thoroughly)
    if thoroughly:
        stage.ben.sync()
        if stage.ben.tree() != stage.ada.tree():
            yield Fault("wedged", "the other machine has another tree")


def _untidy(machine: Machine, thoroughly: bool) -> Iterator[Fault]:
    if left := machine.git("status", "--porcelain"):
        yield Fault("wedged", f"not clean: {left}")
    words = ["git", "fsck", "--no-dangling", "--no-progress"]
    if thoroughly and subprocess.run(words, cwd=machine.clone, env=machine.env).returncode:
        yield Fault("wedged", "git fsck finds damage")


def search(folder: Path, cases: int, seed: int) -> Report:
    """Play so many cases made from the seed."""
    began, report = time.monotonic(), Report()
    theatre = Theatre(folder / "theatre")
    for number in range(cases):
        report.note(_tried(theatre, seed, number))
    report.seconds = time.monotonic() - began
    return report


def _tried(theatre: Theatre, seed: int, number: int) -> Found:
    """Case `number`: the kinds of what was found, and the words for it if it is a fault."""
    case = made_up(seed * 10_000_000 + number)
    kinds = [f.kind for f in theatre.play(case, number % _CHECKED_THOROUGHLY == 0)]
    worst = min(kinds, key=lambda kind: kind in LIMITS, default="")
    if worst in ("", *LIMITS):
        return Found(frozenset(kinds), "", case)
    small = theatre.shrunk(case, worst)
    again = [fault.what for fault in theatre.play(small) if fault.kind == worst]
    steps = "".join(f"    {step!r},\n" for step in small)
    return Found(
        frozenset(kinds), f"seed {seed}, case {number}: {worst}: {''.join(again[:1])}\n{steps}", small
    )


def replay(case: Sequence[Step], folder: Path) -> list[Fault]:
    """Play a case that was printed."""
    return Theatre(folder / "theatre").play(tuple(case))


_theatre: Theatre | None = None


def _try_here(root: Path, seed: int, number: int) -> Found:
    global _theatre
    if _theatre is None:
        _theatre = Theatre(Path(tempfile.mkdtemp(dir=root)) / "theatre")
    return _tried(_theatre, seed, number)


def interleave(root: Path, cases: int, seed: int, jobs: int) -> Report:
    """`search` with so many processes, which tells how far it is."""
    report, began, shown_at = Report(), time.monotonic(), time.monotonic()
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for outcome in pool.imap_unordered(partial(_try_here, root, seed), range(cases), chunksize=4):
            report.note(outcome)
            if outcome.fault:
                print(outcome.fault, flush=True)
            if time.monotonic() - shown_at > PROGRESS:
                shown_at = time.monotonic()
                rate = report.cases / (shown_at - began)
                print(f"{report.cases} cases, {rate:.1f} a second, {len(report.faults)} faults", flush=True)
    report.seconds = time.monotonic() - began
    return report
