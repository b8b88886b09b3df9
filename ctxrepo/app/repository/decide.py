"""The one list of what waits for a person: listed, shown, and decided, each item through the operation that
does it by a command too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ctxrepo.app.repository.diagnosis import DoctorRequest, doctor
from ctxrepo.app.repository.exchange import ExchangeRequest, attention, exchange
from ctxrepo.app.result import Result
from ctxrepo.app.review.decisions import (
    DismissRequest,
    ResolveRequest,
    VerdictRequest,
    accept_proposal,
    decline_proposal,
    dismiss,
    resolve,
)
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import scope_of, shown
from ctxrepo.domain.project.target import Target, resolve_id
from ctxrepo.domain.records.decision import (
    Answer,
    Choice,
    Effect,
    ItemToDecide,
    Kind,
    Verb,
    command,
    commands,
)
from ctxrepo.errors import CtxrepoError, NotFound, Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.inbox.staging import require_person
from ctxrepo.services.review.items import items_to_decide

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

_MOST_LINES = 200
"""Lines of a difference that are shown."""


@dataclass(frozen=True)
class DecideRequest:
    """An item by its id, and one of its choices by its verb."""

    item: str
    verb: Verb
    text: str = ""
    """Of a proposal: what is remembered instead of its text."""
    reason: str = ""
    """Of a proposal: why it is declined."""


@dataclass(frozen=True)
class Decision:
    """What was decided, and how. An item may wait all the same, if its operation failed half-way."""

    item: ItemToDecide
    choice: Choice
    still_waits: bool
    outcome: object = None
    """The value of the operation that decided it."""
    effects: Sequence[Effect] = ()
    """What that did to entries, as far as it is a matter of entries."""


def decide(desk: Desk, request: DecideRequest) -> Result[Decision]:
    """Carry out one choice of an item; the exit code is that of the operation that does it.

    NotFound when no such item waits, UsageError when the item doesn't offer the choice."""
    item = _find(desk, request.item)
    if item is None:
        raise NotFound(f"nothing that waits is called {request.item}", "`ctxrepo inbox` lists what does.")
    choice = item.choice(request.verb)
    if choice is None:
        offered = ", ".join(choice.verb for choice in item.choices)
        raise UsageError(
            f"{item.id} can't be decided by {request.verb}", f"It takes: {offered or 'nothing'}."
        )
    result = _carry_out(desk, item, choice, request)
    decision = _decision(item, choice, result, still_waits=_find(desk, item.id) is not None)
    data = {"item": item.id, "verb": choice.verb, "undo": choice.undo, "waits": decision.still_waits}
    data |= {"changes": plain_data(decision.effects)}
    if item.kind == "proposal":
        data |= result.data
    return Result(decision, data, result.exit_code, result.error)


def _decision(item: ItemToDecide, choice: Choice, result: Result[object], *, still_waits: bool) -> Decision:
    return Decision(item, choice, still_waits, result.value, _effects(item, choice, result.value))


def _effects(item: ItemToDecide, choice: Choice, value: Any) -> Sequence[Effect]:
    if item.kind == "proposal":
        return value.effects if choice.verb == "accept" else ()
    if choice.verb == "accept-deletions":
        from ctxrepo.services.review.proposals import effects_on

        return effects_on(item.path, item.before, item.after or "") if item.before else ()
    if item.kind == "doubt":
        now = item.after if choice.verb == "supersede" else ""
        return () if choice.verb == "verify" else (Effect(item.path, item.before or "", now or ""),)
    if item.kind == "conflict" and any(resolution.is_changed for resolution in value):
        was = item.before if choice.verb == "keep-other" else None
        return (Effect(item.path, was or "", item.after or ""),)
    return ()


def _find(desk: Desk, item_id: str) -> ItemToDecide | None:
    memory = desk.open_memory(or_last_settings=True)
    return next((item for item in items_to_decide(memory) if item.id == item_id), None)


def _carry_out(desk: Desk, item: ItemToDecide, choice: Choice, request: DecideRequest) -> Result[object]:
    """Do it in a commit of its own."""
    if desk.open_memory(or_last_settings=True).journal.names():
        desk.commit_pending()
    result = _OPERATIONS[choice.verb](desk, item, request)
    desk.commit_pending()
    return result


def _accept_deletions(desk: Desk) -> Result[object]:
    exchanged = exchange(desk, ExchangeRequest(accept=("deletions",)))
    desk.notice(*attention(exchanged.value.synced))
    return exchanged


def _restore_files(desk: Desk, item: ItemToDecide) -> Result[object]:
    require_person(desk.memory, desk.session[0], [scope_of(item.path)], item.id)
    return doctor(desk, DoctorRequest(fixes=True))


def _settle(desk: Desk, item: ItemToDecide, verb: Verb) -> Result[object]:
    """Do about an entry in doubt what its command does, too."""
    from ctxrepo.app.notes import writing
    from ctxrepo.app.notes.targets import EntriesRequest, TargetRequest
    from ctxrepo.services.notes.confirming import supersede

    entry = Target(entry_id=item.name.rpartition("-")[0])
    if verb == "verify":
        return writing.verify(desk, EntriesRequest([entry]))
    if verb == "forget":
        return writing.forget(desk, TargetRequest(entry))
    supersede(desk.memory, item.name, desk.origin, desk.now)
    return Result(None)


