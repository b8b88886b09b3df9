"""A remote whose history isn't what we left there: whatever became of it, both sides keep everything."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import Machine
from servers.expect import agree, failed
from servers.forged import forge
from servers.line import machine_at, ssh_client
from servers.ssh import SshServer, needs_sshd

pytestmark = needs_sshd


@pytest.fixture
def both(sshd: SshServer, remote: Path, tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines before `init`, which have agreed on nothing yet."""
    client = ssh_client(sshd.client)
    return machine_at(tmp_path, "ada", client), machine_at(tmp_path, "ben", client)


@pytest.fixture
def pair(both: tuple[Machine, Machine], sshd: SshServer, remote: Path) -> tuple[Machine, Machine]:
    for machine in both:
        machine.init(sshd.url(remote))
    return both


def git(remote: Path, *words: str) -> str:
    run = subprocess.run(["git", "-C", str(remote), *words], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def in_history(machine: Machine, commit: str) -> bool:
    return commit in machine.git("rev-list", "HEAD").split()


def test_a_rewritten_history_is_merged_with_ours(
    pair: tuple[Machine, Machine], remote: Path, tmp_path: Path
) -> None:
    ada, ben = pair
    ada.write("global/topics/old.md", "- from before\n")
    assert ada.ctxrepo("sync").returncode == 0
    ours = ada.git("rev-parse", "HEAD")
    tree = git(remote, "rev-parse", "main^{tree}")
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    new = git(remote, *who, "commit-tree", "-m", "rewritten", tree)
    git(remote, "update-ref", "refs/heads/main", new)
    ada.write("global/topics/new.md", "- from after\n")
    agree(ada, ben)
    for machine in pair:
        assert in_history(machine, ours)
        assert in_history(machine, new)
        assert machine.read("global/topics/old.md") == "- from before\n"
        assert machine.read("global/topics/new.md") == "- from after\n"


def test_a_remote_that_was_rolled_back_is_given_everything_again(
    pair: tuple[Machine, Machine], remote: Path
) -> None:
    ada, ben = pair
    before = git(remote, "rev-parse", "main")
    ada.write("global/topics/kept.md", "- kept\n")
    assert ada.ctxrepo("sync").returncode == 0
    git(remote, "update-ref", "refs/heads/main", before)
    agree(ada, ben)
    assert git(remote, "rev-parse", "main") == ada.git("rev-parse", "HEAD")
    assert ben.read("global/topics/kept.md") == "- kept\n"


def test_a_branch_that_was_deleted_there_is_made_again(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, ben = pair
    git(remote, "branch", "other", "main")
    git(remote, "update-ref", "-d", "refs/heads/main")
    ada.write("global/topics/kept.md", "- kept\n")
    agree(ada, ben)
    assert git(remote, "rev-parse", "main") == ben.git("rev-parse", "HEAD")


def test_two_first_pushes_at_once_are_both_kept(
    both: tuple[Machine, Machine], sshd: SshServer, remote: Path
) -> None:
    ada, ben = both
    for machine, text in ((ada, "from ada"), (ben, "from ben")):
        machine.init()
        machine.write("global/topics/first.md", f"- {text}\n")
    at_once(*(lambda machine=machine: machine.process("init", sshd.url(remote)) for machine in both))
    agree(ada, ben)
    assert "- from ada\n" in ben.read("global/topics/first.md")
    assert "- from ben\n" in ada.read("global/topics/first.md")


def at_once(*deeds: Callable[[], subprocess.CompletedProcess[str]]) -> None:
    threads = [threading.Thread(target=deed) for deed in deeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_a_push_whose_answer_was_lost_is_not_made_twice(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, ben = pair
    hook = remote / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ntest "$1" != committed || kill -9 $PPID\n')
    hook.chmod(0o755)
    with (ada.places.config_file).open("r+") as config:
        text = config.read().replace("retries = 2", "retries = 0")
        config.seek(0)
        config.write(text)
    ada.write("global/topics/once.md", "- said once\n")
    failed(ada.ctxrepo("sync"), "cut")
    hook.unlink()
    commit = ada.git("rev-parse", "HEAD")
    assert git(remote, "rev-parse", "main") == commit, "it had arrived"
    agree(ada, ben)
    assert ada.git("rev-parse", "HEAD") == commit
    assert ben.read("global/topics/once.md") == "- said once\n"


def test_a_forged_history_is_not_taken_and_work_goes_on(pair: tuple[Machine, Machine], remote: Path) -> None:
    ada, ben = pair
    good = git(remote, "rev-parse", "main")
    forge(remote)
    ada.write("global/topics/mine.md", "- mine\n")
    failed(ada.ctxrepo("sync"), "malformed", "hasDotgit")
    assert ada.git("show", "HEAD:global/topics/mine.md") == "- mine"
    git(remote, "update-ref", "refs/heads/main", good)
    agree(ada, ben)
