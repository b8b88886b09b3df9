"""Views of what waits for a person: one item, all of them, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from ctxrepo.app.views.view import Diff, Field, Part, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import ago, wall_time

if TYPE_CHECKING:
    from ctxrepo.app.repository.decide import Outcome, ShownItem
    from ctxrepo.domain.records.decision import ItemToDecide


MOST_LINES = 400
"""Lines of a difference that are shown."""

_KINDS = {
    "held": "held back from commits",
    "deletion": "deleted, and held back",
    "conflict": "a version that lost a merge",
    "declined": "removed in a review",
    "proposal": "a proposal",
}


def item_view(item: ItemToDecide, now: datetime) -> View:
    """What waits, from whom and since when, and what it would change, line by line."""
    fields = [Field("what", (_KINDS[item.kind],)), Field("why", (item.why,))]
    if item.who:
        fields.append(Field("from", (item.who,)))
    if item.who_before:
        fields.append(Field("holds", (f"the version of {item.who_before}",)))
    if item.since:
        fields.append(Field("since", (f"{ago(item.since, now)}, {wall_time(item.since)}",)))
    return View(item.path, (ViewSection(tuple(fields)), ViewSection(_change(item), "what it changes")))


def _change(item: ItemToDecide) -> tuple[Part, ...]:
    if item.before is None and item.after is None:
        return (TextLine("too many files wait to show the text of each"),)
    before, after = ((text or "").splitlines() for text in (item.before, item.after))
    lines = [line.rstrip("\r") for line in islice(_differences(before, after), MOST_LINES + 1)]
    if len(lines) > MOST_LINES:
        lines[-1] = "…"
    return (Diff(tuple(lines)) if lines else TextLine("the texts are the same"),)


def _differences(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The lines of a unified diff without the two that name files, which the fields say."""
    if not before or not after:
        return (f"{'+' if after else '-'}{line}" for line in (after or before))
    return islice(unified_diff(before, after, lineterm=""), 2, None)


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


def shown_item_view(shown: ShownItem, now: datetime) -> View:
    """What waits and why, its texts, and the commands that decide it."""
    item = shown.item
    fields = [Field("item", (item.id,)), Field("about", (item.path,)), Field("waits", (item.why,))]
    since = ago(item.since, now) if item.since else ""
    if said := ", ".join(filter(None, (item.who, since))):
        fields.append(Field("from", (said,)))
    sections = [ViewSection(tuple(fields))]
    now_from = f"now, from {item.who_before}" if item.who_before else "now"
    for heading, text in ((now_from, item.before), ("waiting", item.after)):
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
