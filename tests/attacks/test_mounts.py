"""Disks that change under us, and disks of many kinds: what was acknowledged stays, one line tells, hooks are
silent, and afterwards everything flows."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from long import mostly_long, rotating
from machines import Machine, make_machine
from needs import lacks, place_of, unless
from processes import processes_of
from sessions import Session, connected, eventually
from torture.mounts import mounted, needs_mount, read_only, why_no_filesystem

pytestmark = needs_mount

WAY_OUT = 60.0

KINDS = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "casefold": ("mkfs.ext4", "-q", "-F", "-O", "casefold"),
}
"""How a disk of each kind is made."""

FOLDS_CASE = Path("/sys/fs/ext4/features/casefold")
"""It exists where the kernel was built with it."""


def why_no_disk(kind: str) -> str:
    """Why this machine can't have a disk of this kind; '' where it can."""
    if kind == "tmpfs":
        return ""
    tool = KINDS[kind][0]
    if kind == "casefold" and not FOLDS_CASE.exists():
        return "the kernel of this machine was built without names in which case doesn't matter"
    return lacks(tool) or why_no_filesystem(tool.removeprefix("mkfs."))


def kinds(*names: str) -> list[ParameterSet]:
    """These kinds of disk, all but the first long. One that the machine lacks is skipped, and says why."""
    return mostly_long([pytest.param(kind, marks=unless(why_no_disk(kind))) for kind in names], keep=1)


