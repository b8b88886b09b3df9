"""Two clocks over a process, and nothing of it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from long import rotating

from ctxrepo.storage.processes import process as process_module
from ctxrepo.storage.processes.process import GivenUp, converse, end_group, watched


def start(script: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"  # ended, and not yet collected by init


def gone(file: Path, seconds: float = 20) -> bool:
    """Whether the process whose id is in the file ends within seconds."""
    pid = int(file.read_text())
    end = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_alive(pid)


def test_what_is_said_and_heard() -> None:
    heard: list[bytes] = []
    with start("cat; echo oops >&2; exit 3") as process:
        data = bytes(range(256)) * 4000
        assert converse(process, data, limit=20, hear=heard.append) == (data, b"oops\n")
    assert process.returncode == 3
    assert b"".join(heard) == b"oops\n"


def test_who_does_not_listen_is_no_error() -> None:
    with start("exec 0<&-; sleep 0.1; echo done") as process:
        assert converse(process, bytes(1_000_000), limit=20)[0] == b"done\n"


class Unlucky(subprocess.Popen[bytes]):
    """A process that speaks and ends after its streams were looked at, and before it is."""

    def poll(self) -> int | None:
        return super().wait() if self.returncode is None else self.returncode


@pytest.mark.slow
def test_last_words_are_heard_where_another_process_holds_the_streams() -> None:
    script = "(trap '' HUP; exec sleep 30) & sleep 1; echo said; echo last words >&2"
    with Unlucky(
        ["sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert converse(process, b"", limit=20) == (b"said\n", b"last words\n")


def test_silence_ends_it() -> None:
    began = time.monotonic()
    with start("echo hello; sleep 60") as process, pytest.raises(GivenUp):
        converse(process, b"", limit=60, silence=0.5)
    assert time.monotonic() - began < 20
    assert process.returncode == -9


@pytest.mark.slow
@pytest.mark.parametrize("stream", rotating(["1", "2"], keep=1))
def test_whoever_speaks_may_take_longer_than_the_silence(stream: str) -> None:
    with start(f"for i in 1 2 3 4 5 6; do echo $i >&{stream}; sleep 0.6; done") as process:
        out, err = converse(process, b"", limit=60, silence=3)
    assert out + err == b"1\n2\n3\n4\n5\n6\n"


@pytest.mark.slow
def test_but_not_for_ever() -> None:
    began = time.monotonic()
    with start("while :; do echo x; sleep 0.1; done") as process, pytest.raises(GivenUp):
        converse(process, b"", limit=1, silence=5)
    assert time.monotonic() - began < 20


@pytest.mark.slow
def test_a_process_that_closed_its_streams_and_hangs_is_ended() -> None:
    with start("exec 1<&- 2<&-; sleep 60") as process, pytest.raises(GivenUp):
        converse(process, b"", limit=1)
    assert process.returncode == -9


def test_helpers_end_with_it(tmp_path: Path) -> None:
    with start(f"sleep 60 & echo $! > {tmp_path}/pid; wait") as process, pytest.raises(GivenUp):
        converse(process, b"", limit=60, silence=0.5)
    assert gone(tmp_path / "pid")


def test_a_helper_that_outlives_it_and_holds_its_streams_is_ended(tmp_path: Path) -> None:
    began = time.monotonic()
    with start(f"sleep 60 & echo $! > {tmp_path}/pid; echo said; kill -9 $$") as process:
        assert converse(process, b"", limit=60, silence=60)[0] == b"said\n"
    assert time.monotonic() - began < 20
    assert process.returncode == -9
    assert gone(tmp_path / "pid")


def test_a_daemon_that_let_go_of_the_streams_lives(tmp_path: Path) -> None:
    script = f"sleep 60 </dev/null >/dev/null 2>&1 & echo $! > {tmp_path}/pid"
    with start(script) as process:
        assert converse(process, b"", limit=20) == (b"", b"")
    assert is_alive(int((tmp_path / "pid").read_text())), "a credential cache, for instance"
    end_group(process)
    assert gone(tmp_path / "pid")


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(_: bytes) -> None:
        raise KeyboardInterrupt

    script = f"sleep 60 & echo $! > {tmp_path}/pid; echo x >&2; wait"
    with start(script) as process, pytest.raises(KeyboardInterrupt):
        converse(process, b"", limit=20, hear=interrupt)
    assert gone(tmp_path / "pid")


TALKING = """
import subprocess, sys
from ctxrepo.storage.processes import process as process_module
from ctxrepo.storage.processes.process import converse, watched
script = f"sleep 600 & echo $! > {sys.argv[1]}/helper; echo $$ > {sys.argv[1]}/git; wait"
pipe = subprocess.PIPE
process = subprocess.Popen(["sh", "-c", script], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
with process, watched(process):
    converse(process, b"", limit=600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_who_is_killed_leaves_nothing_of_it_behind(tmp_path: Path, number: int) -> None:
    with subprocess.Popen([sys.executable, "-c", TALKING, str(tmp_path)]) as talking:
        end = time.monotonic() + 20
        while not (tmp_path / "git").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)  # until it is watched
        talking.send_signal(number)
    assert gone(tmp_path / "git")
    assert gone(tmp_path / "helper")


def test_once_it_is_over_nobody_is_ended(tmp_path: Path) -> None:
    with start(f"sleep 20 <&- >&- 2>&- & echo $! > {tmp_path}/pid") as process, watched(process):
        converse(process, b"", limit=20)
    time.sleep(0.2)
    assert not gone(tmp_path / "pid", 0)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_where_there_is_nobody_to_watch_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_SHELL", "/gone/sh")
    with start("echo done") as process, watched(process):
        assert converse(process, b"", limit=20)[0] == b"done\n"
