"""Commands about the checklist of a scope: scratch add, done, undo, clear-done, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes import writing
from ctxrepo.app.notes.targets import ChecklistRequest
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import SCOPE, Group, argument, command, json_option, scope_option

if TYPE_CHECKING:
    from ctxrepo.services.notes.working_notes import ClearResult, Scratch

scratch = Group("scratch", "Keep a to-do list that all your machines share.", "list")

Named = Annotated[
    list[str], argument(metavar="ITEM", help="Its ^id, or some of its words; the first match is used.")
]


@scratch.command()
def add(
    text: Annotated[list[str], argument(metavar="TEXT")],
    scope: Annotated[str, scope_option()] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Add an item."""

    def said(made: Scratch) -> str:
        return _told("open already" if made.existing else "added", made)

    answer(writing.add_item, writing.LineRequest(" ".join(text), scope), json, said)


@scratch.command()
def done(
    named: Named, scope: Annotated[str, scope_option()] = "", json: Annotated[bool, json_option()] = False
) -> None:
    """Mark an item as done."""
    _tick(named, scope, json, is_done=True)


@scratch.command()
def undo(
    named: Named, scope: Annotated[str, scope_option()] = "", json: Annotated[bool, json_option()] = False
) -> None:
    """Reopen an item that is done."""
    _tick(named, scope, json, is_done=False)


@scratch.command("clear-done")
@command(scope=SCOPE)
def clear_done(request: ChecklistRequest, json: bool = False) -> None:
    """Remove the items that are done."""

    def said(cleared: ClearResult) -> str:
        return f"cleared: {output.counted(len(cleared.gone), 'item')} of {cleared.path}"

    answer(writing.clear_done, request, json, said)


@scratch.command("list")
@command(scope=SCOPE, is_whole="--all -a")
def list_items(request: ChecklistRequest, json: bool = False) -> None:
    """List open items."""
    from ctxrepo.app.notes.browsing import list_items

    nothing = "nothing is open; `ctxrepo scratch add` adds an item"
    answer(list_items, request, json, lambda items: "\n".join(map(_line, items)) or nothing)


def _tick(named: list[str], scope: str, json: bool, *, is_done: bool) -> None:
    from ctxrepo.services.notes.requests import TickRequest

    verb = "done" if is_done else "open again"
    request = TickRequest(" ".join(named), is_done, scope)
    answer(writing.tick, request, json, lambda found: _told(verb, found))


def _told(verb: str, found: Scratch) -> str:
    return f"{verb}: ^{found.item.id} {found.at} {_words(found.item.text)}"


def _line(found: Scratch) -> str:
    item = found.item
    return f"{'  ' * item.depth}[{'x' if item.is_done else ' '}] {_words(item.text)}  ^{item.id}"


def _words(text: str) -> str:
    return " ".join(text.split())
