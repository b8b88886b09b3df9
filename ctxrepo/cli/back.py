"""Commands that take something back: undo."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json

if TYPE_CHECKING:
    from ctxrepo.services.undo import Undone

_MOST_LINES = 12


def register(app: typer.Typer) -> None:
    app.command()(undo)


def undo(
    commit: Annotated[
        str,
        typer.Argument(metavar="COMMIT", help="A commit of the memory instead, as `history` shows it."),
    ] = "",
    json: Json = False,
) -> None:
    """Take back what the last command wrote.

    That is one more write, and history keeps all of it: a second `undo` takes back the first. In an
    agent's session it is the last command of that session. What was written since stays; what was
    changed since is named, and then nothing is done.

    Example: ctxrepo undo 4f2a91c0
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.undo import undo, undo_commit

    run = Runtime()
    done = (
        undo_commit(run.memory, commit, run.origin, run.now)
        if commit
        else undo(run.memory, run.origin, run.now)
    )
    run.wake()
    say_undone(done, json)


def say_undone(done: Undone, json: bool) -> None:
    """What was taken back, with a line for each entry."""
    more = len(done.lines) - _MOST_LINES
    lines = [f"  {line}" for line in done.lines[:_MOST_LINES]] + [f"  … {more} more"] * (more > 0)
    said = f"{done.what}: {done.saying}" if done.saying else done.what
    output.done(json, asdict(done), "\n".join([f"undone: {said}", *lines]))
