"""Commands that take something back: undo, restore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.services.history.restore import RestoreResult
    from ctxrepo.services.history.undo import Undone

_MOST_LINES = 12


def register(app: typer.Typer) -> None:
    app.command()(undo)
    app.command()(restore)


def undo(
    commit: Annotated[
        str,
        argument(metavar="COMMIT", help="A commit of the memory instead, as `history` shows it."),
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Take back what the last command wrote.

    That is one more write, and history keeps all of it: a second `undo` takes back the first. In an
    agent's session it is the last command of that session. What was written since stays; what was
    changed since is named, and then nothing is done.

    Example: ctxrepo undo 4f2a91c0
    """
    from ctxrepo.app.notes.back import UndoRequest, undo

    answer(open_desk(), undo, UndoRequest(commit), json, undone)


def restore(
    target: Annotated[
        str,
        argument(metavar="TARGET", help="[SCOPE:]PATH of a note, or ^ID of an entry, as it was."),
    ],
    to: Annotated[
        str, option("--to", metavar="DEST", help="The note it goes to, instead of where it was.")
    ] = "",
    version: Annotated[
        str, option("--at", metavar="COMMIT", help="As it was in COMMIT, also when it isn't gone.")
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Bring back what was forgotten, archived or edited.

    A note or entry is found by the path or id that it had, through renames and moves, and goes to where
    it was. Pins and other marks hold again.

    Example: ctxrepo restore topics/release.md
    """
    from ctxrepo.app.notes.back import restore
    from ctxrepo.domain.project.target import parse_destination, parse_target
    from ctxrepo.services.history.restore import RestoreRequest

    def said(done: RestoreResult) -> str:
        name = f"^{done.id} " if done.id else ""
        return f"{'there already' if done.existing else 'restored'}: {name}{done.at}"

    desk = open_desk()
    there = parse_destination(to) if to else None
    answer(desk, restore, RestoreRequest(parse_target(target), there, version), json, said)


def undone(done: Undone) -> str:
    """What was taken back, with a line for each entry."""
    from ctxrepo.domain.guard.takeback import UNDO, is_way_back

    more = len(done.lines) - _MOST_LINES
    lines = [f"  {line}" for line in done.lines[:_MOST_LINES]] + [f"  … {more} more"] * (more > 0)
    verb, operation = "undone", done.what
    if is_way_back(operation):
        way, _, operation = operation.partition(" ")
        verb = "done again" if way == UNDO else verb
    is_said = done.saying.startswith(f"{operation} ")  # as in "anchor handoff/session"
    said = ": ".join(filter(None, ("" if is_said else operation, done.saying)))
    return "\n".join([f"{verb}: {said}", *lines])
