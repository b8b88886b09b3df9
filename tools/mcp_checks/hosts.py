"""A machine with a memory, the server's command there, and what of its processes is at work."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from machines import Machine
from repositories import make_bare, make_checkout

COMMAND = [sys.executable, "-I", "-m", "ctxrepo", "mcp"]
"""What a host runs."""

MARK = "CTXREPO_CHECKED"
"""The variable by which processes that a check started are known."""


def make_machine(root: Path) -> Machine:
    """A home with a checkout and a memory, which has a remote beside it."""
    home = root / "home"
    home.mkdir(parents=True)
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    machine = Machine(home, {MARK: str(root)})
    make_checkout(machine.project_folder, "https://git.example.org/ada/shop.git")
    remote = root / "remote.git"
    make_bare(remote)
    run = machine.process("init", str(remote))
    assert run.returncode == 0, run.stderr
    return machine


def start(machine: Machine) -> subprocess.Popen[str]:
    """A server of this machine, whose standard input and output are ours."""
    return subprocess.Popen(
        COMMAND,
        cwd=machine.project_folder,
        env=machine.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def processes(mark: str) -> Iterator[int]:
    """The processes that have this value of MARK, and are no zombies."""
    wanted = f"{MARK}={mark}".encode()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            environment = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if wanted in environment and state != "Z":
            yield int(name)


def resident(process: int) -> int:
    """The memory of a process in bytes: its proportional share, where pages are shared."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
