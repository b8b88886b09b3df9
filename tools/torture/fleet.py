"""A fleet: clones of one remote, each with a home of its own, and what a look at all of them finds."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine, make_machine, make_remote
from processes import workers

ROUNDS = 3
"""How often every clone may sync before all must agree."""

_MARKER = "^(<{7} |>{7} |={7}$)"


@dataclass(frozen=True)
class Fleet:
    root: Path
    remote: Path
    machines: Sequence[Machine]

    @property
    def journals(self) -> Path:
        """What writers were told is safe: a file each, a token a line."""
        return self.root / "journals"

    def acknowledged(self) -> set[str]:
        return {t for file in self.journals.glob("*") for t in file.read_text().split()}


@dataclass
class Verdict:
    """What was found when everybody had synced; `faults` is empty when all is well."""

    acknowledged: int = 0
    unacknowledged: int = 0
    """Tokens that are there though nobody was told so: allowed, and few."""
    lost: set[str] = field(default_factory=set)
    wedged: list[str] = field(default_factory=list)
    trees: int = 0
    rounds: int = 0
    """Syncs of every clone after which all agreed."""
    aside: int = 0
    """Files under conflicts/."""
    faults: list[str] = field(default_factory=list)


def make_fleet(root: Path, clones: int) -> Fleet:
    remote = make_remote(root)
    machines = [make_machine(root, f"m{number}") for number in range(clones)]
    for machine in machines:
        machine.init(str(remote))
    fleet = Fleet(root, remote, machines)
    fleet.journals.mkdir()
    return fleet


def judge(fleet: Fleet, token: re.Pattern[str]) -> Verdict:
    """Let every clone sync, then look for every acknowledged token in each clone's commit and files."""
    verdict = Verdict()
    acknowledged = fleet.acknowledged()
    verdict.acknowledged = len(acknowledged)
    _settle(fleet, verdict)
    seen: set[str] = set()
    for machine in fleet.machines:
        held = set(token.findall(machine.git("grep", "-hE", "-e", "", "HEAD")))
        there = set(token.findall("\n".join(_texts(machine.clone))))
        for where, tokens in (("commit", held), ("files", there)):
            if missing := acknowledged - tokens:
                verdict.lost |= missing
                verdict.faults.append(
                    f"{machine.home.name} lost {len(missing)} from its {where}: {sorted(missing)[:5]}"
                )
        seen |= held | there
        verdict.faults += _untidy(machine)
    verdict.unacknowledged = len(seen - acknowledged)
    verdict.aside = len(fleet.machines[0].git("ls-files", "conflicts").splitlines())
    return verdict


def _settle(fleet: Fleet, verdict: Verdict) -> None:
    trees: set[str] = set()
    for verdict.rounds in range(1, ROUNDS + 1):
        for machine in fleet.machines:
            _await_workers(machine, verdict)
            run = machine.ctxrepo("sync")
            if run.returncode not in (0, 4):
                fault = f"{machine.home.name}: sync ends with {run.returncode}: {run.stderr.strip()[-300:]}"
                verdict.wedged.append(fault)
        trees = {m.tree() for m in fleet.machines} | {_tree_of(fleet.remote)}
        if len(trees) == 1:
            break
    verdict.trees = len(trees)
    verdict.faults += verdict.wedged
    if len(trees) != 1:
        verdict.faults.append(f"{len(trees)} trees after {ROUNDS} syncs of every clone")


def _await_workers(machine: Machine, verdict: Verdict) -> None:
    end = time.monotonic() + 60
    while workers(machine):
        if time.monotonic() > end:
            verdict.faults.append(f"{machine.home.name} has a worker that does not end")
            return
        time.sleep(0.05)


def _untidy(machine: Machine) -> Iterator[str]:
    name = machine.home.name
    if dirty := machine.git("status", "--porcelain"):
        yield f"{name} is not clean: {dirty[:300]}"
    for what in (["grep", "-lE", _MARKER, "HEAD"], ["fsck", "--no-dangling", "--no-progress"]):
        run = subprocess.run(
            ["git", *what], cwd=machine.clone, env=machine.env, capture_output=True, text=True
        )
        if what[0] == "grep" and run.stdout:
            yield f"{name} holds conflict markers in {run.stdout[:300]}"
        if what[0] == "fsck" and run.returncode:
            yield f"{name} is damaged: {run.stdout[:300]}{run.stderr[:300]}"
    for log in machine.places.state.rglob("*.log"):
        if "Traceback" in (text := log.read_text()):
            yield f"{name} met something nobody expected: {text[-800:]}"


def _tree_of(remote: Path) -> str:
    words = ["git", "-C", str(remote), "rev-parse", "main^{tree}"]
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def _texts(clone: Path) -> Iterator[str]:
    for file in clone.rglob("*"):
        if file.is_file() and ".git" not in file.relative_to(clone).parts:
            yield file.read_text("utf-8", "replace")
