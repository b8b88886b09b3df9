"""`python -m attacks` with tests/ on the path: all keys, in all places, in all set-ups, at all commands."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from attacks.attack import Attack, attack
from attacks.canaries import canaries
from attacks.carriers import CARRIERS, OTHERS, VARIABLES, Carrier
from attacks.cousins import COUSINS
from attacks.forks import Runner
from attacks.keys import Key, batches
from attacks.orders import ALL, FEW, THERE, Order
from attacks.stage import Setup, Stage, make_memory, setups
from needs import lacks
from servers.https import https_server
from servers.ssh import ssh_server

SETUPS = 8
"""How many there are where a machine has all servers."""


AT_PROJECTS = ("", "pipe", "include", "worktree", "bare", "version", "second")
"""The keys that are tried in the checkout of a project, where git is asked only who it is."""


@dataclass(frozen=True)
class Plan:
    """One attack to be made; in the checkout of the project instead of the clone where `is_project`."""

    title: str
    carrier: Carrier
    chosen: list[Key]
    orders: tuple[Order, ...]
    is_project: bool = False


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m attacks", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", help="only attacks whose title matches")
    parser.add_argument("--all", action="store_true", help="every key in every set-up: half a day")
    options = parser.parse_args(argv)
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-attacks-"))
    began, outcomes = time.monotonic(), list[Attack]()
    for outcome in made(root, options.pattern, everywhere=options.all):
        outcomes.append(outcome)
        print(f"{outcome.name}: {outcome.tried} combinations, {len(outcome.faults)} faults", flush=True)
        print("".join(f"  {fault}\n" for fault in outcome.faults), end="", flush=True)
    tried, took = sum(outcome.tried for outcome in outcomes), time.monotonic() - began
    print(f"{len(outcomes)} attacks, {tried} combinations of key, place, set-up and command, {took:.0f} s")
    faults = sum(len(outcome.faults) for outcome in outcomes)
    print(f"{faults} faults")
    shutil.rmtree(root)
    return bool(faults)


def made(root: Path, pattern: str, *, everywhere: bool) -> Iterator[Attack]:
    """Each planned attack, one after the other."""
    with ExitStack() as stack:
        runner = stack.enter_context(Runner())
        sshd = None if lacks("sshd", "ssh", "ssh-keygen") else stack.enter_context(ssh_server(root / "sshd"))
        no_nginx = lacks("nginx", "fcgiwrap", "openssl")
        nginx = None if no_nginx else stack.enter_context(https_server(root / "nginx", root))
        remote = make_memory(root)
        for number, setup in enumerate(setups(root, remote, sshd, nginx).values()):
            plans = [p for p in planned(number, setup, everywhere) if re.search(pattern, p.title)]
            if not plans:
                continue
            watched = stack.enter_context(canaries(root / f"canaries-{setup.name}"))
            stage = Stage(root, remote, setup, watched, runner)
            watched.fill_foreign(remote)
            for plan in plans:
                top = stage.machine.project_folder if plan.is_project else None
                yield attack(stage, plan.title, plan.carrier, plan.chosen, plan.orders, top)
            stage.restore()


def planned(number: int, setup: Setup, everywhere: bool) -> Iterator[Plan]:
    """What is tried in one set-up: the keys that exclude no others in every place, and of those that do a
    share, so that each pair of place and key meets one set-up."""
    for place, (label, carrier) in enumerate(CARRIERS.items()):
        for turn, (apart, chosen) in enumerate(batches().items()):
            is_due = everywhere or (place + turn) % SETUPS == number
            if is_due or not apart:
                title = f"{setup.name}, {label}, {apart or 'the others'}"
                yield Plan(title, carrier, chosen, ALL if is_due and not apart else FEW)
            if setup.name == "ssh" and apart in AT_PROJECTS and label not in VARIABLES:
                title = f"{setup.name}, project's {label}, {apart or 'the others'}"
                yield Plan(title, carrier, chosen, THERE, is_project=True)
    for label, carrier in OTHERS.items():
        yield Plan(f"{setup.name}, {label}", carrier, batches()[""], ALL)
    if setup.name in ("file", "sparse"):
        for label, carrier in COUSINS.items():
            yield Plan(f"{setup.name}, {label}", carrier, [], FEW)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
