"""Disks that are full, read-only or failing: a clean error, nothing lost, and the next run heals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from long import rotating
from machines import Machine, make_machine
from processes import wait_for_workers
from torture.failing import fail_each, needs_compiler
from torture.mounts import disk_of_another_kind, mounted, needs_mount, read_only

FACT = "the sea is salt"


def is_one_line(run: subprocess.CompletedProcess[str]) -> bool:
    """Whether one line says what is wrong and at most one more what helps."""
    message, *hint = run.stderr.splitlines()
    return message.startswith("ctxrepo: ") and len(hint) <= 1 and "unexpected" not in message


def healed(machine: Machine, *facts: str) -> bool:
    """Whether the next sync goes well and every fact is in a commit, and nothing half-written is about."""
    wait_for_workers(machine)
    run = machine.process("sync")
    assert run.returncode == 0, run.stderr
    held = machine.git("grep", "-hE", "-e", "", "HEAD")
    return all(fact in held for fact in facts) and not machine.git("status", "--porcelain")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Machine]:
    """A machine whose home is a file system of 8 MiB and 1,200 files."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=8m,nr_inodes=1200", "tmpfs") as disk:
        machine = make_machine(disk, "ada")
        machine.init()
        yield machine
        wait_for_workers(machine)


def fill(folder: Path, data: bytes) -> None:
    for number in range(1000):
        (folder / str(number)).write_bytes(data)


@needs_mount
@pytest.mark.parametrize("what", rotating(["files", "bytes"], keep=1))
def test_a_full_disk_refuses_cleanly_and_heals(small_disk: Machine, what: str) -> None:
    assert small_disk.process("remember", FACT).returncode == 0
    wait_for_workers(small_disk)
    filler = small_disk.home.parent / "filler"
    filler.mkdir()
    with pytest.raises(OSError, match="No space"):
        fill(filler, b"x" * (1 << 20 if what == "bytes" else 1))
    kept = [FACT]
    for number in range(3):
        run = small_disk.process("remember", f"{number} was written on a full disk")
        if run.returncode == 0:
            kept.append(f"{number} was written")
        else:
            assert run.returncode == 1
            assert is_one_line(run), run.stderr
    assert len(kept) < 4
    assert "Traceback" not in small_disk.process("sync").stderr
    for file in filler.iterdir():
        file.unlink()
    assert healed(small_disk, *kept)
    assert small_disk.process("remember", "there is room again").returncode == 0
    assert healed(small_disk, "there is room again")


@needs_mount
@pytest.mark.parametrize("what", ["clone", "state"])
def test_a_read_only_folder_refuses_cleanly_and_heals(ada: Machine, what: str) -> None:
    ada.init()
    ada.remember(FACT)
    folder = ada.clone if what == "clone" else ada.places.state
    with read_only(folder):
        for words in (("remember", "in vain"), ("sync",)):
            run = ada.process(*words)
            assert run.returncode == 1
            assert is_one_line(run), run.stderr
        wait_for_workers(ada)
    assert healed(ada, FACT)
    assert "in vain" not in ada.git("grep", "-h", "-e", "", "HEAD")


@needs_mount
def test_an_overlay_is_as_good_as_any_disk(tmp_path: Path, ada: Machine) -> None:
    ada.init()
    ada.remember(FACT)
    layers = tmp_path / "layers"
    with mounted(layers, "-t", "tmpfs", "tmpfs"):
        for name in ("upper", "work"):
            (layers / name).mkdir()
        options = f"lowerdir={ada.home},upperdir={layers}/upper,workdir={layers}/work"
        with mounted(ada.home, "-t", "overlay", "-o", options, "overlay"):
            assert ada.process("remember", "on the upper layer").returncode == 0
            assert healed(ada, FACT, "on the upper layer")


@needs_mount
def test_writers_on_a_disk_of_another_kind_lose_nothing(tmp_path: Path) -> None:
    with disk_of_another_kind(tmp_path / "disk") as folder:
        ada = make_machine(folder, "ada")
        ada.init()
        words = [sys.executable, "-m", "ctxrepo", "remember"]
        facts = [f"fact {number} from a writer of its own" for number in range(8)]
        writers = [subprocess.Popen([*words, fact], cwd=ada.project_folder, env=ada.env) for fact in facts]
        assert [writer.wait() for writer in writers] == [0] * len(facts)
        assert healed(ada, *facts)


@pytest.mark.parametrize("blocks", rotating([8, 1, 64], keep=1))
def test_a_limit_on_the_size_of_files_leaves_none_half_written(ada: Machine, blocks: int) -> None:
    ada.init()
    ada.remember(FACT)
    words = [sys.executable, "-m", "ctxrepo", "remember", "a fact " * 100]
    script = f'ulimit -f {blocks}; exec "$@"'
    run = subprocess.run(
        ["sh", "-c", script, "sh", *words], cwd=ada.home, env=ada.env, capture_output=True, text=True
    )
    assert run.returncode in (0, 1), run.stderr
    assert "Traceback" not in run.stderr
    assert run.returncode == 0 or is_one_line(run), run.stderr
    assert healed(ada, FACT)


@needs_compiler
@pytest.mark.parametrize(
    ("command", "step", "sticky"),
    rotating(
        [("remember", 17, False), ("sync", 157, False), ("remember", 41, True), ("sync", 301, True)], keep=2
    ),
)
def test_whichever_call_fails_nothing_is_lost(tmp_path: Path, command: str, step: int, sticky: bool) -> None:
    """`make torture` lets every one fail."""
    report = fail_each(tmp_path, command, step, first=5, sticky=sticky)
    assert report.tried > 1
    assert report.faults == []
