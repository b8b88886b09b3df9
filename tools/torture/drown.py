"""Two machines meet a remote that sends too much of something: each command in turn, with what it costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine, make_machine, make_remote
from processes import workers

from torture.forge import Forge
from torture.hostile import Case

SECONDS = 15.0
"""Of a processor, for one command or one worker: others may be using the machine, too."""

MEGABYTES = 500

_PATIENCE = 300.0
"""Seconds after which a command counts as one that doesn't end."""

_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd")

_COMMANDS = (
    "sync", "sync", "status", "context", "doctor", "check", "search good", "list", "list --tree",
    "recall good", "history", "history global:good.md", "log", "project list", "conflicts list", "tags",
    "links", "stats usage", "trace", "cache verify", "export global {export}",
    "move global:good.md global:better.md", "undo", "forget global:good.md", "undo", "pull",
    "push",
)  # fmt: skip

_FEW = ("sync", "sync", "status", "context", "doctor", "search good", "history", "pull")

_FIRST = ("sync", "status", "context", "doctor")
"""On a machine that is new to it."""

_ENDS = (0, 1, 3, 4, 5, 6)
"""How a command may end: done, or with a sentence."""


@dataclass
class Drowned:
    """`faults` are what went wrong; `slowest` and `largest` are (seconds of a processor, command) and
    (megabytes, command); `answer` is what the first sync said."""

    case: Case
    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    largest: tuple[int, str] = (0, "")
    answer: str = ""

    def spent(self, what: str, seconds: float, megabytes: int) -> None:
        self.slowest = max(self.slowest, (seconds, what))
        self.largest = max(self.largest, (megabytes, what))
        if seconds > SECONDS:
            self.faults.append(f"{what} took {seconds:.1f} s")
        if megabytes > MEGABYTES:
            self.faults.append(f"{what} took {megabytes} MB")


def drown(root: Path, case: Case, *, briefly: bool = False) -> Drowned:
    """`briefly`: with a few commands alone."""
    met = Drowned(case)
    remote = make_remote(root)
    known, new = make_machine(root, "known"), make_machine(root, "new")
    known.init(str(remote))
    known.write("global/good.md", "- the good note is here\n")
    known.sync()
    good = Forge(remote).tip
    _attack(case, remote)
    _run(known, met, "remember", "known wrote before")
    _live(known, met, _FEW if briefly else _COMMANDS)
    _run(new, met, "init", str(remote))
    _run(new, met, "remember", "new wrote before")
    _live(new, met, _FIRST)
    is_in = new.clone.exists()  # a remote that is forged, or takes too much, is not cloned at all
    for machine in (known, new) if is_in else (known,):
        facts = _written(machine)
        if f"{machine.home.name} wrote before" not in facts:
            met.faults.append(f"{machine.home.name} could not commit what it wrote")
    if case.is_refused or not case.is_sound:
        Forge(remote).point(good)
        for name in ("info/grafts", "shallow"):
            (remote / name).unlink(missing_ok=True)
    if not is_in:
        _run(new, met, "init", str(remote))
        _run(new, met, "remember", "new wrote before")
    for machine in (known, new, known):
        run = _run(machine, met, "sync")
        if run.returncode not in (0, 4):
            met.faults.append(f"{machine.home.name} does not sync afterwards: {run.stderr.strip()[-300:]}")
    for machine in (known, new):
        facts = _written(machine)
        if not ("known wrote before" in facts and "new wrote before" in facts):
            met.faults.append(f"{machine.home.name} lacks what was written")
    return met


def _written(machine: Machine) -> str:
    """What is committed of what was written here; all of a flood would count as memory of each child."""
    words = ["git", "-C", str(machine.clone), "grep", "-h", "wrote before", "HEAD", "--", "*.md"]
    return subprocess.run(words, capture_output=True, text=True, errors="replace").stdout


def _attack(case: Case, remote: Path) -> None:
    """In a process of its own: what this one once held would count as what a command takes."""
    child = os.fork()
    if child == 0:
        case.attack(Forge(remote), remote.parent / "executed")
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise RuntimeError(f"{case.name} could not be made")


def _live(machine: Machine, met: Drowned, commands: Sequence[str]) -> None:
    for event in _EVENTS[:2]:
        _hook(machine, met, event)
    for words in commands:
        run = _run(machine, met, *words.format(export=machine.home / "exported").split())
        if words == "sync" and not met.answer:
            met.answer = (run.stderr.strip() or run.stdout.strip()).replace("\n", " ")[:160]
    for event in _EVENTS[2:]:
        _hook(machine, met, event)


def _hook(machine: Machine, met: Drowned, event: str) -> None:
    file = machine.clone / "global" / "good.md"
    payload = {
        "session_id": "s", "cwd": str(machine.project_folder), "source": "startup", "hook_event_name": event,
        "prompt": "where is the good note?", "tool_name": "Edit", "tool_input": {"file_path": str(file)},
    }  # fmt: skip
    run = _run(machine, met, "hook", "claude", event, stdin=json.dumps(payload))
    if (run.returncode, run.stderr) != (0, ""):
        met.faults.append(f"the hook {event} ends with {run.returncode}: {run.stderr[-200:]}")


def _run(machine: Machine, met: Drowned, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    what = f"{machine.home.name}: {' '.join(words[:2])}"
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "ctxrepo", *words],
            cwd=machine.project_folder,
            env=machine.env,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
        )
        assert process.stdin
        process.stdin.write(stdin.encode())
        process.stdin.close()
        code = _wait(process, what, met)
        out.seek(0)
        err.seek(0)
        run = subprocess.CompletedProcess(
            words, code, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace")
        )
    if code not in _ENDS:
        met.faults.append(f"{what} ends with {code}: {run.stderr.strip()[-300:]}")
    if "Traceback" in run.stderr or "unexpected:" in run.stderr:
        met.faults.append(f"{what} shows its insides: {run.stderr[-500:]}")
    for pid, seconds, megabytes in _workers(machine):
        if not pid:
            met.faults.append(f"the worker after {what} does not end")
        met.spent(f"{machine.home.name}: the worker after {words[0]}", seconds, megabytes)
    return run


def _wait(process: subprocess.Popen[bytes], what: str, met: Drowned) -> int:
    end = time.monotonic() + _PATIENCE
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            met.spent(what, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)
            return process.returncode
        if time.monotonic() > end:
            process.kill()
            met.faults.append(f"{what} does not end")
            end = float("inf")
        time.sleep(0.005)


def _workers(machine: Machine) -> Iterator[tuple[int, float, int]]:
    """(process, seconds, megabytes) of each worker of the machine, once it has ended; 0 for one that
    doesn't."""
    seen: dict[int, tuple[float, int]] = {}
    end = time.monotonic() + _PATIENCE
    while pids := workers(machine):
        for pid in pids:
            with suppress(OSError, ValueError, IndexError):
                before, (seconds, megabytes) = seen.get(pid, (0.0, 0)), _used(pid)
                seen[pid] = seconds, max(before[1], megabytes)
        if time.monotonic() > end:
            yield 0, 0.0, 0
            return
        time.sleep(0.02)
    yield from ((pid, *used) for pid, used in seen.items())


def _used(pid: int) -> tuple[float, int]:
    """What a process and those it started have used: the seconds of those that have ended, the megabytes of
    the largest."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    status = Path("/proc", str(pid), "status").read_text()
    largest = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    for children in Path("/proc", str(pid), "task").glob("*/children"):
        for child in children.read_text().split():
            with suppress(OSError, ValueError, IndexError):
                largest = max(largest, _used(int(child))[1])
    return seconds, largest
