"""Questions that a fork of ours answers, which is left behind where one hangs."""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import select
import signal
import struct
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NoReturn, Self

from ctxrepo.errors import CtxrepoError

_GRACE = 0.3
"""Seconds in which a process that is told to end can end git, which it has started."""

_HANDLES = 65536
"""More files than this no process of ours has open."""

_LENGTH = struct.Struct("!Q")


class Apart:
    """A fork of ours that answers questions one after the other; left at the end of a `with`."""

    def __init__(self, questions: Iterable[Callable[[], Any]], patience: float) -> None:
        self._patience = patience
        self._reading, writing = os.pipe()
        try:
            self._child = os.fork()
        except OSError as error:
            os.close(self._reading)
            raise CtxrepoError(f"no process can be started: {error.strerror or error}") from error
        else:
            if self._child == 0:
                _answer(questions, writing)
        finally:
            os.close(writing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._reading)
        _leave(self._child)

    def next(self) -> Any:
        """The next answer; TimeoutError when there is none in time."""
        end = time.monotonic() + self._patience
        length = _LENGTH.unpack(self._heard(_LENGTH.size, end))[0]
        is_found, found = pickle.loads(self._heard(length, end))
        if is_found:
            return found
        raise found

    def _heard(self, count: int, end: float) -> bytes:
        """So many bytes. The end of the pipe isn't waited for: git that hangs may hold it."""
        data = bytearray()
        while len(data) < count:
            if not select.select([self._reading], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError
            if not (chunk := os.read(self._reading, count - len(data))):
                raise CtxrepoError("the process that looks at folders was ended")
            data += chunk
        return bytes(data)


def _answer(questions: Iterable[Callable[[], Any]], writing: int) -> NoReturn:
    """In the child: answer and end. It holds no lock and no stream of ours, for it may never end."""
    try:
        signal.signal(signal.SIGTERM, _stop)
        os.setsid()
        writing = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, 3)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.closerange(3, writing)
        os.closerange(writing + 1, _HANDLES)
        gc.disable()  # what our parent has open isn't closed by us
        for question in questions:
            _say(writing, _found(question))
    finally:
        os._exit(0)


def _stop(*_: object) -> NoReturn:
    raise SystemExit


def _found(question: Callable[[], Any]) -> bytes:
    try:
        return pickle.dumps((True, question()))
    except Exception as error:
        try:
            data = pickle.dumps((False, error))
            pickle.loads(data)  # an exception may have arguments that it can't be made of again
            return data
        except Exception:
            return pickle.dumps((False, CtxrepoError(f"{type(error).__name__}: {error}")))


def _say(writing: int, data: bytes) -> None:
    rest = memoryview(_LENGTH.pack(len(data)) + data)
    while rest:
        rest = rest[os.write(writing, rest) :]


def _leave(child: int) -> None:
    """End the child; one that a call to the system holds is left behind."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if _is_gone(child, _GRACE / 10):
            return
        with suppress(ProcessLookupError):
            os.kill(child, number)
        if _is_gone(child, _GRACE):
            return


def _is_gone(child: int, patience: float) -> bool:
    end = time.monotonic() + patience
    while True:
        with suppress(ChildProcessError):
            if os.waitpid(child, os.WNOHANG)[0] == 0:
                if time.monotonic() >= end:
                    return False
                time.sleep(0.0005)
                continue
        return True
