"""Writes from three clones at once over a line that keeps breaking, then checks that nothing is missing.

`python tests/flaky.py --transport ssh --entries 200 --cut 0.06 --seed 1` prints what came of it; the test
suite runs a short seed of it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine, make_remote
from servers.https import https_server
from servers.line import Line, line_to, machine_at
from servers.ssh import ssh_server

from ctxrepo.domain.project.target import Target
from ctxrepo.errors import CtxrepoError

CLONES, WRITERS = 3, 2


@dataclass
class Report:
    """`outcomes` counts how syncs ended while the line was bad; `faults` is empty when all is well."""

    acknowledged: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    connections: int = 0
    broken: int = 0
    unsent: int = 0
    faults: list[str] = field(default_factory=list)


def flaky(root: Path, line: Line, entries: int, cut: float, seed: int) -> Report:
    """Write so many entries while each chunk on the line breaks its connection with the probability `cut`."""
    report = Report()
    machines = [machine_at(root, f"clone-{n}", line.client, "timeout = 4\n") for n in range(CLONES)]
    for machine in machines:
        machine.init(line.url)
    line.proxy.suffer("flap", cut)
    before = line.proxy.connections
    writers = [
        threading.Thread(target=_write, args=(machine, report, random.Random(f"{seed}-{number}"), tokens))
        for number, (machine, tokens) in enumerate(_shares(machines, entries, seed))
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    report.connections, report.broken = line.proxy.connections - before, line.proxy.broken
    report.unsent = len(report.acknowledged - _held(line.remote))
    line.proxy.heal()
    _check(machines, line.remote, report)
    return report


def _shares(machines: Sequence[Machine], entries: int, seed: int) -> Iterator[tuple[Machine, list[str]]]:
    """(clone, what is to be written there) for each writer."""
    tokens = [
        f"fact-{seed}-{number}-{random.Random(number).getrandbits(32):08x}" for number in range(entries)
    ]
    count = len(machines) * WRITERS
    for number in range(count):
        yield machines[number % len(machines)], tokens[number::count]


def _write(machine: Machine, report: Report, chance: random.Random, tokens: Sequence[str]) -> None:
    for number, token in enumerate(tokens):
        note = chance.choice(["topics/shared.md", "topics/shared.md", f"topics/{machine.home.name}.md"])
        try:
            machine.remember(f"{token} is so", note=Target(path=note))
            report.acknowledged.add(token)
            if number % 3 == 1:
                answer = machine.sync().remote
                is_known = answer.outcome != "failed"
                report.outcomes[answer.outcome if is_known else f"failed: {answer.reason}"] += 1
        except CtxrepoError as error:
            report.faults.append(f"{machine.home.name}: {type(error).__name__}: {error.message}")
        except Exception as error:
            report.faults.append(f"{machine.home.name} broke: {error!r}")
            raise


def _check(machines: Sequence[Machine], remote: Path, report: Report) -> None:
    for machine in (*machines, *machines):
        run = machine.ctxrepo("sync")
        if run.returncode not in (0, 4):
            report.faults.append(f"{machine.home.name} is wedged: {run.stderr.strip()}")
    trees = {_tree(machine.clone) for machine in machines} | {_tree(remote)}
    if len(trees) != 1:
        report.faults.append(f"{len(trees)} trees")
    for machine in machines:
        if missing := report.acknowledged - _held(machine.clone):
            report.faults.append(f"{machine.home.name} lost {sorted(missing)}")


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True).stdout


def _tree(folder: Path) -> str:
    return _git(folder, "rev-parse", "main^{tree}").strip()


def _held(folder: Path) -> set[str]:
    """The facts in the head of a repository."""
    return set(_git(folder, "grep", "-hoE", "fact-[0-9]+-[0-9]+-[0-9a-f]{8}", "main").split())


@contextmanager
def line_over(transport: str, root: Path, seed: int) -> Iterator[Line]:
    """A server, an empty remote on it, and a line to it."""
    remote = make_remote(root)
    server = ssh_server(root / "sshd") if transport == "ssh" else https_server(root / "nginx", root)
    with server as running, line_to(running, remote, seed) as line:
        yield line


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transport", choices=["ssh", "https"], default="ssh")
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--cut", type=float, default=0.06)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-flaky-"))
    began = time.monotonic()
    with line_over(options.transport, root, options.seed) as line:
        report = flaky(root, line, options.entries, options.cut, options.seed)
    print(f"{options.transport}, seed {options.seed}, {time.monotonic() - began:.0f} s: ", end="")
    print(f"{len(report.acknowledged)} entries acknowledged, {report.unsent} not sent while the line was bad")
    print(
        f"{report.broken} of {report.connections} connections cut; syncs meanwhile: {dict(report.outcomes)}"
    )
    print("\n".join(report.faults) or "all in the head of every clone, one tree, nobody wedged")
    if report.faults:
        print(f"left for you to look at: {root}")
    else:
        shutil.rmtree(root)
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
