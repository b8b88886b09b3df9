"""Views of what waits for a decision: the list, one item, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.app.views.view import Diff, Field, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import ago

if TYPE_CHECKING:
    from ctxrepo.app.repository.decide import Outcome, ShownItem
    from ctxrepo.domain.records.decision import ItemToDecide

_NAMES = {
    "proposal": "proposal",
    "conflict": "conflict",
    "held": "held back",
    "deletion": "deletion",
    "declined": "declined",
}

_DONE = {
    "accept": "accepted",
    "decline": "declined",
    "keep-other": "accepted: the other version holds now",
    "keep-current": "declined: the current version stays",
    "accept-deletions": "accepted: deleted on all machines",
    "restore-files": "declined: the files are back",
    "dismiss": "declined: taken off the list",
}


def inbox_view(items: Sequence[ItemToDecide], now: datetime) -> View:
    """A line for each item."""
    lines = [TextLine(_line(item, now)) for item in items]
    hints = [f"look at one with `ctxrepo inbox show {items[0].name}`"] if items else []
    return one_section("Inbox", lines or [TextLine("nothing waits for a decision")], *hints)


def item_view(shown: ShownItem, now: datetime) -> View:
    """What waits and why, its texts, and the commands that decide it."""
    item = shown.item
    fields = [Field("item", (item.id,)), Field("about", (item.path,)), Field("waits", (item.why,))]
    since = ago(item.since, now) if item.since else ""
    if said := ", ".join(filter(None, (item.who, since))):
        fields.append(Field("from", (said,)))
    sections = [ViewSection(tuple(fields))]
    for heading, text in (("now", item.before), ("waiting", item.after)):
        if text:
            lines = tuple(TextLine(line, 1) for line in text.rstrip("\n").split("\n"))
            sections.append(ViewSection(lines, heading))
    if shown.diff:
        sections.append(ViewSection((Diff(tuple(shown.diff)),), "from now to waiting"))
    ways = tuple(TextLine(line, 1) for line in shown.commands)
    sections.append(
        ViewSection(ways or (TextLine("edit the file; it goes on by itself then", 1),), "to decide")
    )
    return View("Item", tuple(sections))


def decided_view(outcomes: Sequence[Outcome]) -> View:
    """What became of each item."""
    return one_section("Decided", [line for outcome in outcomes for line in _outcome(outcome)])


def _outcome(outcome: Outcome) -> Iterator[TextLine]:
    item, decision, error = outcome.item, outcome.decision, outcome.error
    if error:
        yield TextLine(f"not decided: {item.id}: {error.message}. {error.hint}".rstrip(), mark="wrong")
        return
    assert decision is not None
    place = getattr(decision.outcome, "at", "") or item.path
    name = getattr(decision.outcome, "id", "") if item.kind == "proposal" else ""
    back = f"; `ctxrepo {decision.choice.undo}` takes it back" if decision.choice.undo == "undo" else ""
    yield TextLine(f"{_DONE[decision.choice.verb]}: {f'^{name} ' if name else ''}{place}{back}")


def _line(item: ItemToDecide, now: datetime) -> str:
    age = ago(item.since, now) if item.since else ""
    return "  ".join(filter(None, (item.name, _NAMES[item.kind], item.path, age, item.who, item.words)))
