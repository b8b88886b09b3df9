"""Fifty hooks at once: a handful of interpreters, few commits, at most two pushes, and nothing lost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from machines import Machine, count_pushes
from processes import processes_of, wait_for_workers
from servers.line import ssh_client
from servers.ssh import SshServer, needs_sshd
from sessions import Session, connected, eventually

import ctxrepo
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings, read_settings

MANY = 50


def counting_python(folder: Path) -> Path:
    """A Python like this one that writes a line to `folder`/starts whenever it is started."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    base = Path(sys.executable).resolve()
    (folder / "pyvenv.cfg").write_text(f"home = {base.parent}\n")
    lines = [str(Path(ctxrepo.__file__).parents[1]), *(p for p in sys.path if "site-packages" in p)]
    lines.append(f"import os; print(os.getpid(), file=open({str(folder / 'starts')!r}, 'a'))")
    (packages / "here.pth").write_text("\n".join(lines) + "\n")
    python = folder / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(base)
    (folder / "starts").touch()
    return python


@pytest.fixture
def swarm(ada: Machine, remote: Path, sshd: SshServer, tmp_path: Path) -> tuple[Machine, list[Session], Path]:
    """A machine with many sessions in each of which the agent wrote a note, and the counting Python's list of
    starts, from now on."""
    with (ada.home / ".gitconfig").open("a") as config:
        config.write(ssh_client(sshd.client))
    connected(ada, sshd.url(remote))
    ada.commits_late()
    wait_for_workers(ada)  # `init` woke one, which would commit what follows
    sessions = [Session(ada, f"s-{number}") for number in range(MANY)]
    for number, session in enumerate(sessions):
        session.edit(f"shop/topics/of-{number}.md", f"- fact {number} of the swarm\n")
    assert ada.process("config", "set", "hooks.turn_end", "commit").returncode == 0
    eventually(lambda: not processes_of(ada), 60)
    state = ada.places.state
    python = counting_python(tmp_path / "counting")
    repository = [CompiledRepository(ada.open().clone.repo_id(), ada.clone)]
    compile_settings(state, read_settings(state) | {"interpreter": str(python)}, repository)
    return ada, sessions, tmp_path / "counting" / "starts"


def all_at_once(sessions: Sequence[Session], event: str) -> None:
    running = [session.start(event) for session in sessions]
    for process, session in zip(running, sessions, strict=True):
        assert process.stdin
        process.stdin.write(session.said(event))
        process.stdin.close()
    for process in running:
        with process:
            assert process.wait(120) == 0


def lost(machine: Machine, commit: str) -> list[int]:
    held = machine.git("grep", "-h", "of the swarm", commit)
    return [number for number in range(MANY) if f"fact {number} of" not in held]


@needs_sshd
def test_sessions_that_end_at_once_push_at_most_twice(
    swarm: tuple[Machine, list[Session], Path], remote: Path
) -> None:
    machine, sessions, starts = swarm
    pushes = count_pushes(remote)
    all_at_once(sessions, "SessionEnd")
    eventually(lambda: not processes_of(machine), 120)
    assert 1 <= len(pushes.read_text().splitlines()) <= 2
    assert lost(machine, "origin/main") == []
    assert len(set(starts.read_text().split())) < MANY / 5


@needs_sshd
def test_turns_that_end_at_once_make_few_commits(swarm: tuple[Machine, list[Session], Path]) -> None:
    machine, sessions, starts = swarm
    before = int(machine.git("rev-list", "--count", "HEAD"))
    all_at_once(sessions, "Stop")
    eventually(lambda: not processes_of(machine), 120)
    assert lost(machine, "HEAD") == []
    assert int(machine.git("rev-list", "--count", "HEAD")) - before <= 3
    assert len(set(starts.read_text().split())) < MANY / 5
