"""Disks that fail at the n-th call: `remember` and `sync` are run once for every n, and then healed.

A small library (failing.c) is preloaded into a process that runs the commands in forked children, so that a
run takes a tenth of a second; git and whatever else they start fails by the same count.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from checkout import PYTHONPATH
from machines import Machine, make_machine, make_remote
from needs import lacks, unless
from processes import workers

SOURCE = Path(__file__).with_suffix(".c")

needs_compiler = unless(lacks("cc"))

_PLAN = struct.Struct("iiii4000s")
_NEVER = 2**31 - 1
_ENDS = {"remember": (0, 1, 2), "sync": (0, 1, 2, 4, 5)}
"""2: settings that can't be read are an error of settings."""


@dataclass
class Failing:
    """`calls` is how many calls the command makes that can fail; `faults` what went wrong when one did."""

    command: str
    calls: int = 0
    tried: int = 0
    faults: list[str] = field(default_factory=list)


def fail_each(root: Path, command: str, step: int = 1, first: int = 1, sticky: bool = False) -> Failing:
    """Run `command` with its call number `first`, `first + step`, … failing, as many as it makes at first:
    each sync leaves a pack, and the next one opens it too.

    EIO for that one call; with `sticky` the disk is full from that call on.
    """
    library = compiled(root)
    words = [
        sys.executable,
        "-m",
        "torture.failing",
        str(root),
        command,
        *map(str, (step, first, int(sticky))),
    ]
    (root / "plan").write_bytes(_PLAN.pack(0, 0, 0, 0, b"/nothing"))
    env = {**os.environ, "LD_PRELOAD": str(library), "FAILING_PLAN": str(root / "plan")}
    env["PYTHONPATH"] = PYTHONPATH
    run = subprocess.run(words, env=env, capture_output=True, text=True)
    assert run.returncode == 0, (run.returncode, run.stdout[-300:], run.stderr)
    return Failing(**json.loads(run.stdout.splitlines()[-1]))


