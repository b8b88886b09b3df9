"""Where a session plays: a home with a memory set up as a person would, its remote, a project, the model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from machines import Machine, make_machine, make_remote

from live.alone import company
from live.install import Installed
from live.model import Model

FACTS = (
    ("redis listens on port 6380 on every developer's machine", "gotcha"),
    ("the database tests need make db first, else they hang", "gotcha"),
    ("invoices are rounded half to even, per line", "decision"),
    ("the staging cluster is called heron", "fact"),
    ("translations live in locale/ and are built by make words", "fact"),
    ("never bump protobuf above 4.25: the gateway can't read it", "constraint"),
    ("prices are kept in cents, as integers", "decision"),
    ("the nightly import reads the supplier's CSV as latin-1", "gotcha"),
    ("a feature flag is removed within two releases", "preference"),
    ("the search index is rebuilt by scripts/reindex.py", "fact"),
    ("webhooks are retried five times, with jitter", "decision"),
    ("the mobile app pins api version 7", "constraint"),
)


@dataclass(frozen=True)
class Stage:
    """One machine with everything on it, and the model that its agent talks to."""

    root: Path
    machine: Machine
    remote: Path
    model: Model
    installed: Installed
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    """The agent's processes, so that none is left when a scenario breaks off."""
    folder: Path | None = None
    """Where sessions are, if it isn't the project's folder."""
    rights: Sequence[str] | None = None
    """Words of the agent's command line that say what it may do; None: everything."""

    @property
    def project(self) -> Path:
        return self.folder or self.machine.project_folder

    @property
    def memory(self) -> Path:
        return self.machine.clone

    @property
    def state(self) -> Path:
        return self.machine.home / ".local" / "state" / "ctxrepo"

    def granted(self, everything: Sequence[str]) -> Sequence[str]:
        """Words of the agent's command line: `everything`, unless the stage says what it may do."""
        return everything if self.rights is None else self.rights

    def knows(self, notes: Path, project: str) -> None:
        """Put a folder of notes into the memory, those of its `project` as this project's."""
        shutil.copytree(notes / project, self.memory / self.project.name, dirs_exist_ok=True)
        shutil.copytree(notes / "global", self.memory / "global", dirs_exist_ok=True)
        self.ctxrepo("sync")
        self.wait_for_silence()

    def committed(self, words: str) -> bool:
        """Whether a commit of the memory's branch here holds these words."""
        return words in self._history(self.memory, "main")

    def sent(self, words: str) -> bool:
        """Whether the remote's branch holds them."""
        return words in self._history(self.remote, "main")

    def wait(self, is_so: Callable[[], bool], seconds: float) -> float | None:
        """Seconds until it was so, None when it wasn't within `seconds`."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if is_so():
                return time.monotonic() - began
            time.sleep(0.05)
        return None

    def wait_for_silence(self, seconds: float = 30) -> list[str]:
        """Who is still running after so long; usually nobody."""
        self.wait(lambda: not company(self.root), seconds)
        return company(self.root)

    def wait_for_workers(self) -> None:
        """Until what the session has left to do so far is done."""
        self.wait(lambda: not any(" _work " in words for words in company(self.root)), 30)

    def end_all(self) -> None:
        """Kill what of the agent is still there."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()

    def problems(self) -> list[str]:
        """What hooks and worker logged."""
        logs = [self.state / "hook-errors.log", *self.state.glob("*/work.log")]
        return [line for log in logs if log.exists() for line in log.read_text("utf-8").splitlines()]

    def ctxrepo(self, *words: str) -> None:
        """Run a command as a person would; it must end well."""
        run = self._run(*words)
        if run.returncode:
            raise RuntimeError(f"`ctxrepo {' '.join(words)}` ended with {run.returncode}: {run.stderr}")

    def output(self, *words: str) -> str:
        """What a command prints."""
        return self._run(*words).stdout

    def json(self, *words: str) -> dict[str, Any]:
        """What a command answers to a program, however it ended."""
        answer: dict[str, Any] = json.loads(self._run(*words, "--json").stdout)
        return answer

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ctxrepo", *words], cwd=self.project, env=self.machine.env, capture_output=True, text=True
        )

    def _history(self, repository: Path, branch: str) -> str:
        words = ["git", "-C", str(repository), "log", "-p", "--format=%s%n%b", branch]
        return subprocess.run(words, env=self.machine.env, capture_output=True, text=True).stdout


def build(root: Path, model: Model, installed: Installed) -> Stage:
    """A memory of a dozen facts on its remote; nothing is connected to an agent yet."""
    root.mkdir(parents=True, exist_ok=True)
    stage = place(root, make_remote(root), model, installed)
    for fact, category in FACTS:
        stage.machine.remember(fact, category=category)
    stage.ctxrepo("sync")
    stage.wait_for_silence()
    return stage


def place(root: Path, remote: Path, model: Model, installed: Installed) -> Stage:
    """A machine with a checkout of the project, and a clone of the memory at this remote."""
    stage = before_init(root, remote, model, installed)
    stage.ctxrepo("init", str(stage.remote))
    return stage


def before_init(root: Path, remote: Path, model: Model, installed: Installed) -> Stage:
    """A machine with a checkout of the project and ctxrepo installed; there is no memory on it yet."""
    machine = make_machine(
        root, "home", PATH=_path(root, installed), TERM="dumb", TMPDIR=str(_made(root / "tmp"))
    )
    stage = Stage(root, machine, remote, model, installed)
    (stage.project / "README.md").write_text("# Shop\n")
    machine_git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*machine_git, *words], cwd=stage.project, env=machine.env, check=True)
    return stage


def note_of(stage: Stage, words: str) -> Path:
    """The note that holds these words."""
    notes = [note for note in stage.memory.rglob("*.md") if words in note.read_text("utf-8")]
    assert len(notes) == 1, f"{words!r} is in {len(notes)} notes"
    return notes[0]


def _path(root: Path, installed: Installed) -> str:
    """PATH as in a person's shell, with `ctxrepo` on it."""
    command = _made(root / "bin") / "ctxrepo"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m ctxrepo "$@"\n')
    command.chmod(0o755)
    git = Path(shutil.which("git") or "/usr/bin/git").parent
    folders = [
        command.parent,
        *installed.path,
        installed.program.parent,
        git,
        *map(Path, ("/usr/local/bin", "/usr/bin", "/bin")),
    ]
    return os.pathsep.join(dict.fromkeys(map(str, folders)))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
