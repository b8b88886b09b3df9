"""The checklist of a scope: its items added, ticked, cleared and listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.counted import counted
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.scratch import ClearResult, Scratch, TickRequest


@dataclass(frozen=True)
class AddItemRequest:
    """What is to be done, in a line."""

    text: str
    scope: str = ""


@dataclass(frozen=True)
class ChecklistRequest:
    """A scope's checklist; `is_whole`: also what is done."""

    scope: str = ""
    is_whole: bool = False


def add_item(desk: Desk, request: AddItemRequest) -> Result[Scratch]:
    """Add an item; one that is open already is not added again."""
    from ctxrepo.services.notes.scratch import add

    made = add(desk.memory, request.text, request.scope, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(made, _changed(made))


def tick(desk: Desk, request: TickRequest) -> Result[Scratch]:
    """Tick an item, or make it open again."""
    from ctxrepo.services.notes.scratch import tick

    found = tick(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    if found.more:
        others = counted(found.more, "other item has", "other items have")
        desk.notice(f"{others} these words as well; name one by its id")
    return Result(found, _changed(found))


def clear_done(desk: Desk, request: ChecklistRequest) -> Result[ClearResult]:
    """Take out the items that are done."""
    from ctxrepo.services.notes.scratch import clear_done

    done = clear_done(desk.memory, request.scope, desk.project, desk.origin, desk.now)
    desk.wake()
    for item in done.stays:
        text = " ".join(item.text.split())
        desk.notice(f"{text!r} stays: something below it is open, or is no item")
    data = {
        "path": done.path,
        "cleared": [{"id": f"^{item.id}", "text": item.text} for item in done.gone],
        "stays": [{"id": f"^{item.id}", "text": item.text} for item in done.stays],
    }
    return Result(done, data)


def list_items(desk: Desk, request: ChecklistRequest) -> Result[Sequence[Scratch]]:
    """List what is open."""
    from ctxrepo.services.notes.scratch import items

    there = items(desk.memory, request.scope, desk.project)
    found = [one for one in there if request.is_whole or not one.item.is_done]
    return Result(found, {"items": [_fields(one) for one in found]})


def _changed(found: Scratch) -> dict[str, Any]:
    return {**_fields(found), "existing": found.existing, "more": found.more}


def _fields(found: Scratch) -> dict[str, Any]:
    item = found.item
    return {
        "id": f"^{item.id}",
        "at": found.at,
        "text": item.text,
        "done": item.is_done,
        "depth": item.depth,
    }