_OPERATIONS: Mapping[Verb, Callable[[Desk, ItemToDecide, DecideRequest], Result[object]]] = {
    "accept": lambda desk, item, request: accept_proposal(desk, VerdictRequest(item.name, text=request.text)),
    "decline": lambda desk, item, request: decline_proposal(
        desk, VerdictRequest(item.name, reason=request.reason)
    ),
    "keep-current": lambda desk, item, _: resolve(desk, ResolveRequest("kept", item.name)),
    "keep-other": lambda desk, item, _: resolve(desk, ResolveRequest("other", item.name)),
    "keep-both": lambda desk, item, _: resolve(desk, ResolveRequest("both", item.name)),
    "dismiss": lambda desk, item, _: dismiss(desk, DismissRequest([item.name])),
    "accept-deletions": lambda desk, _, __: _accept_deletions(desk),
    "restore-files": lambda desk, item, _: _restore_files(desk, item),
    "supersede": lambda desk, item, _: _settle(desk, item, "supersede"),
    "forget": lambda desk, item, _: _settle(desk, item, "forget"),
    "verify": lambda desk, item, _: _settle(desk, item, "verify"),
}
"""What carries out each choice."""


@dataclass(frozen=True)
class InboxRequest:
    """An item by its id, or the beginning of it."""

    id: str
    """Its id, as `inbox` shows it, or at least the first four characters."""


@dataclass(frozen=True)
class AcceptRequest:
    """Items by their ids, all of which are accepted."""

    ids: Sequence[str]
    """Its id, as `inbox` shows it, or at least the first four characters; more than one may be given."""


@dataclass(frozen=True)
class DeclineRequest(AcceptRequest):
    """Items by their ids, all of which are declined."""

    reason: str = ""
    """Why, for whoever looks at the history later."""


@dataclass(frozen=True)
class RewordRequest(InboxRequest):
    """A proposal by its id, and the text that is accepted instead of its own."""

    text: str = ""
    """The text to accept instead; without it your editor opens."""


@dataclass(frozen=True)
class Outcome:
    """What became of one item: what was decided, or why it wasn't."""

    item: ItemToDecide
    decision: Decision | None = None
    error: CtxrepoError | None = None
    exit_code: int = 0


def list_items(desk: Desk, _: None) -> Result[Sequence[ItemToDecide]]:
    """List everything that waits for a decision."""
    items = _items(desk)
    return Result(items, {"items": [_fields(item) for item in items]})


def show_item(desk: Desk, request: InboxRequest) -> Result[ItemToDecide]:
    """Show one item, what deciding it would change as things are now, and the commands that decide it."""
    from ctxrepo.services.review.proposals import looked_at

    memory = desk.open_memory(or_last_settings=True)
    item = looked_at(memory, _named(_items(desk), request.id), desk.now)
    diff = "\n".join(item.difference(_MOST_LINES))
    texts = {"before": item.before, "after": item.after, "diff": diff, "commands": commands(item)}
    return Result(item, _fields(item) | texts)


def accept_items(desk: Desk, request: AcceptRequest) -> Result[Sequence[Outcome]]:
    """Let what waits hold from now on: each item is a commit of its own."""
    return _decided(desk, request.ids, "yes")


def decline_items(desk: Desk, request: DeclineRequest) -> Result[Sequence[Outcome]]:
    """Let what holds now stay: each item is a commit of its own."""
    return _decided(desk, request.ids, "no", reason=request.reason)


def find_proposal(desk: Desk, request: InboxRequest) -> Result[ItemToDecide]:
    """The proposal of this id, for an editor; UsageError for another item."""
    item = _named(_items(desk), request.id)
    if not item.can_be_reworded or item.after is None:
        raise UsageError(f"{item.id} has no text to edit", _way_on(item))
    return Result(item, _fields(item))


def reword_item(desk: Desk, request: RewordRequest) -> Result[Sequence[Outcome]]:
    """Accept a proposal with another text."""
    if not request.text.strip():
        raise UsageError("nothing would be left of it", "`ctxrepo inbox decline` takes it off the list.")
    item = find_proposal(desk, InboxRequest(request.id)).value
    return _decided(desk, [item.id], "yes", text=request.text)


def _items(desk: Desk) -> list[ItemToDecide]:
    memory = desk.open_memory(or_last_settings=True)
    if not memory.config_error:
        desk.commit_pending()
    return items_to_decide(memory)


def _named(items: Sequence[ItemToDecide], name: str) -> ItemToDecide:
    """The item that an id means, with its kind or without, or the beginning of either."""
    name = name.strip().removeprefix("^")
    kind, _, start = name.partition(":")
    of_kind = {item.name: item for item in items if item.kind == kind}
    known = of_kind or {item.name: item for item in items}
    missing = f"nothing that waits is called {shown(name, 60)}"
    return known[resolve_id(start if of_kind else name, known, missing, "`ctxrepo inbox` lists what does.")]


