"""How long a server lives: no longer than its host, but to the end of the operation under way."""

import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NoReturn

from ctxrepo.lazy import make_all

LOOK_SECONDS = 2.0
"""How often the server looks whether the host is still there."""

GRACE_SECONDS = 8.0
"""How long an operation under way may take to its end; all that is acknowledged is on disk before."""


def end_with_host(close: Callable[[], None]) -> None:
    """From now on the process ends when the one that started it is gone, or doesn't read any more what is
    written to standard output, and at a signal to end; `close` is called before.

    Reading standard input can't be interrupted, and a host that is killed may leave it open in another
    process: so this is looked after by a thread, and `end` doesn't unwind."""
    make_all()
    host, output = os.getppid(), os.dup(1)
    signals: SimpleQueue[int] = SimpleQueue()  # a handler may interrupt whatever holds a lock, but for this

    def watch() -> None:
        number = 0
        while not number and os.getppid() == host and not _is_closed(output):
            with suppress(Empty):
                number = signals.get(timeout=LOOK_SECONDS)
        end(close, 128 + number if number not in (0, signal.SIGTERM) else 0)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: signals.put(number))
    threading.Thread(target=watch, name="ctxrepo-host", daemon=True).start()


def _is_closed(output: int) -> bool:
    """Whether nobody can read any more what is written there."""
    poll = select.poll()
    poll.register(output, 0)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def end(close: Callable[[], None], code: int = 0) -> NoReturn:
    """End the process with this exit code once `close` has returned, after GRACE_SECONDS at the latest."""
    closing = threading.Thread(target=close, daemon=True)
    closing.start()
    closing.join(GRACE_SECONDS)
    with suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(code)
