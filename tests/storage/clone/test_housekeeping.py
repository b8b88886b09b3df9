"""While objects are made that no ref leads to, git doesn't tidy up; and git's own tidying is waited for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxrepo.storage.clone import housekeeping
from ctxrepo.storage.clone.housekeeping import no_gc

HOST = os.uname().nodename


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path / "clone")], check=True)
    return tmp_path / "clone/.git"


@pytest.fixture
def lock(git_dir: Path) -> Path:
    return git_dir / "gc.pid"


@pytest.fixture
def somebody() -> Iterator[subprocess.Popen[bytes]]:
    """Another process that is alive."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def gc(git_dir: Path) -> subprocess.CompletedProcess[str]:
    words = ["git", "gc", "-q", "--prune=now"]
    return subprocess.run(words, cwd=git_dir, capture_output=True, text=True)


def stored(git_dir: Path) -> Path:
    """An object that nothing leads to."""
    words = ["git", "hash-object", "-w", "--stdin"]
    done = subprocess.run(words, cwd=git_dir, input="x", capture_output=True, text=True, check=True)
    oid = done.stdout.strip()
    return git_dir / "objects" / oid[:2] / oid[2:]


def test_no_gc_begins_while_it_is_held_and_afterwards_one_does(git_dir: Path) -> None:
    with no_gc(git_dir) as is_held:
        assert is_held
        made = stored(git_dir)
        refused = gc(git_dir)
        assert "gc is already running" in refused.stderr
        assert made.exists()
    assert gc(git_dir).returncode == 0
    assert not made.exists()


def test_inside_another_it_does_nothing(git_dir: Path, lock: Path) -> None:
    with no_gc(git_dir):
        with no_gc(git_dir) as is_held:
            assert is_held
        assert gc(git_dir).returncode != 0
    assert not lock.exists()


def test_a_gc_that_runs_is_waited_for(
    git_dir: Path, lock: Path, somebody: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "GC_WAIT", 60.0)
    lock.write_text(f"{somebody.pid} {HOST}")
    threading.Timer(0.2, lock.unlink).start()
    with no_gc(git_dir):
        assert lock.read_text() == f"{os.getpid()} {HOST}"
    assert not lock.exists()


@pytest.mark.parametrize("host", [HOST, "elsewhere"])
def test_one_that_goes_on_for_too_long_is_left_alone(
    git_dir: Path, lock: Path, somebody: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setattr(housekeeping, "GC_WAIT", 0.05)
    lock.write_text(f"{somebody.pid} {host}")
    with no_gc(git_dir) as is_held:
        assert not is_held
        assert lock.read_text() == f"{somebody.pid} {host}"
    assert lock.exists()


def test_the_lock_of_a_process_that_is_gone_is_taken_over(
    git_dir: Path, lock: Path, somebody: subprocess.Popen[bytes]
) -> None:
    somebody.kill()
    somebody.wait()
    lock.write_text(f"{somebody.pid} {HOST}")
    with no_gc(git_dir):
        assert gc(git_dir).returncode != 0
    assert not lock.exists()


def test_so_is_one_that_git_would_take_for_abandoned(
    git_dir: Path, lock: Path, somebody: subprocess.Popen[bytes]
) -> None:
    lock.write_text(f"{somebody.pid} elsewhere")
    os.utime(lock, (1e9, 1e9))
    with no_gc(git_dir):
        assert lock.read_text() == f"{os.getpid()} {HOST}"


def test_a_git_that_looked_before_we_came_goes_first(
    git_dir: Path, lock: Path, somebody: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has made `gc.pid.lock` and found no `gc.pid`; now it puts its own over ours."""
    monkeypatch.setattr(housekeeping, "GC_WAIT", 60.0)
    theirs = git_dir / "gc.pid.lock"
    theirs.write_text(f"{somebody.pid} {HOST}")
    over = threading.Event()

    def git() -> None:
        while not lock.exists():
            pass
        theirs.rename(lock)
        over.wait()
        lock.unlink()

    thread = threading.Thread(target=git)
    thread.start()
    threading.Timer(0.2, over.set).start()
    with no_gc(git_dir):
        assert over.is_set()
        assert lock.read_text() == f"{os.getpid()} {HOST}"
    thread.join()


def test_where_no_file_can_be_made_work_goes_on(tmp_path: Path) -> None:
    with no_gc(tmp_path / "no such folder"):
        pass


@pytest.mark.parametrize("text", ["", "4711", f"x {HOST}"])
def test_one_that_names_nobody_is_no_lock_after_a_moment(git_dir: Path, lock: Path, text: str) -> None:
    """Whoever made it was ended before the name was in it; a git takes no notice of such a file either."""
    lock.write_text(text)
    before = time.time() - 60
    os.utime(lock, (before, before))
    with no_gc(git_dir):
        assert lock.read_text() == f"{os.getpid()} {HOST}"
    assert not lock.exists()


@pytest.mark.parametrize("make", [os.mkfifo, lambda lock: os.symlink(lock.parent / "config", lock)])
def test_a_pipe_or_a_link_in_its_place_is_no_lock_after_a_moment(
    git_dir: Path, lock: Path, make: Callable[[Path], None]
) -> None:
    """Nobody would ever write to the pipe, and reading it would hold the write lock for as long."""
    make(lock)
    before = time.time() - 60
    os.utime(lock, (before, before), follow_symlinks=False)
    with no_gc(git_dir):
        assert lock.read_text() == f"{os.getpid()} {HOST}"
        assert not lock.is_symlink()
    assert not os.path.lexists(lock)
