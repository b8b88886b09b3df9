"""Kills commands, hooks and workers at random moments, then checks that nothing acknowledged is missing.

`python tests/torture.py --kills 200 --seed 1` prints what it did; the test suite runs a short seed of it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = (sys.executable, "-m", "ctxrepo")
HOOKS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")


@dataclass(frozen=True)
class Machine:
    """A home with a memory repository and a checkout of the same project."""

    home: Path

    @property
    def project(self) -> Path:
        return self.home / "shop"

    @property
    def clone(self) -> Path:
        return self.home / ".ctxrepo"

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

    def start(self, *words: str, stdin: str = "") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin
        process.stdin.write(stdin)
        process.stdin.close()
        process.stdin = None  # or `communicate` would try to flush it
        return process

    def run(self, *words: str) -> int:
        done = subprocess.run(
            [*COMMAND, *words], cwd=self.project, env=self.env, capture_output=True, text=True, timeout=120
        )
        return done.returncode

    def workers(self) -> list[int]:
        """Process ids of workers of this machine."""
        found = subprocess.run(
            ["pgrep", "-f", f"_work --state {self.home}"], capture_output=True, text=True
        ).stdout
        return [int(pid) for pid in found.split()]

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.clone, env=self.env, capture_output=True, text=True)
        return done.stdout


@dataclass
class Report:
    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: set[str] = field(default_factory=set)
    runs: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    @property
    def killed(self) -> int:
        return self.kills.total()


def make_machines(root: Path, names: Sequence[str]) -> list[Machine]:
    remote = root / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    machines = []
    for name in names:
        machine = Machine(root / name)
        machine.project.mkdir(parents=True)
        (machine.home / ".gitconfig").write_text(f"[user]\n\tname = {name}\n\temail = {name}@example.org\n")
        url = "https://git.example.org/ada/shop.git"
        for words in (("init", "-q"), ("remote", "add", "origin", url)):
            subprocess.run(["git", *words], cwd=machine.project, check=True)
        assert machine.run("init", str(remote)) == 0
        machines.append(machine)
    return machines


def torture(root: Path, kills: int, seed: int) -> Report:
    """Run until so many processes were killed; the report's `faults` are empty when all is well."""
    chance = random.Random(seed)
    machines = make_machines(root, ("ada", "ben"))
    report = Report()
    for token in _tokens(seed):
        if report.killed >= kills:
            break
        machine = chance.choice(machines)
        kind, words, stdin = _something(chance, machine, token)
        process = machine.start(*words, stdin=stdin)
        if chance.random() < 0.6:
            _kill_soon(process, chance, report, kind)
        else:
            _kill_a_worker(machine, chance, report)
        output, _ = process.communicate(timeout=120)
        report.runs[kind] += 1
        if process.returncode == 0 and kind in _WRITERS:
            report.acknowledged.add(token)
        elif process.returncode not in (0, -signal.SIGKILL, *_ENDS.get(kind, ())):
            report.faults.append(f"{kind} ended with {process.returncode}: {output[-300:]}")
        if "Traceback" in output:
            report.faults.append(f"{kind} showed a traceback: {output[-300:]}")
    _check(machines, root, report)
    return report


_OTHERS = ("pull", "push", "context", "status", "list", "read", "check", "doctor", "setup", "init")
_ENDS = {
    "read": (3,),
    "check": (1,),
    "doctor": (1,),
    "sync": (4, 5),
    "pull": (4, 5),
    "push": (4, 5),
    "init": (4, 5),
}
"""How commands may end besides with 0: nothing there yet, something found, a version aside, queued."""

_WRITERS = ("remember", "anchor", "new", "stage")


def _tokens(seed: int) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"fact-{seed}-{number}-{random.Random(number).getrandbits(32):08x}"