def compiled(root: Path) -> Path:
    """The library, made by the C compiler of the machine."""
    library = root / "failing.so"
    words = ["cc", "-shared", "-fPIC", "-O1", "-w", "-o", str(library), str(SOURCE), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    return library


@dataclass(frozen=True)
class Plan:
    """The page that tells the preloaded library what shall fail."""

    page: mmap.mmap
    below: Path

    def fail(self, number: int, error: int, sticky: bool) -> None:
        """Let call `number` from now on fail; none with 0."""
        self.page[: _PLAN.size] = _PLAN.pack(number, 0, error, int(sticky), str(self.below).encode() + b"/")

    @property
    def calls(self) -> int:
        return int(_PLAN.unpack(self.page[: _PLAN.size])[1])


@contextmanager
def _plan(root: Path, below: Path) -> Iterator[Plan]:
    with (root / "plan").open("r+b") as file, mmap.mmap(file.fileno(), _PLAN.size) as page:
        yield Plan(page, below)


_RUNS = 50
"""With one pair of machines: what each run adds makes those after it slower."""


def _main(root: Path, command: str, step: int, first: int, sticky: bool) -> Failing:
    report = Failing(command)
    number, most = first, first
    while number <= most:
        world = root / f"from-{number}"
        world.mkdir()
        numbers, most = _run(world, report, number, step, sticky)
        if len(numbers) < _RUNS:
            break
        number = numbers[-1] + step
        shutil.rmtree(world)
    return report


def _run(world: Path, report: Failing, first: int, step: int, sticky: bool) -> tuple[list[int], int]:
    """Run the command with up to _RUNS calls failing, from `first` on; returns which were tried, and how many
    calls it makes that can fail."""
    command, remote = report.command, make_remote(world)
    ada, ben = make_machine(world, "ada"), make_machine(world, "ben")
    for machine in (ada, ben):
        machine.init(str(remote))
    acknowledged: list[str] = []
    tried: list[int] = []
    with _plan(world.parent, ada.home) as plan:
        most = _calls_of(command, plan, ada, ben, acknowledged)
        for number in range(first, min(most + 1, first + step * _RUNS), step):
            _prepare(command, ada, ben, number, acknowledged)
            plan.fail(number, errno.ENOSPC if sticky else errno.EIO, sticky)
            code, output = _command(ada, _words(command, number))
            calls = plan.calls
            plan.fail(0, 0, False)
            if calls < number:
                break
            tried.append(number)
            report.tried += 1
            report.calls = max(report.calls, calls)
            if code not in _ENDS[command]:
                report.faults.append(
                    f"{command} with call {number} failing ends with {code}: {output[-300:]}"
                )
            if "Traceback" in output or "unexpected:" in output:
                report.faults.append(
                    f"{command} with call {number} failing shows its insides: {output[-600:]}"
                )
            if command == "remember" and code == 0:
                acknowledged.append(_token(command, number))
            code, output = _command(ada, ("sync",))
            if code not in (0, 4):
                report.faults.append(
                    f"after {command} with call {number} failing: sync {code}: {output[-300:]}"
                )
    report.faults += _missing(ada, ben, acknowledged)
    return tried, most


def _calls_of(command: str, plan: Plan, ada: Machine, ben: Machine, acknowledged: list[str]) -> int:
    """How many calls that can fail the command makes when none does."""
    _prepare(command, ada, ben, 0, acknowledged)
    plan.fail(_NEVER, errno.EIO, sticky=False)
    _command(ada, _words(command, 0))
    calls = plan.calls
    plan.fail(0, 0, sticky=False)
    return calls


def _words(command: str, number: int) -> tuple[str, ...]:
    if command == "sync":
        return ("sync",)
    return ("remember", _token(command, number), "--note", "topics/a.md")


def _token(command: str, number: int) -> str:
    return f"token-{number:05}-{command}"


def _prepare(command: str, ada: Machine, ben: Machine, number: int, acknowledged: list[str]) -> None:
    """Before a sync both have written, so that it has to fetch, merge, push and follow."""
    if command == "sync":
        for machine in (ada, ben):
            text = f"{machine.home.name}-{number:05} is new"
            machine.remember(text, category="gotcha")
            acknowledged.append(text)
        ben.sync()


def _command(machine: Machine, words: Sequence[str]) -> tuple[int, str]:
    """(exit code, all it said) of a command, run in a forked child."""
    with tempfile.TemporaryFile("w+") as out:
        pid = os.fork()
        if pid == 0:
            _become(machine, words, out.fileno())
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        out.seek(0)
        return code, out.read()


def _become(machine: Machine, words: Sequence[str], out: int) -> None:
    code = 99
    try:
        from ctxrepo.faces.cli.app import main

        for stream in (1, 2):
            os.dup2(out, stream)
        preload = {name: os.environ[name] for name in ("LD_PRELOAD", "FAILING_PLAN")}
        env = {**machine.env, **preload}
        os.environ.clear()
        os.environ.update(env)
        os.chdir(machine.project_folder)
        code = main(words)
    except BaseException as error:
        os.write(2, f"Traceback: {error!r}".encode())
    finally:
        sys.stdout.flush()
        os._exit(code)


def _missing(ada: Machine, ben: Machine, acknowledged: Sequence[str]) -> Iterator[str]:
    ben.sync()
    while workers(ada):  # a commit that is being made would look like damage
        time.sleep(0.05)
    for machine in (ada, ben):
        texts = [f.read_text() for f in machine.clone.rglob("*.md")]
        held = machine.git("grep", "-hE", "-e", "", "HEAD")
        for token in acknowledged:
            if token not in held or not any(token in text for text in texts):
                yield f"{machine.home.name} lost {token}"
    run = subprocess.run(["git", "fsck", "--no-dangling"], cwd=ada.clone, capture_output=True, text=True)
    if run.returncode:
        yield f"the repository is damaged: {run.stderr[:300]}"


if __name__ == "__main__":
    result = _main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "1")
    print(json.dumps(result.__dict__))