def disk(root: Path, kind: str, size: int = 400) -> ExitStack:
    """A disk of this kind, mounted at `root/disk`."""
    stack = ExitStack()
    if kind == "tmpfs":
        stack.enter_context(mounted(root / "disk", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs"))
        return stack
    tool, *words = KINDS[kind]
    image = root / "disk.img"
    with image.open("wb") as file:
        file.truncate(size * 2**20)
    subprocess.run([place_of(tool), *words, str(image)], check=True, capture_output=True)
    stack.enter_context(mounted(root / "disk", "-o", "loop", str(image)))
    return stack


def quiet(machine: Machine) -> None:
    eventually(lambda: not processes_of(machine), WAY_OUT)


def is_one_line(run: subprocess.CompletedProcess[str]) -> bool:
    message, *hint = run.stderr.splitlines()
    return message.startswith("ctxrepo: ") and len(hint) <= 1 and "unexpected" not in message


def flows(machine: Machine, remote: Path, *acknowledged: str) -> None:
    """Everything that was acknowledged is at the remote, and a session is served."""
    quiet(machine)
    session = Session(machine, "s-after")
    session.edit("shop/topics/after.md", "- written afterwards\n")
    session.hook("SessionEnd")
    run = machine.process("sync")
    assert run.returncode == 0, run.stderr
    quiet(machine)
    log = subprocess.run(
        ["git", "-C", str(remote), "log", "-p", "main"], capture_output=True, text=True
    ).stdout
    assert [text for text in (*acknowledged, "written afterwards") if text not in log] == []
    assert "shop" in Session(machine, "s-last").hook("SessionStart")
    assert not machine.git("status", "--porcelain")


@pytest.mark.parametrize("kind", kinds("xfs", "btrfs", "casefold", "ext4", "tmpfs"))
def test_a_disk_of_any_kind_is_as_good(tmp_path: Path, remote: Path, kind: str) -> None:
    with disk(tmp_path, kind):
        home = tmp_path / "disk" / "home"
        home.mkdir()
        if kind == "casefold":
            subprocess.run(["chattr", "+F", str(home)], check=True)
        machine = connected(make_machine(home, "ada"), str(remote))
        assert machine.process("remember", "on this disk").returncode == 0
        session = Session(machine, "s-1")
        session.whole()
        session.edit("shop/topics/build.md", "- edited on this disk\n")
        session.edit(
            "shop/topics/Build.md" if kind != "casefold" else "shop/topics/more.md", "- another case\n"
        )
        flows(machine, remote, "on this disk", "edited on this disk", "another case")
        assert machine.process("doctor").returncode == 0


def remount(folder: Path, how: str) -> None:
    """A process that has just ended may hold its files open for a moment, and the disk is busy until then."""
    words = ["mount", "-o", f"remount,{how}", str(folder)]
    eventually(lambda: subprocess.run(words, capture_output=True).returncode == 0, WAY_OUT)


@pytest.mark.parametrize("kind", kinds("ext4", "xfs", "btrfs"))
def test_a_disk_that_becomes_read_only_in_the_middle(tmp_path: Path, remote: Path, kind: str) -> None:
    """As after an error of the disk: state, clone and all the rest at once."""
    with disk(tmp_path, kind):
        machine = connected(make_machine(tmp_path / "disk", "ada"), str(remote))
        session = Session(machine, "s-1")
        session.hook("SessionStart")
        assert machine.process("remember", "acknowledged before").returncode == 0
        session.edit("shop/topics/build.md", "- edited before\n")
        quiet(machine)
        remount(tmp_path / "disk", "ro")
        for words in (("remember", "in vain"), ("sync",), ("log", "add", "in vain")):
            run = machine.process(*words)
            assert run.returncode == 1, (words, run)
            assert is_one_line(run), run.stderr
            assert "ead-only" in run.stderr
        for event in ("UserPromptSubmit", "Stop", "SessionEnd", "SessionStart"):
            session.hook(event)
        doctor = machine.process("doctor")
        assert "Traceback" not in doctor.stdout + doctor.stderr
        assert "ead-only" in doctor.stdout + doctor.stderr
        quiet(machine)
        remount(tmp_path / "disk", "rw")
        flows(machine, remote, "acknowledged before", "edited before")
        assert "in vain" not in machine.git("log", "-p", "--format=")


@pytest.mark.parametrize("where", rotating(["both", "state", "clone"], keep=1))
def test_a_part_that_becomes_read_only_in_the_middle(ada: Machine, remote: Path, where: str) -> None:
    connected(ada, str(remote))
    session = Session(ada, "s-1")
    session.hook("SessionStart")
    assert ada.process("remember", "acknowledged before").returncode == 0
    quiet(ada)
    with ExitStack() as stack:
        for name, folder in (("state", ada.places.state), ("clone", ada.clone)):
            if where in (name, "both"):
                stack.enter_context(read_only(folder))
        run = ada.process("remember", "in vain")
        assert run.returncode == 1
        assert is_one_line(run), run.stderr
        assert "ead-only" in run.stderr
        for event in ("UserPromptSubmit", "Stop", "SessionEnd", "SessionStart"):
            session.hook(event)
        quiet(ada)
    flows(ada, remote, "acknowledged before")
    assert "in vain" not in ada.git("log", "-p", "--format=")


def fill(folder: Path) -> Path:
    """A file that leaves no room beside it."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 512):
            with suppress(OSError):  # the disk is full
                while file.write(os.urandom(size)):
                    pass
    return filler


@pytest.mark.parametrize("kind", kinds("xfs", "btrfs", "ext4", "tmpfs"))
def test_a_disk_that_fills_up_in_the_middle(tmp_path: Path, remote: Path, kind: str) -> None:
    with disk(tmp_path, kind, size=320 if kind == "xfs" else 120):
        machine = connected(make_machine(tmp_path / "disk", "ada"), str(remote))
        session = Session(machine, "s-1")
        session.hook("SessionStart")
        kept = ["acknowledged before"]
        assert machine.process("remember", kept[0]).returncode == 0
        quiet(machine)
        filler = fill(tmp_path / "disk")
        for number in range(3):
            run = machine.process("remember", f"{number} on a full disk")
            assert run.returncode in (0, 1), run
            if run.returncode == 0:
                kept.append(f"{number} on a full disk")
            else:
                assert is_one_line(run), run.stderr
        for event in ("UserPromptSubmit", "Stop", "SessionEnd", "SessionStart"):
            session.hook(event)
        quiet(machine)
        filler.unlink()
        os.sync()
        flows(machine, remote, *kept)