def _decided(
    desk: Desk, ids: Sequence[str], answer: Answer, *, text: str = "", reason: str = ""
) -> Result[Sequence[Outcome]]:
    """Decide each of these items; what can't be decided waits on, is told, and holds up no other."""
    items, memory = _items(desk), desk.open_memory(or_last_settings=True)
    by_id = {item.id: item for item in (_named(items, name) for name in ids)}
    _require_all_deletions(items, by_id)
    outcomes: list[Outcome] = []
    kinds: set[Kind] = set()
    for item in by_id.values():
        if item.kind == "deletion" and item.kind in kinds:
            first = next(outcome for outcome in outcomes if outcome.item.kind == item.kind)
            outcomes.append(_same(first, item))
            continue
        outcomes.append(_outcome(desk, item, answer, text, reason))
        kinds.add(item.kind)
    if len(outcomes) == 1 and outcomes[0].error:
        raise outcomes[0].error
    waits = {item.id for item in items_to_decide(memory)}  # once: looking for all of them takes a while
    outcomes = [_seen(outcome, outcome.item.id in waits) for outcome in outcomes]
    desk.notice(*_remarks(outcomes))
    data = {"decided": [_fields_of(outcome) for outcome in outcomes if not outcome.error]}
    data |= {"refused": [_fields_of(outcome) for outcome in outcomes if outcome.error]}
    codes = {outcome.exit_code for outcome in outcomes}
    return Result(outcomes, data, next((code for code in (6, 5, 4) if code in codes), max(codes)))


def _seen(outcome: Outcome, still_waits: bool) -> Outcome:
    """What became of an item, now that somebody looked whether it waits all the same."""
    if outcome.decision is None:
        return outcome
    decision = replace(outcome.decision, still_waits=still_waits)
    is_about_it = still_waits or outcome.exit_code in (4, 5, 6)
    return replace(outcome, decision=decision, exit_code=outcome.exit_code if is_about_it else 0)


def _remarks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What there is to remark upon the facts that were remembered, upon all in one."""
    from ctxrepo.services.notes.remarks import remarks

    values = (outcome.decision.outcome for outcome in outcomes if outcome.decision)
    return remarks([*filter(None, (getattr(value, "remembered", None) for value in values))])


def _same(outcome: Outcome, item: ItemToDecide) -> Outcome:
    """What became of another deletion, as they are decided together."""
    if decision := outcome.decision:
        decision = replace(decision, item=item, effects=_effects(item, decision.choice, None))
    return replace(outcome, item=item, decision=decision)


def _outcome(desk: Desk, item: ItemToDecide, answer: Answer, text: str, reason: str) -> Outcome:
    try:
        choice = item.choice(answer)
        if choice is None:
            raise Refused(f"{item.id} can't be decided so", _way_on(item))
        result = _carry_out(desk, item, choice, DecideRequest(item.id, choice.verb, text, reason))
    except CtxrepoError as error:
        return Outcome(item, error=error, exit_code=error.exit_code)
    return Outcome(item, _decision(item, choice, result, still_waits=False), result.error, result.exit_code)


def _require_all_deletions(items: Iterable[ItemToDecide], by_id: Mapping[str, ItemToDecide]) -> None:
    """UsageError where some deletions are named and not all: they are decided together."""
    deletions = [item for item in items if item.kind == "deletion"]
    if any(item.id in by_id for item in deletions) and any(item.id not in by_id for item in deletions):
        ways = " or ".join(f"`{line}`" for line in commands(deletions[0]))
        raise UsageError(f"{counted(len(deletions), 'deletion')} wait, and are decided together", f"{ways}.")


def _way_on(item: ItemToDecide) -> str:
    if item.kind == "held":
        return f"Edit the file: {item.why}"
    if item.kind == "declined":
        return f"`ctxrepo inbox decline {item.name}` takes it off the list; `ctxrepo remember` says it again."
    return f"{' or '.join(f'`{line}`' for line in commands(item))}."


def _fields(item: ItemToDecide) -> dict[str, Any]:
    data: dict[str, Any] = plain_data(item)
    del data["before"], data["after"]
    choices = [{"verb": way.verb, "label": way.label, "command": command(item, way)} for way in item.choices]
    return data | {"choices": choices, "words": item.words}


def _fields_of(outcome: Outcome) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": outcome.item.id, "kind": outcome.item.kind, "path": outcome.item.path}
    if outcome.error:
        error = outcome.error
        return fields | {"code": error.code, "message": error.message, "hint": error.hint}
    decision = outcome.decision
    if decision:
        fields |= {"verb": decision.choice.verb, "undo": decision.choice.undo, "waits": decision.still_waits}
        fields |= {"entry": f"^{name}" if (name := getattr(decision.outcome, "id", "")) else None}
        fields |= {"changes": plain_data(decision.effects)}
    return fields
