"""Power cuts: the disk of a working machine as it is at a random moment, without what nobody had synced.

The machine's home is an ext4 in a file. What programs wrote and did not sync is in the memory of the kernel
and not in that file; a copy of the file is what a power cut leaves. Writers stand still while it is copied,
or the copy would be of several moments.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from machines import Machine, make_machine, make_remote
from needs import lacks, place_of

from torture.mounts import mounted, why_no_mount
from torture.process import Process, fork
from torture.writers import TOKEN, Work, keep_syncing, write

_WRITERS = 3

# Alone in this check: the copied disk at the place of the real one, and no remote to be helped out by.
_CHECK = """
set -e
mount -o loop "$1" "$2"
mount -t tmpfs tmpfs "$3"
cd "$4"
git fsck --no-dangling --no-progress >&2
{ "$5" -m ctxrepo sync >&2; echo "sync $?"; } || true
git status --porcelain | sed 's/^/status /'
git grep -hE -e '' HEAD | sed 's/^/commit /'
find . -name .git -prune -o -type f -print0 | xargs -0 sed 's/^/file /'
"""


@dataclass
class Cuts:
    """`checked` counts acknowledged entries that were looked for, `faults` what was wrong."""

    cuts: int = 0
    checked: int = 0
    faults: list[str] = field(default_factory=list)


@cache
def why_no_cut() -> str:
    """What keeps us from mounting an ext4 of our own, '' where nothing does."""
    return lacks("mkfs.ext4") or why_no_mount()


def cut_power(root: Path, cuts: int, seed: int) -> Cuts:
    """Let writers write and sync, and cut the power so many times; at most a dozen, or the disk is full."""
    result = Cuts()
    chance = random.Random(seed)
    image, disk = root / "disk.img", root / "disk"
    with image.open("wb") as file:
        file.truncate(512 * 2**20)
    make = [place_of("mkfs.ext4"), "-q", "-F", "-J", "size=8", str(image)]
    subprocess.run(make, check=True, capture_output=True)
    remote = make_remote(root)
    (root / "journals").mkdir()
    with mounted(disk, "-o", "loop", str(image)):
        machine = make_machine(disk, "m0")
        machine.process("init", str(remote))  # not a copy of such a home, which nothing puts onto the disk
        running = _start(root, machine, seed)
        try:
            for _ in range(cuts):
                time.sleep(0.2 + chance.random())
                acknowledged = _copy(root, running)
                result.cuts += 1
                result.checked += len(acknowledged)
                result.faults += _look(root, machine, remote, acknowledged)
        finally:
            for process in running:
                process.kill(whole_group=True)
            for process in running:
                os.waitpid(process.pid, 0)
    if (root / "tracebacks").exists():
        result.faults.append((root / "tracebacks").read_text()[-1000:])
    return result


def _start(root: Path, machine: Machine, seed: int) -> list[Process]:
    log = root / "tracebacks"
    running = []
    for number in range(_WRITERS):
        work = Work(machine, seed, number, 0, 90_000, 5, root / "journals" / f"{number}")
        running.append(fork("writer", "m0", partial(write, work), log))
    syncing = partial(keep_syncing, machine, seed, root / "stop")
    return [*running, fork("syncer", "m0", syncing, log)]


def _copy(root: Path, running: Sequence[Process]) -> set[str]:
    """Copy the disk; what had been acknowledged before that."""
    for process in running:
        os.killpg(process.pid, signal.SIGSTOP)
    acknowledged = {t for file in (root / "journals").iterdir() for t in TOKEN.findall(file.read_text())}
    subprocess.run(["cp", "--sparse=always", str(root / "disk.img"), str(root / "cut.img")], check=True)
    for process in running:
        os.killpg(process.pid, signal.SIGCONT)
    return acknowledged


def _look(root: Path, machine: Machine, remote: Path, acknowledged: set[str]) -> list[str]:
    """What is wrong with the machine that boots from the copy and syncs."""
    places = (root / "cut.img", root / "disk", remote, machine.clone, sys.executable)
    words = ["unshare", "--mount", "sh", "-c", _CHECK, "sh", *map(str, places)]
    run = subprocess.run(words, env=machine.env, capture_output=True, text=True, timeout=300)
    faults = []
    if run.returncode or not run.stdout.startswith(("sync 0", "sync 4", "sync 5")):
        faults.append(f"the disk could not be looked at: {run.stdout[:100]} {run.stderr[-500:]}")
    lines = run.stdout.splitlines()
    for where in ("commit", "file"):
        there = set(TOKEN.findall("\n".join(line for line in lines if line.startswith(where))))
        if missing := acknowledged - there:
            faults.append(
                f"lost {len(missing)} of {len(acknowledged)} from the {where}: {sorted(missing)[:5]}"
            )
    faults += [f"not clean: {line}" for line in lines if line.startswith("status ")]
    return faults
