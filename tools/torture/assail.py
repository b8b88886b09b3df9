"""A machine meets a hostile remote, twice: as one that was connected before, and as one that is new."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from machines import Machine, make_machine, make_remote

from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import Target
from torture.forge import Forge
from torture.hostile import Case

LIMIT = 10.0
"""Seconds of a processor any command may take, whatever the remote holds: others may be using it too."""

_GIT_CONFIG = """[filter "evil"]
\tclean = touch {0}
\tsmudge = touch {0}
[diff "evil"]
\ttextconv = touch {0}
[merge "evil"]
\tdriver = touch {0}
"""
"""Programs that a user's own configuration knows and that no name in a remote's files may start."""


@dataclass
class Assault:
    """`faults`: what went wrong; `untold`: paths of the commit that are neither on disk nor listed; `slowest`
    is the command that took longest, and its seconds."""

    case: Case
    faults: list[str] = field(default_factory=list)
    untold: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")


def assail(root: Path, case: Case) -> Assault:
    assault = Assault(case)
    remote, canary = make_remote(root), root / "executed"
    (root / "victim").mkdir()
    (root / "victim" / "note.md").write_text("- of somebody else\n")
    known, new = _machine(root, "known", canary), _machine(root, "new", canary)
    known.init(str(remote))
    known.remember("the good note is here", note=Target("", "topics/good.md"))
    known.sync()
    case.attack(Forge(remote), canary)
    _live(known, assault, case)
    _run(new, assault, "init", str(remote), ends=(0, 1, 4, 5))
    machines = [m for m in (known, new) if (m.clone / ".git").is_dir()]
    if new in machines:
        _live(new, assault, case)
    for machine in machines:
        assault.faults += _planted(machine, root)
        assault.untold += _untold(machine)
    if case.stays:
        output = "".join(machine.ctxrepo("status").stdout for machine in (known, new))
        assault.faults += (
            [] if case.stays in output else [f"nobody is told that what is written stays: {output}"]
        )
    elif case.is_sound:
        assault.faults += _unmet(known, new, remote)
    if canary.exists():
        assault.faults.append("something was executed")
    if sorted(p.name for p in (root / "victim").iterdir()) != ["note.md"]:
        assault.faults.append("something was written beside the victim")
    if (root / "victim" / "note.md").read_text() != "- of somebody else\n":
        assault.faults.append("the victim was changed")
    return assault


def _machine(root: Path, name: str, canary: Path) -> Machine:
    machine = make_machine(root, name)
    with (machine.home / ".gitconfig").open("a") as file:
        file.write(_GIT_CONFIG.format(canary))
    return machine


def _live(machine: Machine, assault: Assault, case: Case) -> None:
    """A sync, a session, a write, a sync; and what was written is in a commit."""
    _run(machine, assault, "sync", ends=(0, 4, 5))
    payload = {"session_id": "s", "cwd": str(machine.project_folder), "source": "startup"}
    stdin = json.dumps({**payload, "hook_event_name": "SessionStart"})
    _run(machine, assault, "hook", "claude", "SessionStart", stdin=stdin)
    fact = f"{machine.home.name} works on"
    # Where the remote put something odd the guard may refuse; beside it writing must go on.
    refused = _run(machine, assault, "remember", fact, "-c", "gotcha", ends=(0, 6)).returncode
    if refused:
        refused = _run(machine, assault, "remember", fact, "--scope", "global", ends=(0, 6)).returncode
    _run(machine, assault, "sync", ends=(0, 4, 5))
    if not (refused or case.stays) and fact not in machine.git("grep", "-hE", f"{fact}|$", "HEAD"):
        assault.faults.append(f"{machine.home.name} could not commit what it wrote")


def _run(
    machine: Machine, assault: Assault, *words: str, stdin: str = "", ends: tuple[int, ...] = (0,)
) -> subprocess.CompletedProcess[str]:
    what, began = f"{machine.home.name}: {words[0]}", _spent()
    try:
        run = machine.ctxrepo(*words, stdin=stdin)
    except subprocess.TimeoutExpired:
        assault.faults.append(f"{what} does not end")
        return subprocess.CompletedProcess(words, 1, "", "")
    took = _spent() - began
    assault.slowest = max(assault.slowest, (took, what))
    if took > LIMIT:
        assault.faults.append(f"{what} took {took:.1f} s")
    if run.returncode not in ends:
        assault.faults.append(f"{what} ends with {run.returncode}: {run.stderr.strip()[-300:]}")
    if "Traceback" in run.stderr or "unexpected:" in run.stderr:
        assault.faults.append(f"{what} shows its insides: {run.stderr[-500:]}")
    return run


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _planted(machine: Machine, root: Path) -> Iterator[str]:
    """Links and programs that reached the disk, and files outside of what is ours."""
    for folder, names, files in os.walk(machine.clone):
        if ".git" in names and folder == str(machine.clone):
            names.remove(".git")
        for name in (*names, *files):
            mode = os.lstat(os.path.join(folder, name)).st_mode
            if stat.S_ISLNK(mode) or (stat.S_ISREG(mode) and mode & 0o111):
                yield f"{machine.home.name} has {'a link' if stat.S_ISLNK(mode) else 'a program'}: {name!r}"
    ours = {".ctxrepo", ".config", ".local", ".gitconfig", "shop"}
    if strange := {p.name for p in machine.home.iterdir()} - ours:
        yield f"{machine.home.name} has in its home {sorted(strange)}"
    expected = {"known", "new", "victim", "memory.git", "executed", "home"}
    if strange := {p.name for p in root.iterdir()} - expected:
        yield f"there is beside the homes {sorted(strange)}"


def _untold(machine: Machine) -> Iterator[str]:
    """Paths in the commit that are not on disk and that neither `check` nor `doctor` names."""
    words = ["git", "ls-tree", "-r", "-z", "--name-only", "HEAD"]
    listed = subprocess.run(words, cwd=machine.clone, capture_output=True, check=True).stdout
    missing = [
        p for p in listed.split(b"\0")[:-1] if not os.path.lexists(os.fsencode(machine.clone) + b"/" + p)
    ]
    if missing:
        output = machine.ctxrepo("check").stdout + machine.ctxrepo("doctor").stdout
        for path in missing:
            if (name := shown(path.decode("utf-8", "replace"))) not in output:
                yield f"{machine.home.name}: {name}"


def _unmet(known: Machine, new: Machine, remote: Path) -> Iterator[str]:
    """What of the good there must be on both machines and on the remote."""
    for machine in (known, new):
        words = ["git", "-C", str(remote), "grep", "-h", f"{machine.home.name} works on", "refs/heads/main"]
        if not subprocess.run(words, capture_output=True).stdout:
            yield f"{machine.home.name} could not send what it wrote"
