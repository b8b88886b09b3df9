"""Commands about the checklist of a scope: scratch add, done, undo, clear-done, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, Scope, without_verb

if TYPE_CHECKING:
    from ctxrepo.services.notes.scratch import Scratch

group = typer.Typer()

Named = Annotated[
    list[str],
    typer.Argument(metavar="ITEM", help="Its ^id, or some of its words; the first it fits is meant."),
]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="scratch")


@group.callback(invoke_without_command=True)
def scratch(context: typer.Context, json: Json = False) -> None:
    """Keep a checklist: what is to be done, on every machine.

    It is the note SCRATCHPAD.md of a scope. Only the lines of items are ever touched; whatever else
    stands there stays as it is. Without a verb what is open is listed.

    Example: ctxrepo scratch
    """
    without_verb(context, lambda as_json: list_items(json=as_json), json=json)


@group.command()
def add(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What is to be done, in a line.")],
    scope: Scope = "",
    json: Json = False,
) -> None:
    """Add an item.

    Example: ctxrepo scratch add "Ask the bank about the 8 s limit"
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.scratch import add

    run = Runtime()
    made = add(run.memory, " ".join(text), scope, run.project, run.origin, run.now)
    run.wake()
    _said("open already" if made.existing else "added", made, json)


@group.command()
def done(named: Named, scope: Scope = "", json: Json = False) -> None:
    """Tick an item.

    Example: ctxrepo scratch done "8 s limit"
    """
    _tick(named, scope, json, is_done=True)


@group.command()
def undo(named: Named, scope: Scope = "", json: Json = False) -> None:
    """Make an item that is done open again.

    Example: ctxrepo scratch undo "8 s limit"
    """
    _tick(named, scope, json, is_done=False)


@group.command("clear-done")
def clear_done(scope: Scope = "", json: Json = False) -> None:
    """Take out the items that are done.

    One stays while anything below it is open, or is no item. The history keeps all of them.

    Example: ctxrepo scratch clear-done
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.scratch import clear_done

    run = Runtime()
    result = clear_done(run.memory, scope, run.project, run.origin, run.now)
    run.wake()
    for item in result.stays:
        output.notice(f"{_words(item.text)!r} stays: something below it is open, or is no item")
    data = {
        "path": result.path,
        "cleared": [{"id": f"^{item.id}", "text": item.text} for item in result.gone],
        "stays": [{"id": f"^{item.id}", "text": item.text} for item in result.stays],
    }
    output.done(json, data, f"cleared: {output.counted(len(result.gone), 'item')} of {result.path}")


@group.command("list")
def list_items(
    scope: Scope = "",
    every: Annotated[bool, typer.Option("--all", "-a", help="Also what is done.")] = False,
    json: Json = False,
) -> None:
    """List what is open.

    Example: ctxrepo scratch list --all
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.scratch import items

    run = Runtime()
    found = [s for s in items(run.memory, scope, run.project) if every or not s.item.is_done]
    lines = [
        f"{'  ' * s.item.depth}[{'x' if s.item.is_done else ' '}] {_words(s.item.text)}  ^{s.item.id}"
        for s in found
    ]
    output.done(json, {"items": [_data(s) for s in found]}, "\n".join(lines) or "nothing is open")


def _tick(named: list[str], scope: str, json: bool, *, is_done: bool) -> None:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.scratch import tick

    run = Runtime()
    words = " ".join(named)
    found = tick(run.memory, words, scope, run.project, run.origin, run.now, is_done=is_done)
    run.wake()
    if found.more:
        others = output.counted(found.more, "other item has", "other items have")
        output.notice(f"{others} these words as well; name one by its id")
    _said("done" if is_done else "open again", found, json)


def _said(verb: str, found: Scratch, json: bool) -> None:
    data = {**_data(found), "existing": found.existing, "more": found.more}
    output.done(json, data, f"{verb}: ^{found.item.id} {found.at} {_words(found.item.text)}")


def _data(found: Scratch) -> dict[str, Any]:
    item = found.item
    return {
        "id": f"^{item.id}",
        "at": found.at,
        "text": item.text,
        "done": item.is_done,
        "depth": item.depth,
    }


def _words(text: str) -> str:
    return " ".join(text.split())
