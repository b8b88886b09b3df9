"""Work done ahead by forks of this process, so that a machine with several cores uses them."""

import fcntl
import os
from collections.abc import Callable, Generator
from functools import partial

from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.processes import apart

_MOST = 4
_NICE = 10
"""The nice value of forks: the process that uses their results comes first."""

_PIPE_BYTES = 1024 * 1024


def work_ahead(work: Callable[[int], bytes], count: int) -> Generator[bytes]:
    """`work(0)` to `work(count - 1)`, in this order, done ahead by forks on all cores, which see our
    memory and must only read. The work of one that fails is done here, so that errors are raised here; all
    of it where this process may not fork."""
    processes = min(_MOST, count, os.cpu_count() or 1)
    if processes < 2 or not apart.has_one_thread():
        yield from map(work, range(count))
        return
    share = (range(first, count, processes) for first in range(processes))
    forks = [apart.forked(partial(map, work, numbers), _step_back) for numbers in share]
    try:
        for number in range(count):
            try:
                kind, data = forks[number % processes].receive()
            except CtxrepoError:
                kind = "error"
            yield data if kind == "answer" else work(number)
    finally:
        for fork in forks:
            fork.leave()


def _step_back(writing: int) -> int:
    """Let our parent go first, and go on while it doesn't read yet."""
    os.nice(_NICE)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return writing
