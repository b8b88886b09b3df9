"""Versions that the hooks of agents' tools report while no commit can be made: afterwards each is in the
history, or its session was told that it isn't safe."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from machines import Machine, make_machine, make_remote
from sessions import Session, connected

from ctxrepo.services.saving.commit import CommitRequest
from torture.mounts import mounted, why_no_mount
from torture.process import fork
from torture.promises import TOKEN

_SESSIONS, _NOTES = 4, 10
_TURN = 250
"""Versions after which a turn ends, so that a worker starts and meets what keeps it from committing."""

_LARGE = 8 * 1024 * 1024
_TOLD = "is in its file only"
_PAGE = 4096
"""Bytes that a small file takes of a disk in memory."""


@dataclass(frozen=True)
class Flow:
    """So many versions, of notes with so many bytes; something keeps commits from being made meanwhile. A
    small disk has room for half of them."""

    name: str
    versions: int
    size: int
    hindered: Callable[[Machine], AbstractContextManager[None]]
    has_small_disk: bool = False


class Outcome(NamedTuple):
    """What became of the versions: how many the history has, and of how many the session was told that they
    may be lost; `lost` are those without either. Seconds of the hooks, and of the sync after them."""

    kept: int
    told: int
    lost: list[str]
    hooks: float
    sync: float


@dataclass
class _Written:
    told: set[str] = field(default_factory=set)
    tokens: list[str] = field(default_factory=list)


def flows(versions: int, hold: float) -> list[Flow]:
    """All of them; the lock is held for `hold` seconds."""
    return [
        Flow("a rebase is open", versions, 1500, rebasing),
        Flow(f"the lock is held for {hold:g} s", versions, 1500, partial(locked, seconds=hold)),
        Flow("notes of 8 MiB", versions, _LARGE, lambda _: nullcontext()),
        Flow("a disk that fills up amid a rebase", versions, 1500, rebasing, has_small_disk=True),
    ]


def why_no(flow: Flow) -> str:
    """What keeps this machine from trying it; '' where nothing does."""
    return why_no_mount() if flow.has_small_disk else ""


def let_flow(root: Path, flow: Flow, seed: int) -> Outcome:
    """Let the hooks report, take away what was in the way, sync, and look for every version."""
    with ExitStack() as stack:
        disk = root / "disk"
        if flow.has_small_disk:
            stack.enter_context(mounted(disk, "-t", "tmpfs", "tmpfs"))
        machine = _machine(root, {"CTXREPO_STATE": str(disk)} if flow.has_small_disk else {})
        if flow.has_small_disk:
            _resize(disk, shutil.disk_usage(disk).used + flow.versions * _PAGE // 2)
        chance = random.Random(seed)
        began = time.monotonic()
        with flow.hindered(machine):
            written = _write(machine, flow, chance)
        hooks = time.monotonic() - began
        if flow.has_small_disk:
            _resize(disk, 1 << 30)
        began = time.monotonic()
        machine.sync(wanted=CommitRequest(deletions=True))
        took = time.monotonic() - began
        history = set(TOKEN.findall(machine.git("log", "--format=", "--text", "-p", "-m", "HEAD")))
    lost = [token for token in written.tokens if token not in history and token not in written.told]
    return Outcome(len(history.intersection(written.tokens)), len(written.told), lost, hooks, took)


def _resize(disk: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def _machine(root: Path, more: Mapping[str, str]) -> Machine:
    machine = connected(make_machine(root, "ada", **more), str(make_remote(root)))
    for note in _notes():
        machine.write(note, "- nothing is here yet\n")
    machine.sync()
    return machine


def _notes() -> list[str]:
    return [f"shop/topics/note-{number}.md" for number in range(_NOTES)]


def _write(machine: Machine, flow: Flow, chance: random.Random) -> _Written:
    """Each version replaces the one before it, so only the history can have them all."""
    sessions = [Session(machine, f"session-{number}") for number in range(_SESSIONS)]
    written = _Written()
    filler = "".join(f"- {chance.getrandbits(240):060x}\n" for _ in range(flow.size // 63))
    for number in range(flow.versions):
        session, note, token = chance.choice(sessions), chance.choice(_notes()), f"q{number}vq"
        written.tokens.append(token)
        file = machine.clone / note
        file.write_text(f"- the newest version is {token}\n{filler}")
        answer = session.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": str(file)})
        if _TOLD in answer:
            written.told.add(token)
        if number % _TURN == _TURN - 1:
            session.hook("Stop")
    return written


@contextmanager
def rebasing(machine: Machine) -> Iterator[None]:
    """A rebase stops half-way, and in the end the person gives it up."""
    machine.git("commit", "-q", "--allow-empty", "-m", "a commit by hand")
    words = ["git", "rebase", "-q", "--exec", "false", "HEAD~1"]
    subprocess.run(words, cwd=machine.clone, env=machine.env, capture_output=True, check=False)  # it stops
    yield
    machine.git("rebase", "--abort")


@contextmanager
def locked(machine: Machine, *, seconds: float) -> Iterator[None]:
    """Somebody holds the write lock for so long."""

    def hold() -> None:
        with machine.open().writing():
            time.sleep(seconds)

    holder = fork("holder", "ada", hold, machine.home / "tracebacks")
    yield
    os.waitpid(holder.pid, 0)