def _something(chance: random.Random, machine: Machine, token: str) -> tuple[str, tuple[str, ...], str]:
    """(kind, words of the command, stdin) of a random deed."""
    kind = chance.choices(
        ["remember", "anchor", "new", "stage", "sync", "hook", *_OTHERS],
        [8, 2, 2, 1, 3, 6, *([1] * len(_OTHERS))],
    )[0]
    match kind:
        case "remember":
            note = chance.choice(["topics/shared.md", "topics/own.md", "MEMORY.md"])
            return kind, ("remember", f"{token} is so", "--note", note, "--tag", token), ""
        case "stage":
            return kind, ("remember", f"{token} may be so", "--stage", "--tag", token), ""
        case "anchor":
            return kind, ("anchor", token), ""
        case "new":
            return kind, ("new", f"notes/{token}.md", "-d", token), ""
        case "hook":
            event = chance.choice(HOOKS)
            note = machine.clone / "shop" / "topics" / "shared.md"
            payload = {
                "session_id": f"s-{chance.randrange(5)}",
                "cwd": str(machine.project),
                "hook_event_name": event,
                "source": "startup",
                "prompt": "why is the shared fact so?",
                "tool_name": "Edit",
                "tool_input": {"file_path": str(note)},
            }
            return f"hook {event}", ("hook", "claude", event), json.dumps(payload)
        case "read":
            return kind, ("read", "topics/shared.md"), ""
        case "setup":
            return kind, ("setup", "claude", "--yes"), ""
        case _:
            return kind, (kind,), ""


def _kill_soon(process: subprocess.Popen[str], chance: random.Random, report: Report, kind: str) -> None:
    """SIGKILL to the whole group somewhere in the time it usually takes."""
    time.sleep(chance.random() * (0.15 if kind.startswith("hook") else 0.6))
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        report.kills[kind] += 1


def _kill_a_worker(machine: Machine, chance: random.Random, report: Report) -> None:
    time.sleep(chance.random() * 0.4)
    for pid in machine.workers()[:1]:
        try:
            os.kill(pid, signal.SIGKILL)
            report.kills["worker"] += 1
        except ProcessLookupError:
            pass


def _check(machines: Sequence[Machine], root: Path, report: Report) -> None:
    for _ in range(2):
        for machine in machines:
            while machine.workers():
                time.sleep(0.1)
            code = machine.run("sync")
            if code not in (0, 4):
                report.faults.append(f"{machine.home.name} is wedged: sync ends with {code}")
    trees = {m.home.name: m.git("rev-parse", "HEAD^{tree}").strip() for m in machines}
    trees["remote"] = subprocess.run(
        ["git", "rev-parse", "main^{tree}"], cwd=root / "memory.git", capture_output=True, text=True
    ).stdout.strip()
    if len(set(trees.values())) != 1:
        report.faults.append(f"more than one tree: {trees}")
    for machine in machines:
        held = machine.git("grep", "-hoE", "fact-[0-9]+-[0-9]+-[0-9a-f]{8}", "HEAD")
        missing = report.acknowledged - set(held.split())
        if missing:
            report.faults.append(f"{machine.home.name} lost {sorted(missing)}")
        if machine.git("grep", "-E", "^(<{7} |>{7} |={7}$)", "HEAD"):
            report.faults.append(f"{machine.home.name} holds conflict markers")
        if dirty := machine.git("status", "--porcelain"):
            report.faults.append(f"{machine.home.name} is not clean: {dirty[:300]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-torture-"))
    began = time.monotonic()
    report = torture(root, wanted.kills, wanted.seed)
    print(
        f"seed {wanted.seed}: {report.killed} kills in {time.monotonic() - began:.0f} s: {dict(report.kills)}"
    )
    print(f"{report.runs.total()} runs, {len(report.acknowledged)} writes acknowledged: {dict(report.runs)}")
    print("\n".join(report.faults) or "nothing lost, one tree, nobody wedged, no marker")
    if report.faults:
        print(f"left for you to look at: {root}")
    else:
        shutil.rmtree(root)
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
