"""A screen that waits for no operation: the thread that owns the memory carries them out in turn (ADR 64)."""

import os
import termios
import tty
from collections.abc import Callable, Mapping
from functools import partial
from select import select
from time import monotonic
from typing import Any

from textual.app import App
from textual.theme import Theme

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.surprise import log_traceback
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import lazy_pattern


class OperationsApp(App[None]):
    """`desk` must be a shared one."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._call = desk.call

    def _failed(self, error: CtxrepoError) -> None:
        """An operation failed, and nobody said what to do then."""

    def _perform(
        self,
        operation: Callable[[Desk, Any], Any],
        request: object,
        then: Callable[[Any], None],
        or_else: Callable[[CtxrepoError], None] | None = None,
    ) -> None:
        """Perform an operation elsewhere, and go on here with its result, or with why there is none."""

        def work() -> None:
            try:
                result = self._ask(operation, request)
            except CtxrepoError as error:
                self._tell(partial(or_else or self._failed, error))
            else:
                self._tell(partial(then, result))

        self._work(work)

    def _ask(self, operation: Callable[[Desk, Any], Any], request: object) -> Any:
        call = Call(self._call.cwd, self._call.environment, self._call.session)
        try:
            return self._desk.perform(operation, request, call)
        except CtxrepoError:
            raise
        except Exception as error:
            report = log_traceback(self._call.environment)
            raise CtxrepoError(f"unexpected: {type(error).__name__}: {error}", report) from error

    def _work(self, work: Callable[[], None]) -> None:
        self.run_worker(work, thread=True, exit_on_error=False)

    def _tell(self, then: Callable[[], None]) -> None:
        if self.is_running:
            self.call_from_thread(then)


DARK, LIGHT = "ctxrepo-dark", "ctxrepo-light"

_VARIABLES = {
    DARK: {
        "muted": "#97a1af",
        "here": "#2c4266",
        "here-text": "#ffffff",
        "head": "#1f2631",
        "added": "#5fd0b0",
        "removed": "#f4a36c",
        "place": "#8fb4ff",
        "wrong": "#ff8f7d",
        "scrollbar": "#3a4553",
        "scrollbar-background": "#12161c",
    },
    LIGHT: {
        "muted": "#59636e",
        "here": "#c9defa",
        "here-text": "#10151b",
        "head": "#e6e9ee",
        "added": "#0a5f4c",
        "removed": "#96390a",
        "place": "#0b4da2",
        "wrong": "#a3200f",
        "scrollbar": "#b5bdc8",
        "scrollbar-background": "#fbfcfd",
    },
}

THEMES = (
    Theme(
        DARK,
        primary="#8fb4ff",
        accent="#8fb4ff",
        foreground="#dde3ea",
        background="#12161c",
        surface="#12161c",
        panel="#1f2631",
        variables=_VARIABLES[DARK],
    ),
    Theme(
        LIGHT,
        primary="#0b4da2",
        accent="#0b4da2",
        foreground="#1b2128",
        background="#fbfcfd",
        surface="#fbfcfd",
        panel="#e6e9ee",
        dark=False,
        variables=_VARIABLES[LIGHT],
    ),
)

DEFAULTS: Mapping[str, str] = _VARIABLES[DARK]

_LIGHT_GROUNDS = {"7", "15"}

_ASK = b"\x1b]11;?\x1b\\\x1b[c"
"""Asks a terminal for the colour of its ground, and then what it is, which every one answers."""

_SECONDS = 2.0
"""How long it may take: what a slow line brings later would be taken for keys, and decide a row."""

_GROUND = lazy_pattern(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_IS_OVER = lazy_pattern(rb"\x1b\[\?[\d;]*c")


def theme_of(environment: Mapping[str, str], answer: bytes = b"") -> str:
    """The theme for a terminal: by the ground that it answered, else by what it says of itself; dark where it
    says nothing."""
    if ground := _GROUND.search(answer):
        red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in ground.groups())
        return LIGHT if 0.3 * red + 0.59 * green + 0.11 * blue > 0.5 else DARK
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in _LIGHT_GROUNDS else DARK


def ask_ground(reads: int, writes: int) -> bytes:
    """What the terminal at these two handles answers about its ground; a part of it where that takes long."""
    before = termios.tcgetattr(reads)
    answer, end = b"", monotonic() + _SECONDS
    try:
        tty.setcbreak(reads, termios.TCSANOW)
        os.write(writes, _ASK)
        while not _IS_OVER.search(answer) and select([reads], [], [], max(0.0, end - monotonic()))[0]:
            answer += os.read(reads, 256)
    finally:
        termios.tcsetattr(reads, termios.TCSANOW, before)
    return answer
