"""How a command is carried out: a desk, an operation performed there, its result shown; and questions to
somebody at a terminal, on standard error. Whoever interrupts one interrupts the command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxrepo.errors import INTERRUPTED, CtxrepoError
from ctxrepo.faces.cli import output, waiting

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.app.result import Result
    from ctxrepo.app.views.view import View
    from ctxrepo.faces.cli.output import OutputLine

Request = TypeVar("Request")
Value = TypeVar("Value")

Operation = Callable[["Desk", Request], "Result[Value]"]


class ExitWith(Exception):
    """Ends a command with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


_SHOWN = 3
"""Proposals that are named."""

_desks: list[Desk] = []
"""The desks that this run has opened."""


def clock() -> datetime:
    return datetime.now(UTC)


def open_desk() -> Desk:
    """The desk of one run of one command."""
    from ctxrepo.app.desk import Call, Desk  # importing it imports storage, which `--help` doesn't need

    try:
        folder = Path.cwd()
    except FileNotFoundError:
        raise CtxrepoError("the current folder no longer exists", "Go to another one.") from None
    desk = Desk(Call(folder, dict(os.environ), progress=waiting.tell), clock, sys.executable)
    _desks.append(desk)
    return desk


def close_desks() -> None:
    """Close what the run has open."""
    while _desks:
        _desks.pop().close()


def answer(
    operation: Operation[Request, Value],
    request: Request,
    as_json: bool,
    text: Callable[[Value], str | Sequence[OutputLine]],
    hints: Callable[[Value], Iterable[str]] = lambda _: (),
    *,
    desk: Desk | None = None,
) -> None:
    """Perform an operation at a desk, show its result, and end with its exit code."""
    show(perform(desk or open_desk(), operation, request), as_json, text, hints)


def answer_with_view(
    operation: Operation[Request, Value],
    request: Request,
    as_json: bool,
    view_of: Callable[[Value], View],
    *,
    label_width: int = 8,
    hints_with_json: bool = False,
    desk: Desk | None = None,
) -> None:
    """The same for a result that has a view; fields have their text behind labels of this width."""
    result = perform(desk or open_desk(), operation, request)
    if result.error or (as_json and not hints_with_json):
        show(result, as_json, lambda _: "")
        return
    view = view_of(result.value)  # once, for a list of notes may be long
    show(result, as_json, lambda _: output.drawn(view, label_width), lambda _: view.hints)


def answer_with_past(
    operation: Operation[Request, Value],
    request: Request,
    as_json: bool,
    text: Callable[[Value], str],
) -> None:
    """The same for a text of past sessions: in an agent's session it is shown as a quotation."""
    from ctxrepo.app.sessions.past_search import quoted

    desk = open_desk()
    answer(operation, request, as_json, lambda value: quoted(desk, text(value)), desk=desk)


def perform(desk: Desk, operation: Operation[Request, Value], request: Request) -> Result[Value]:
    """Perform an operation and say what it notices, also where it fails."""
    with _notices_said(desk):
        return desk.perform(operation, request)


@contextmanager
def resumable() -> Iterator[None]:
    """Whoever interrupts the command in here is told how to go on."""
    try:
        yield
    except (KeyboardInterrupt, ExitWith):
        output.notice("interrupted; run the same command again to finish")
        raise
    finally:
        waiting.over()


def require_memory(desk: Desk) -> None:
    """NotInitialised where there is no memory, before somebody types or answers questions for it."""
    with _notices_said(desk):
        _ = desk.memory


def show(
    result: Result[Value],
    as_json: bool,
    text: Callable[[Value], str | Sequence[OutputLine]],
    hints: Callable[[Value], Iterable[str]] = lambda _: (),
) -> None:
    """Say how it went: as JSON or by `text`, and then what else may be worth knowing by `hints`."""
    if result.error:
        output.failed(as_json, result.error, result.data)
    elif result.proposed:
        output.done(as_json, result.data if as_json else {}, "" if as_json else _proposed(result.proposed))
    else:
        output.done(as_json, result.data if as_json else {}, "" if as_json else text(result.value))
        for line in hints(result.value):
            output.notice(line)
    if result.exit_code:
        raise ExitWith(result.exit_code)


def _proposed(ids: Sequence[str]) -> str:
    names = ", ".join(ids[:_SHOWN]) + (" …" if len(ids) > _SHOWN else "")
    return f"proposed, and not written before a person accepts it: {names}"


def ask(question: str, default: str, *, show_default: bool = True) -> str:
    """What somebody types; `default` if they only press Enter."""
    from typer import prompt

    with _interruptible():
        return str(prompt(question, default=default, show_default=show_default, err=True))


def confirm(question: str) -> bool:
    """Whether somebody says yes; Enter is no."""
    from typer import confirm

    with _interruptible():
        return confirm(question, err=True)


@contextmanager
def _notices_said(desk: Desk) -> Iterator[None]:
    """Say what was noticed, also where an error ends it."""
    try:
        yield
    finally:
        for line in desk.take_notices():
            output.notice(line)


@contextmanager
def _interruptible() -> Iterator[None]:
    from typer import Abort

    try:
        yield
    except Abort:
        raise ExitWith(INTERRUPTED) from None
