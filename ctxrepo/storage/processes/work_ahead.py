"""Work done ahead by processes of our own, so that a machine with several cores uses them."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Generator
from typing import BinaryIO

from ctxrepo.lazy import dataclass

_MOST = 4
_BEHIND = 10
"""The nice value of forks: the process that uses their results comes first."""

_LENGTH = 8
_PIPE_BYTES = 1024 * 1024


def work_ahead(work: Callable[[int], bytes], count: int) -> Generator[bytes]:
    """`work(0)` to `work(count - 1)`, in this order, each done ahead by a fork of this process.

    A fork sees what this process has in memory, opened files too, and must only read. What one fails at is
    done here, so that errors are raised here.
    """
    processes = min(_MOST, count, os.cpu_count() or 1) if hasattr(os, "fork") else 1
    if processes < 2:
        yield from map(work, range(count))
        return
    forks = [_fork(work, range(first, count, processes)) for first in range(processes)]
    try:
        for number in range(count):
            done = forks[number % processes].result()
            yield work(number) if done is None else done
    finally:
        for fork in forks:
            fork.end()


@dataclass(frozen=True)
class _Fork:
    pid: int
    results: BinaryIO

    def result(self) -> bytes | None:
        """Its next result, or None when it has failed."""
        head = self.results.read(_LENGTH)
        data = self.results.read(int.from_bytes(head, "big"))
        return data if len(head) == _LENGTH and len(data) == int.from_bytes(head, "big") else None

    def end(self) -> None:
        self.results.close()
        os.kill(self.pid, signal.SIGKILL)  # it has nothing to tidy up
        os.waitpid(self.pid, 0)


def _fork(work: Callable[[int], bytes], numbers: range) -> _Fork:
    reading, writing = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):  # what fits lets it go on while nobody reads
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            os.nice(_BEHIND)
            for number in numbers:
                _send(writing, work(number))
        finally:
            os._exit(0)  # also when it failed, or when who wanted the results is gone
    os.close(writing)
    return _Fork(pid, os.fdopen(reading, "rb"))


def _send(pipe: int, data: bytes) -> None:
    view = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while view:
        view = view[os.write(pipe, view) :]
