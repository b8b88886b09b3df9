"""Those who write: loops in process, a person at the command line, and the syncs between them."""

from __future__ import annotations

import os
import random
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from machines import Machine

from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Busy
from ctxrepo.faces.worker import main as work
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.sync.sync import sync
from ctxrepo.storage.objects.packing import Loose

TOKEN = re.compile(r"t\d{3}m\dw\d{2}l\d{3}n\d{5}")
TOKEN_BYTES = 20

_WORDS = (
    "redis",
    "port",
    "cache",
    "build",
    "fails",
    "after",
    "the",
    "deploy",
    "unless",
    "warm",
    "logs",
    "of",
)
_SHARED = 250
"""Entries a shared note gets, on average, before there is another one."""


@dataclass(frozen=True)
class Work:
    """The share of one writer: `entries` in all, acknowledged in `journal`; `life` counts its restarts."""

    machine: Machine
    seed: int
    writer: int
    life: int
    entries: int
    notes: int
    journal: Path

    def tokens_left(self) -> int:
        done = self.journal.stat().st_size // TOKEN_BYTES if self.journal.exists() else 0
        return self.entries - done

    def token(self, number: int) -> str:
        name = self.machine.home.name
        return f"t{self.seed:03}{name}w{self.writer:02}l{self.life:03}n{number:05}"

    def acknowledge(self, token: str) -> None:
        handle = os.open(self.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{token}\n".encode())
        os.close(handle)

    def chance(self) -> random.Random:
        return random.Random(f"{self.token(0)}")


def shared_notes(entries: int) -> int:
    return max(3, entries // _SHARED)


def write(work: Work) -> None:
    """Write what is left of the share: 60 % to shared notes, 25 % to the writer's own, 15 % anchors."""
    chance = work.chance()
    memory = work.machine.open()
    project = work.machine.project()
    origin = Origin(memory.host)
    for number in range(work.tokens_left()):
        token = work.token(number)
        kind = chance.choices(("shared", "own", "anchor"), (60, 25, 15))[0]
        words = " ".join(chance.sample(_WORDS, chance.randrange(2, 9)))
        now = datetime.now(UTC)
        while True:
            try:
                if kind == "anchor":
                    anchor(memory, AnchorRequest(token, words), project, origin, now)
                else:
                    note = (
                        f"topics/shared-{chance.randrange(work.notes)}.md"
                        if kind == "shared"
                        else f"topics/own-{work.machine.home.name}-{work.writer}.md"
                    )
                    remember(memory, Fact(f"{token} {words}", Target("", note)), project, origin, now)
                break
            except Busy:
                continue
        work.acknowledge(token)


def type_commands(work: Work) -> None:
    """The same at the command line: every run a process that also wakes a worker."""
    chance = work.chance()
    for number in range(work.tokens_left()):
        token = work.token(number)
        words = " ".join(chance.sample(_WORDS, 3))
        if chance.random() < 0.2:
            run = work.machine.ctxrepo("anchor", token)
        else:
            note = f"topics/shared-{chance.randrange(work.notes)}.md"
            run = work.machine.ctxrepo("remember", f"{token} {words}", "--note", note)
        if "Traceback" in run.stderr:
            raise AssertionError(run.stderr)
        if run.returncode == 0:
            work.acknowledge(token)


def keep_syncing(machine: Machine, seed: int, stop: Path) -> None:
    """Sync, be the worker and pack objects, by turns, until the file `stop` is there."""
    chance = random.Random(f"{seed} {machine.home.name} {os.getpid()}")
    env = machine.env
    os.environ.clear()  # as a worker that a command of this machine started
    os.environ.update(env)
    while not stop.exists():
        with suppress(Busy):
            if (turn := chance.random()) < 0.1:
                memory = machine.open()
                Loose(memory.clone.git_dir, memory.git).pack()
            elif turn < 0.6:
                sync(machine.open(), datetime.now(UTC))
            else:
                work(["--state", str(machine.places.state)])
        time.sleep(chance.random() * 0.3)
