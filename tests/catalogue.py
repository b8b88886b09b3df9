"""What each fault of the catalogue is proven with: acknowledged writes, one clear line, and healing."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

from machines import Machine

LIMIT = 30.0
"""Seconds within which a sync ends, whatever it meets."""

Done = subprocess.CompletedProcess[str]


def output_of(run: Done) -> str:
    """What a command said; never a traceback, nor what hides one."""
    words = run.stdout + run.stderr
    assert "Traceback" not in words
    assert "unexpected" not in words
    return words


def remember(machine: Machine, fact: str, *more: str) -> None:
    """Acknowledged: the command ended with 0."""
    run = machine.ctxrepo("remember", fact, *more)
    assert run.returncode == 0, output_of(run)


def sync(machine: Machine, code: int = 0) -> str:
    """A sync that ends in time and with `code`; where that is 1 with one line and a hint."""
    began = time.monotonic()
    run = machine.ctxrepo("sync")
    words = output_of(run)
    assert time.monotonic() - began < LIMIT, words
    assert run.returncode == code, words
    if code == 1:
        assert len(run.stderr.splitlines()) <= 2, words
    return words


def heal(machine: Machine) -> str:
    """What a person does who reads what `sync` says: sync; if it says so `doctor --fix`, and sync again."""
    run = machine.ctxrepo("sync")
    words = output_of(run)
    if run.returncode == 1:
        assert "doctor --fix" in words
        words += output_of(machine.ctxrepo("doctor", "--fix"))
        words += sync(machine)
    return words


def arrived(machine: Machine, other: Machine, remote: Path, *facts: str) -> None:
    """Every fact is in the remote's head and on the other machine, and `git status` reads clean."""
    other.sync()
    places = {"remote": remote, machine.home.name: machine.clone, other.home.name: other.clone}
    heads = {where: everything(clone) for where, clone in places.items()}
    for where, text in heads.items():
        for fact in facts:
            assert fact in text, f"{fact!r} is not in {where}"
    assert machine.git("status", "--porcelain") == ""


def everything(clone: Path, at: str = "main") -> str:
    """All lines of all files of the shared branch."""
    words = ["git", "grep", "-ah", "", at]
    return subprocess.run(words, cwd=clone, capture_output=True, text=True, errors="replace").stdout


def is_whole(machine: Machine) -> bool:
    """Whether git and doctor find nothing any more after `doctor --fix`: an old hole waits for it."""
    output_of(machine.ctxrepo("doctor", "--fix"))
    machine.git("fsck", "--no-dangling")
    return not [f for f in machine.json("doctor")["data"]["findings"] if "mends it" in f["remedy"]]


def object_of(machine: Machine, name: str) -> Path:
    """The file of a loose object."""
    oid = machine.git("rev-parse", name)
    assert re.fullmatch("[0-9a-f]{40}", oid)
    return machine.clone / ".git" / "objects" / oid[:2] / oid[2:]


def spoil(file: Path, data: bytes = b"") -> None:
    file.chmod(0o644)
    file.write_bytes(data)


def quiet_hooks(machine: Machine) -> None:
    """Hooks say nothing of it and end with 0."""
    for event in ("SessionStart", "UserPromptSubmit", "SessionEnd"):
        payload = json.dumps({"session_id": "s", "cwd": str(machine.project_folder), "prompt": "what is it?"})
        run = machine.ctxrepo("hook", "claude", event, stdin=payload)
        assert (run.returncode, run.stderr) == (0, "")
