"""Decides an item that waits for a person, through the operation that does it by a command too."""

from typing import TYPE_CHECKING

from ctxrepo.app.repository.diagnosis import DoctorRequest, doctor
from ctxrepo.app.repository.exchange import ExchangeRequest, exchange
from ctxrepo.app.result import Result
from ctxrepo.app.review.decisions import KEEPS, DismissRequest, ResolveRequest, dismiss, resolve
from ctxrepo.domain.records.decision import Choice, ItemToDecide, Verb
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk


@dataclass(frozen=True)
class DecideRequest:
    """An item by its id, and one of its choices by its verb."""

    item: str
    verb: Verb


@dataclass(frozen=True)
class Decision:
    """What was decided, and how. An item may wait all the same, if its operation failed half-way."""

    item: ItemToDecide
    choice: Choice
    still_waits: bool


def decide(desk: "Desk", request: DecideRequest) -> Result[Decision]:
    """Carry out one choice of an item; the exit code is that of the operation that does it.

    NotFound when no such item waits, UsageError when the item doesn't offer the choice."""
    item = _find(desk, request.item)
    if item is None:
        raise NotFound(f"nothing that waits is called {request.item}", "`ctxrepo status` shows what waits.")
    choice = next((choice for choice in item.choices if choice.verb == request.verb), None)
    if choice is None:
        offered = ", ".join(choice.verb for choice in item.choices)
        raise UsageError(
            f"{item.id} can't be decided by {request.verb}", f"It takes: {offered or 'nothing'}."
        )
    carried_out = _carry_out(desk, item, choice)
    decision = Decision(item, choice, still_waits=_find(desk, item.id) is not None)
    data = {"item": item.id, "verb": choice.verb, "undo": choice.undo, "waits": decision.still_waits}
    return Result(decision, data, carried_out.exit_code, carried_out.error)


def _find(desk: "Desk", item_id: str) -> ItemToDecide | None:
    from ctxrepo.services.review.items import items_to_decide

    memory = desk.open_memory(or_last_settings=True)
    return next((item for item in items_to_decide(memory) if item.id == item_id), None)


def _carry_out(desk: "Desk", item: ItemToDecide, choice: Choice) -> Result[object]:
    if choice.verb in KEEPS:
        return resolve(desk, ResolveRequest(KEEPS[choice.verb], item.name))
    if choice.verb == "dismiss":
        return dismiss(desk, DismissRequest([item.name]))
    if choice.verb == "accept-deletions":
        return exchange(desk, ExchangeRequest(accept=("deletions",)))
    return doctor(desk, DoctorRequest(fixes=True))
