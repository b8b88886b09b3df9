"""Questions to somebody at a terminal, on standard error. Whoever interrupts one interrupts the command."""

from collections.abc import Iterator
from contextlib import contextmanager

from ctxrepo.errors import INTERRUPTED
from ctxrepo.faces.cli.answer import ExitWith


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
def _interruptible() -> Iterator[None]:
    from typer import Abort

    try:
        yield
    except Abort:
        raise ExitWith(INTERRUPTED) from None
