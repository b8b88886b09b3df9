"""Builders: machines that share a remote, each with a home, a clone and a checkout of one project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from after_init import NOW as NOW
from after_init import STATE, after_init, head_of
from in_process import run_in_process
from repositories import make_bare, make_checkout

from ctxrepo.domain.records.save import Origin
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_project
from ctxrepo.services.notes.remarks import RememberResult
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.sync.exchange import SyncResult
from ctxrepo.services.sync.sync import SyncRequest, sync
from ctxrepo.services.worker.remote_queue import RemoteQueue
from ctxrepo.services.worker.work import Worker
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.user.places import Places

PROJECT_URL = "https://git.example.org/ada/shop.git"


@dataclass(frozen=True)
class Machine:
    """One home of its own; `env` is what a person's shell there would hold."""

    is_in_pytest: ClassVar[bool] = False
    """Whether tests run, which have one process and no threads of ours: conftest.py says so."""

    home: Path
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        return base | {"GIT_CONFIG_NOSYSTEM": "1", **self.more}

    @property
    def project_folder(self) -> Path:
        return self.home / "shop"

    @property
    def clone(self) -> Path:
        return self.home / ".ctxrepo"

    @property
    def places(self) -> Places:
        return Places.of(self.env)

    def open(self) -> Memory:
        return Memory.open(self.places, self.env)

    def project(self) -> Project | None:
        return find_project(self.open(), self.project_folder, self.env)

    def init(self, remote: str = "") -> None:
        """Make the memory. A new home is given a copy of what `init` made in another one, where it has no
        remote, an empty one, or one that has what `init` sends: most tests begin so, and git takes its time.
        """
        is_new = not self.more and {path.name for path in self.home.iterdir()} == {".gitconfig", "shop"}
        identity = (self.home / ".gitconfig").read_text()
        head = head_of(Path(remote)) if remote else None
        home = after_init(identity, head) if is_new and (head is not None or not remote) else None
        if home is None:
            init(self.places, self.env, InitRequest(remote), sys.executable, NOW)
            return
        home.copy_to(self.home, Path(remote))
        name = random_name(6)
        (self.clone / ".git" / "ctxrepo" / "id").write_text(f"{name}\n")
        (self.places.state / STATE).rename(self.places.of_repository(name).root)
        self.places.host()
        publish_settings(self.open(), sys.executable)

    def commits_late(self) -> None:
        """From now on hooks of tools and of turns leave what was written to whoever comes later."""
        assert self.ctxrepo("config", "set", "hooks.turn_end", "").returncode == 0

    def remember(self, text: str, **fact: Any) -> RememberResult:
        memory = self.open()
        return remember(memory, Fact(text, **fact), self.project(), Origin(memory.host), NOW)

    def sync(self, **how: Any) -> SyncResult:
        return sync(self.open(), NOW, SyncRequest(**how))

    def worker(self, now: Callable[[], datetime] = lambda: NOW, log: Callable[[str], None] = print) -> Worker:
        """A worker that wakes nobody; `run` it."""
        memory = self.open()
        work_lock, remote_lock = (TryLock(memory.state.lock(name)) for name in ("work", "post"))
        queue = RemoteQueue(memory, now, log, remote_lock)
        return Worker(memory, self.env, now, log, lambda: None, work_lock, queue)

    def read(self, path: str) -> str:
        return (self.clone / path).read_text()

    def write(self, path: str, text: str) -> None:
        """Edit a file by hand, as an editor does."""
        file = self.clone / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *words: str) -> str:
        run = subprocess.run(
            ["git", *words], cwd=self.clone, env=self.env, capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    def tree(self) -> str:
        return self.git("rev-parse", "HEAD^{tree}")

    def ctxrepo(
        self, *words: str, stdin: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, in the process of the tests where that makes no difference.

        It does outside of pytest, for several in threads at once, for one that has a clock of its own, and
        for what isn't a command of the command line.
        """
        is_alone = self.is_in_pytest and threading.current_thread() is threading.main_thread()
        if not is_alone or "LD_PRELOAD" in self.env or words[0].startswith(("hook", "_")):
            return self.process(*words, stdin=stdin, cwd=cwd)
        return run_in_process(words, self.env, cwd or self.project_folder, stdin.encode())

    def process(
        self, *words: str, stdin: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "ctxrepo", *words],
            cwd=cwd or self.project_folder,
            env=self.env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def json(self, *words: str) -> dict[str, Any]:
        """The answer of a command with --json."""
        run = self.ctxrepo(*words, "--json")
        answer: dict[str, Any] = json.loads(run.stdout)
        return answer | {"exit": run.returncode}


def make_machine(root: Path, name: str, **more: str) -> Machine:
    """A home with a git identity and a checkout of the project; no memory yet."""
    machine = Machine(root / name, more)
    make_checkout(machine.project_folder, PROJECT_URL)
    identity = f"[user]\n\tname = {name}\n\temail = {name}@example.org\n"
    (machine.home / ".gitconfig").write_text(identity)
    return machine


def make_ada(root: Path) -> Machine:
    """A machine that has a memory, and no remote."""
    ada = make_machine(root, "ada")
    ada.init()
    return ada


def make_sending(root: Path) -> Machine:
    """A machine whose memory has a remote to which nobody else sends."""
    ada, remote = make_machine(root, "ada"), make_remote(root)
    ada.init(str(remote))
    return ada


def make_pair(root: Path) -> tuple[Machine, Machine]:
    """Two machines whose memories share a remote."""
    ada, ben, remote = make_machine(root, "ada"), make_machine(root, "ben"), make_remote(root)
    for machine in (ada, ben):
        machine.init(str(remote))
    return ada, ben


def make_remote(root: Path) -> Path:
    """An empty bare repository."""
    return make_bare(root / "memory.git")


def count_pushes(remote: Path) -> Path:
    """A file that gets a line for every push that the remote takes."""
    log = remote.parent / "pushes"
    hook = remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ncat >> '{log}'\n")
    hook.chmod(0o755)
    log.touch()
    return log
