"""What somebody waits for: at a terminal how far it is, on one line; elsewhere one notice after a second."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ctxrepo.domain.paths import visible

if TYPE_CHECKING:
    from threading import Timer

PATIENCE = 1.0
"""Seconds after which somebody who waits wants to know for what."""

_LONGEST = 100


class Waiting:
    """One run of one command. `tell` is called with what is being done, as often as it is known anew."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._timer: Timer | None = None
        self._words = ""
        self._is_shown = False
        self._is_noticed = False

    def tell(self, words: str) -> None:
        """git's own counting and ours: of several lines the last."""
        self._words = words.replace("\n", "\r").strip("\r").rpartition("\r")[2]
        if sys.stderr.isatty():
            self._is_shown = True
            print(f"\r\x1b[K{visible(self._words)[:_LONGEST]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() >= self._since + PATIENCE:
            self._notice()
        elif self._timer is None:  # a single step may take longer than that
            from threading import Timer  # most commands never wait

            self._timer = Timer(max(0.0, self._since + PATIENCE - time.monotonic()), self._notice)
            self._timer.daemon = True
            self._timer.start()

    def clear(self) -> None:
        """Take the line away, for something else is about to be printed."""
        if self._is_shown:
            self._is_shown = False
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def over(self) -> None:
        """What was told of is done."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._words = ""
        self.clear()

    def _notice(self) -> None:
        """Once in a command, and without numbers: who reads it later wants to know why it took long."""
        if self._words and not self._is_noticed:
            self._is_noticed = True
            what = self._words.partition(":")[0]
            print(f"ctxrepo: {visible(what)[:_LONGEST]} …", file=sys.stderr, flush=True)


_now = Waiting()


def tell(words: str) -> None:
    """This is being done now."""
    _now.tell(words)


def clear() -> None:
    """Something else is about to be printed."""
    _now.clear()


def over() -> None:
    """That is done."""
    _now.over()


def begin() -> None:
    """A command starts: what it waits for is counted from here."""
    global _now
    _now.over()
    _now = Waiting()
