"""Odd files, odd clocks and odd surroundings: each is borne, and what is beside it goes on."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from machines import NOW, Machine

from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Busy
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.sync.sync import sync

NOTE = "shop/topics/build.md"


def test_line_ends_of_windows_make_no_conflict_of_the_whole_file(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    (ada.clone / "shop" / "topics").mkdir(parents=True)
    (ada.clone / NOTE).write_bytes(b"- one\r\n- two\r\n- three\r\n")
    ada.sync()
    ben.sync()
    (ben.clone / NOTE).write_bytes(b"- one\n- two\n- three\n- by ben\n")
    (ada.clone / NOTE).write_bytes(b"- by ada\r\n- one\r\n- two\r\n- three\r\n")
    for machine in (ada, ben, ada):
        assert machine.ctxrepo("sync").returncode == 0
    words = (ada.clone / NOTE).read_text().split("\n")
    assert sorted(word.strip() for word in words) == ["", "- by ada", "- by ben", "- one", "- three", "- two"]
    assert not (ada.clone / "conflicts").exists()


def test_what_programs_leave_about_stays_out_and_where_it_is(ada: Machine) -> None:
    ada.init()
    left = [".build.md.swp", "build.md~", "#build.md#", ".DS_Store", "4913", "build.md.tmp", ".#build.md"]
    for name in left:
        ada.write(f"global/{name}", "- not for the memory\n")
    ada.write("global/build.md", "- for the memory\n")
    assert ada.ctxrepo("sync").returncode == 0
    assert "for the memory" in ada.git("show", "HEAD:global/build.md")
    assert not set(left) & {Path(p).name for p in ada.git("ls-files").splitlines()}
    assert all((ada.clone / "global" / name).exists() for name in left)


def test_sockets_pipes_and_devices_are_not_opened(ada: Machine) -> None:
    ada.init()
    ada.write("global/good.md", "- good\n")
    folder = ada.clone / "global"
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(folder)  # a socket's path may not be long
        bound.bind("socket.md")
        os.chdir(here)
        if os.getuid() == 0:
            os.mknod(folder / "zero.md", 0o20666, os.makedev(1, 5))
        run = ada.ctxrepo("sync")
    assert run.returncode == 0, run.stderr
    assert "good" in ada.git("show", "HEAD:global/good.md")
    assert not [
        p for p in ada.git("ls-files").splitlines() if p.endswith(("pipe.md", "socket.md", "zero.md"))
    ]
    assert "pipe.md: it is not a regular file" in ada.ctxrepo("check").stdout


def test_a_picture_goes_along_and_bytes_in_a_note_hold_back_nothing_else(ada: Machine) -> None:
    ada.init()
    ada.write("global/good.md", "- good\n")
    (ada.clone / "global" / "odd.md").write_bytes(b"- odd \0 bytes\n")
    (ada.clone / "global" / "picture.png").write_bytes(bytes(range(256)) * 9)
    run = ada.ctxrepo("sync")
    assert run.returncode == 6, run.stderr
    assert "odd.md" in run.stdout + run.stderr
    assert "good" in ada.git("show", "HEAD:global/good.md")
    assert (ada.clone / "global" / "odd.md").read_bytes() == b"- odd \0 bytes\n"


@pytest.mark.parametrize(("first", "second"), [("Good.md", "good.md"), ("caf\u00e9.md", "cafe\u0301.md")])
def test_twins_of_two_machines_are_both_there(pair: tuple[Machine, Machine], first: str, second: str) -> None:
    ada, ben = pair
    ada.write(f"global/{first}", "- by ada\n")
    ben.write(f"global/{second}", "- by ben\n")
    for machine in (ada, ben, ada):
        assert machine.ctxrepo("sync").returncode in (0, 4)
    for machine in pair:
        texts = [f.read_text() for f in machine.clone.rglob("*.md")]
        assert [any(f"by {name}" in text for text in texts) for name in ("ada", "ben")] == [True, True]
    assert ada.tree() == ben.tree()


def test_a_file_of_the_year_2099_is_read_again_when_it_changes(ada: Machine) -> None:
    ada.init()
    for text in ("- before\n", "- behind\n"):
        ada.write("global/far.md", text)
        os.utime(ada.clone / "global" / "far.md", (4_070_908_800, 4_070_908_800))
        assert ada.ctxrepo("sync").returncode == 0
        assert ada.git("show", "HEAD:global/far.md") == text.strip()


def test_a_clock_that_goes_back_ten_years_loses_nothing(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    for number, now in enumerate((NOW, NOW - timedelta(days=3650), NOW - timedelta(days=3649))):
        memory = ada.open()
        remember(memory, Fact(f"fact {number}"), ada.project(), Origin(memory.host), now)
        assert sync(memory, now).remote.ok
    ben.sync()
    assert [f"fact {n}" in ben.read("shop/MEMORY.md") for n in range(3)] == [True] * 3


def test_a_locale_without_letters_beyond_ascii(ada: Machine) -> None:
    ada.init()
    plain = {"LC_ALL": "POSIX", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    machine = Machine(ada.home, plain)
    assert machine.process("remember", "Größe und naïveté zählen").returncode == 0
    assert machine.process("sync").returncode == 0
    assert "Größe und naïveté zählen" in ada.read("shop/MEMORY.md")
    for words in (("list",), ("context",), ("read", "MEMORY.md"), ("check",)):
        assert "Traceback" not in machine.process(*words).stderr


@contextmanager
def held(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process has the lock until it is told to let go, or is left."""
    hold = "import fcntl,sys; f=open(sys.argv[1],'a'); fcntl.flock(f,2); print('held',flush=True); "
    words = [sys.executable, "-c", hold + "sys.stdin.read()", str(lock)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        yield holder


@pytest.mark.parametrize(("lock", "words"), [("write", ("remember", "waited for")), ("sync", ("sync",))])
def test_who_needs_a_lock_waits_for_it(ada: Machine, lock: str, words: tuple[str, ...]) -> None:
    ada.init()
    with held(ada.open().state.lock(lock)) as holder:
        assert holder.stdin
        threading.Timer(2, holder.stdin.close).start()
        run = ada.process(*words)
        assert run.returncode == 0, run.stderr
        assert holder.stdin.closed, "it went on while another one had the lock"


@pytest.mark.parametrize("lock", ["sync", "work"])
def test_a_writer_waits_for_no_sync_and_no_worker(ada: Machine, lock: str) -> None:
    ada.init()
    with held(ada.open().state.lock(lock)):  # for as long as it takes: who waited would wait for ever
        assert ada.process("remember", "not waited for").returncode == 0
        assert "waited for" in ada.read("shop/MEMORY.md")
    assert ada.ctxrepo("sync").returncode == 0
    assert "waited for" in ada.git("show", "HEAD:shop/MEMORY.md")


def test_a_lock_that_is_never_let_go_is_given_up_in_one_line(
    ada: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.init()
    monkeypatch.setattr("ctxrepo.storage.memory.WRITE_WAIT", 0.3)
    with ada.open().writing(), pytest.raises(Busy, match=r"has held write\.lock for 0 s"):
        ada.remember("in vain")


@pytest.mark.parametrize("umask", ["000", "077"])
def test_whatever_the_umask_the_memory_is_nobody_elses_to_read(
    ada: Machine, remote: Path, umask: str
) -> None:
    script = f'umask {umask}; "$@" init "{remote}" && "$@" remember x && "$@" sync'
    words = ["sh", "-c", script, "sh", sys.executable, "-m", "ctxrepo"]
    run = subprocess.run(words, cwd=ada.project_folder, env=ada.env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for folder in (ada.clone, ada.places.state, ada.places.config_dir):
        assert (folder.stat().st_mode & 0o777) == 0o700, folder
