"""Attacks that once succeeded, as they were made: the memory was sent elsewhere, or a program ran.

Whoever may write into the clone's git folder may be an agent that was talked into it, an unpacked archive
or a careless script. What is written is acknowledged and goes to the right remote, and to no other.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from attacks.canaries import FOREIGN, Canaries
from catalogue import quiet_hooks, remember
from long import rotating
from machines import Machine


def is_safe(mine: Machine, ben: Machine, remote: Path, watched: Canaries) -> None:
    """A day's work in the poisoned clone touches no canary, and arrives."""
    remember(mine, "past the attack")
    quiet_hooks(mine)
    synced = mine.process("sync")
    mine.process("doctor")
    assert watched.touched() == []
    assert not (mine.clone / "global" / "foreign.md").exists()
    assert synced.returncode == 0, synced.stderr
    ben.sync()
    words = ["git", "-C", str(remote), "grep", "-hF", "-e", "past the attack", "-e", FOREIGN, "main"]
    there = subprocess.run(words, capture_output=True, text=True).stdout
    assert "past the attack" in there
    assert FOREIGN not in there
    assert "past the attack" in ben.read("shop/MEMORY.md")


@pytest.mark.parametrize("key", rotating(["url", "pushurl"], keep=1))
def test_a_remote_whose_name_is_the_address(
    mine: Machine, ben: Machine, remote: Path, address: str, watched: Canaries, key: str
) -> None:
    """D1: git looks an address up among the names of remotes."""
    mine.git("config", f"remote.{address}.{key}", str(watched.empty("sent")))
    is_safe(mine, ben, remote, watched)


def test_a_remote_whose_name_is_the_address_and_from_which_notes_come(
    mine: Machine, ben: Machine, remote: Path, address: str, watched: Canaries
) -> None:
    """D1, the other way round."""
    mine.git("config", f"remote.{address}.url", str(watched.foreign))
    is_safe(mine, ben, remote, watched)


def common(mine: Machine, aside: Path) -> Path:
    """A git folder elsewhere that the clone's is made a part of."""
    shutil.copytree(mine.clone / ".git", aside)
    (mine.clone / ".git" / "commondir").write_text(f"{aside}\n")
    return aside


def test_a_common_folder_with_another_address(
    mine: Machine, ben: Machine, remote: Path, address: str, watched: Canaries, tmp_path: Path
) -> None:
    """D2: not the configuration that was looked at is the one that git reads."""
    config = common(mine, tmp_path / "common") / "config"
    with config.open("a") as file:
        file.write(f'[url "{watched.empty("sent")}"]\n\tinsteadOf = {address}\n')
    is_safe(mine, ben, remote, watched)


def test_a_common_folder_with_a_program(
    mine: Machine, ben: Machine, remote: Path, address: str, watched: Canaries, tmp_path: Path
) -> None:
    """D2: for a path on this machine git runs upload-pack and receive-pack, by the names that it is told."""
    program = watched.program("pack")
    config = common(mine, tmp_path / "common") / "config"
    with config.open("a") as file:
        file.write(f'[remote "{address}"]\n\tuploadpack = {program}\n\treceivepack = {program}\n')
        file.write(f"[core]\n\tfsmonitor = {program}\n\talternateRefsCommand = {program}\n")
    is_safe(mine, ben, remote, watched)


def test_a_repository_inside_that_is_pushed_along(
    mine: Machine, ben: Machine, remote: Path, watched: Canaries
) -> None:
    """D3: `push.recurseSubmodules` pushes what a link in history leads to, as that one says."""
    nested = mine.clone / "nested"
    subprocess.run(["git", "init", "-q", "-b", "main", str(nested)], check=True)
    for words in (
        ("config", "core.sshCommand", str(watched.program("nested"))),
        ("config", "push.default", "current"),
        ("remote", "add", "origin", "ssh://127.0.0.1:1/x"),
        ("commit", "-qm", "nested", "--allow-empty"),
        ("update-ref", "refs/remotes/origin/old", "HEAD"),
        ("commit", "-qm", "to be pushed", "--allow-empty"),
    ):
        subprocess.run(["git", *words], cwd=nested, check=True)
    mine.git("config", "push.recurseSubmodules", "on-demand")
    mine.git("-c", "advice.addEmbeddedRepo=false", "add", "nested")
    mine.git("commit", "-qm", "a link in history")
    is_safe(mine, ben, remote, watched)


def test_a_second_address(mine: Machine, ben: Machine, remote: Path, watched: Canaries) -> None:
    """D4: of several addresses git fetches from the first; of a promisor remote it is asked by name."""
    config = mine.clone / ".git" / "config"
    text = config.read_text().replace("[remote", f'[remote "origin"]\n\turl = {watched.foreign}\n[remote', 1)
    config.write_text(text + '[remote "origin"]\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n')
    is_safe(mine, ben, remote, watched)
