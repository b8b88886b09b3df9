"""One thread that carries out what other threads hand to it, in turn."""

from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from threading import get_ident
from typing import TypeVar

from ctxrepo.lazy import make_all

Answer = TypeVar("Answer")


class OwnerThread:
    """Owns what only one thread may use, such as a connection to SQLite.

    Starting it makes all dataclasses: two threads must not make the same one at once."""

    def __init__(self) -> None:
        make_all()
        self._executor = ThreadPoolExecutor(1, "ctxrepo-memory")
        self._ident = self._executor.submit(get_ident).result()
        self.has_ended = False

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this thread."""
        return get_ident() == self._ident

    def run(self, action: Callable[[], Answer]) -> Answer:
        """Carry out `action` in this thread, and return its result or raise its exception.

        An action that runs another one doesn't wait for itself. A caller that is interrupted (Ctrl-C) stops
        waiting: an action that has begun is carried out all the same, another one is not. CancelledError
        after `end`, and for whoever waited then."""
        if self.is_current:
            return action()
        try:
            future = self._executor.submit(action)
        except RuntimeError as ended:  # so says the executor after its shutdown
            raise CancelledError("its thread has ended") from ended
        try:
            return future.result()
        finally:
            future.cancel()

    def end(self, last: Callable[[], object]) -> None:
        """Carry out `last` after what waits by now, drop what came later, and end the thread."""
        with suppress(CancelledError):  # another caller has ended it
            self.run(last)
        self.has_ended = True
        self._executor.shutdown(wait=not self.is_current, cancel_futures=True)
