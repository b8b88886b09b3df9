"""Another process answers; it holds nothing of ours, and is left behind where it hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

import pytest
from needs import needs_proc

from ctxrepo.errors import CtxrepoError, NotFound
from ctxrepo.storage.processes.apart import Apart

pytestmark = pytest.mark.usefixtures("one_thread")


def ask(question: Callable[[], Any], patience: float = 20) -> Any:
    with Apart(lambda: [question()], patience) as apart:
        return apart.next()


def test_answers_come_in_their_order_however_long(tmp_path: Path) -> None:
    with Apart(lambda: [[tmp_path, 1], b"x" * 5_000_000, None], 20) as apart:
        assert [apart.next(), len(apart.next()), apart.next()] == [[tmp_path, 1], 5_000_000, None]


def test_an_error_comes_back_as_it_was() -> None:
    def fail() -> None:
        raise NotFound("nothing", "look")

    with pytest.raises(NotFound, match="nothing") as error:
        ask(fail)
    assert error.value.hint == "look"


def test_an_error_that_cannot_be_handed_over_is_told_in_words() -> None:
    class Odd(Exception):
        """One that only this function knows."""

    def fail() -> None:
        raise Odd("very")

    with pytest.raises(CtxrepoError, match="Odd: very"):
        ask(fail)


def test_who_takes_too_long_is_ended() -> None:
    with pytest.raises(TimeoutError):
        ask(lambda: time.sleep(60), 0.3)


def test_who_is_killed_is_told() -> None:
    with pytest.raises(CtxrepoError, match="was ended"):
        ask(lambda: os.kill(os.getpid(), 9))


@needs_proc
def test_an_interrupt_while_it_is_made_is_not_lost() -> None:
    interrupts = [signal.SIGINT]

    def interrupt() -> None:
        if interrupts:
            signal.pthread_kill(threading.get_ident(), interrupts.pop())  # pytest may have other threads

    def blocked() -> set[signal.Signals | int]:
        return {*signal.pthread_sigmask(signal.SIG_BLOCK, ())}

    os.register_at_fork(before=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            ask(blocked)
        assert ask(blocked) == blocked()
    finally:
        signal.signal(signal.SIGINT, before)


def test_it_holds_no_lock_and_no_stream_of_ours(tmp_path: Path) -> None:
    lock = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    flock(lock, LOCK_EX)

    def held() -> list[str]:
        return [name for n in os.listdir("/proc/self/fd") if (name := _name_of(n))]

    ours = [name for name in ask(held) if not name.startswith(("/proc/", "pipe:"))]
    assert set(ours) == {"/dev/null"}

    def one_and_hang() -> Iterator[None]:
        yield None
        time.sleep(60)

    with Apart(one_and_hang, 20) as apart:
        apart.next()
        os.close(lock)
        again = os.open(tmp_path / "lock", os.O_RDWR)
        flock(again, LOCK_EX | LOCK_NB)
        os.close(again)


def _name_of(handle: str) -> str:
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{handle}")
    return ""


@needs_proc
def test_what_it_has_started_ends_with_it() -> None:
    mark = f"sleep 61.{os.getpid()}"

    def ask_a_program() -> None:
        with subprocess.Popen(["/bin/sh", "-c", f"exec {mark}"], start_new_session=True) as process:
            try:
                process.wait()
            finally:
                process.kill()

    with pytest.raises(TimeoutError):
        ask(ask_a_program, 0.5)
    lines = [_words(line) for line in Path("/proc").glob("[0-9]*/cmdline")]
    assert mark.replace(" ", "\0").encode() not in b"\n".join(lines)


def _words(file: Path) -> bytes:
    with suppress(OSError):
        return file.read_bytes()
    return b""
