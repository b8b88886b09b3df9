"""What somebody waits for: at a terminal how far it is, on one line; elsewhere a notice of each thing that
takes more than a second."""

import sys
from typing import TYPE_CHECKING

from ctxrepo.domain.project.layout import visible
from ctxrepo.lazy import lazy_pattern

if TYPE_CHECKING:
    from threading import Timer

NOTICE_DELAY = 1.0
"""Seconds after which somebody who waits wants to know for what."""

_LONGEST = 100

_COUNT = lazy_pattern(r":\s+\d.*")
"""How far it is, behind what is being done."""


class Waiting:
    """One command after another. `tell` is called with what is being done, whenever that changes."""

    def __init__(self) -> None:
        self._timer: Timer | None = None
        self._what = ""
        self._is_shown = False
        self._noticed: set[str] = set()

    def begin(self) -> None:
        """A command starts: what it waits for is counted from here."""
        self.over()
        self._noticed.clear()

    def tell(self, words: str) -> None:
        """Show progress, git's or ours; of several lines only the last."""
        line = words.replace("\n", "\r").strip("\r").rpartition("\r")[2]
        if sys.stderr.isatty():
            self._is_shown = True
            print(f"\r\x1b[K{visible(line)[:_LONGEST]}", end="", file=sys.stderr, flush=True)
            return
        what = _COUNT.sub("", line)
        if what != self._what:
            self._time(what)

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
        self._what = ""
        self.clear()

    def _time(self, what: str) -> None:
        """A single step of it may take longer than anybody waits in silence."""
        from threading import Timer  # most commands never wait

        self.over()
        self._what = what
        self._timer = Timer(NOTICE_DELAY, self._notice, (what,))
        self._timer.daemon = True
        self._timer.start()

    def _notice(self, what: str) -> None:
        """Each thing once, and without numbers: whoever reads it later wants to know why it took long."""
        if what not in self._noticed:
            self._noticed.add(what)
            print(f"ctxrepo: {visible(what)[:_LONGEST]} …", file=sys.stderr, flush=True)


_now = Waiting()
begin, tell, clear, over = _now.begin, _now.tell, _now.clear, _now.over
"""Those of the command that this process runs."""
