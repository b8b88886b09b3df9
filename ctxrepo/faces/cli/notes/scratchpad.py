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

    def words_of(scratch: Scratch) -> str:
        return _change_line("open already" if scratch.existing else "added", scratch)

    answer(writing.add_item, writing.LineRequest(" ".join(text), scope), json, words_of)


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

    def words_of(cleared: ClearResult) -> str:
        return f"cleared: {output.counted(len(cleared.gone), 'item')} of {cleared.path}"

    answer(writing.clear_done, request, json, words_of)


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
    answer(writing.tick, request, json, lambda scratch: _change_line(verb, scratch))


def _change_line(verb: str, scratch: Scratch) -> str:
    return f"{verb}: ^{scratch.item.id} {scratch.at} {_words(scratch.item.text)}"


def _line(scratch: Scratch) -> str:
    item = scratch.item
    return f"{'  ' * item.depth}[{'x' if item.is_done else ' '}] {_words(item.text)}  ^{item.id}"


def _words(text: str) -> str:
    return " ".join(text.split())
