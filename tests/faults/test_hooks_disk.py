"""Sessions on a disk that is full or may not be written: they go on as without us, and heal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from long import mostly_long
from machines import Machine, make_machine
from processes import processes_of
from sessions import Session, connected, eventually, log_of
from torture.mounts import mounted, needs_mount, read_only

pytestmark = needs_mount

WAY_OUT = 60.0
WAITED = 8.0
"""Seconds that no hook may take, however slow the machine: with a fault it waits no longer than without."""


@pytest.fixture
def machine(tmp_path: Path, remote: Path) -> Iterator[Machine]:
    """One whose home is a small disk, with a session that has written a note."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=12m,nr_inodes=1500", "tmpfs") as disk:
        machine = connected(make_machine(disk, "ada"), str(remote))
        eventually(lambda: not processes_of(machine), WAY_OUT)
        Session(machine, "s-0").edit("shop/MEMORY.md", "# Shop\n\n- acknowledged before\n")
        yield machine
        eventually(lambda: not processes_of(machine), WAY_OUT)


def fill(folder: Path, piece: bytes) -> None:
    for number in range(20_000):
        (folder / f"{len(piece)}-{number}").write_bytes(piece)


@contextmanager
def full(machine: Machine, piece: bytes) -> Iterator[None]:
    """The disk is full of files that hold `piece`, and no worker is left that would give some of it back."""
    eventually(lambda: not processes_of(machine), WAY_OUT)
    filler = machine.home.parent / "filler"
    filler.mkdir()
    for size in (piece, piece[:4096], piece[:1]):
        with pytest.raises(OSError, match="No space"):
            fill(filler, size)
    try:
        yield
    finally:
        for file in filler.iterdir():
            file.unlink()


def goes_on(machine: Machine) -> str:
    """A whole session while something is wrong; what doctor says of it."""
    session = Session(machine, "s-1")
    session.whole()
    assert session.slowest < WAITED
    eventually(lambda: not processes_of(machine), WAY_OUT)
    run = machine.process("doctor")
    assert "Traceback" not in run.stderr + run.stdout
    assert run.returncode == 1
    return run.stdout + run.stderr


def heals(machine: Machine, remote: Path) -> None:
    """The next session brings across what was acknowledged before."""
    session = Session(machine, "s-2")
    session.hook("SessionStart")
    session.hook("SessionEnd")
    eventually(lambda: "acknowledged before" in log_of(remote), WAY_OUT)
    eventually(lambda: not processes_of(machine), WAY_OUT)
    assert machine.process("sync").returncode == 0
    assert not machine.git("status", "--porcelain")


@pytest.mark.parametrize("piece", mostly_long([b"x" * (1 << 20), b"x"], keep=1), ids=["bytes", "files"])
def test_on_a_full_disk_a_session_goes_on(machine: Machine, remote: Path, piece: bytes) -> None:
    with full(machine, piece):
        output = goes_on(machine)
    assert "full" in output or "No space" in output, output
    heals(machine, remote)


def test_a_state_folder_that_may_not_be_written_keeps_no_session(machine: Machine, remote: Path) -> None:
    with read_only(machine.places.state):
        output = goes_on(machine)
    assert "Read-only" in output or "may not be written" in output or "read-only" in output, output
    heals(machine, remote)


def test_a_clone_that_may_not_be_written_keeps_no_session(machine: Machine, remote: Path) -> None:
    with read_only(machine.clone):
        output = goes_on(machine)
    assert "ead-only" in output, output
    heals(machine, remote)


@pytest.mark.parametrize("trouble", ["full", "read-only"])
def test_a_session_is_told_that_what_it_wrote_could_not_be_saved(machine: Machine, trouble: str) -> None:
    session, file = Session(machine, "s-1"), str(machine.clone / "shop/MEMORY.md")
    session.hook("SessionStart")
    eventually(lambda: not processes_of(machine), WAY_OUT)
    with full(machine, b"x" * (1 << 20)) if trouble == "full" else read_only(machine.places.state):
        context = session.hook("PostToolUse", "PostToolUse-edit", tool_input={"file_path": file})
    assert "this version of shop/MEMORY.md is in its file only" in context
