"""Views of what waits for a person: one item, all of them, and what was decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.app.views.view import Diff, Field, Part, TextLine, View, ViewSection, one_section
from ctxrepo.domain.doubts.doubt import commands as doubt_commands
from ctxrepo.domain.formats.moment import ago, wall_time
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.decision import commands

if TYPE_CHECKING:
    from ctxrepo.app.repository.decide import Outcome
    from ctxrepo.app.review.decisions import StaleEntry
    from ctxrepo.domain.records.decision import ItemToDecide, Kind


MOST_LINES = 400
"""Lines of a difference that are shown."""

_WIDTH = 130
"""Characters of an entry that its line shows."""

_MOST_EFFECTS = 12
"""Entries of one decision that are told."""


def item_view(item: ItemToDecide, now: datetime, *, with_commands: bool = False) -> View:
    """What waits, from whom and since when, what it would change, line by line, and perhaps the commands that
    decide it."""
    since = f"{ago(item.since, now)}, {wall_time(item.since)}" if item.since else ""
    texts = {
        "item": item.id,
        "about": item.path,
        "waits": item.why,
        "from": ", ".join(filter(None, (item.who, since))),
        "holds": f"the version of {item.who_before}" if item.who_before else "",
    }
    fields = [Field(label, (text,)) for label, text in texts.items() if text]
    if item.obstacle:
        fields.append(Field("but", (item.obstacle,), "wrong"))
    sections = [ViewSection(tuple(fields)), ViewSection((_change(item),), "what it changes")]
    if with_commands:
        ways = commands(item) or ["edit the file; it goes on by itself then"]
        sections.append(ViewSection(tuple(TextLine(line, 1) for line in ways), "to decide"))
    return View(item.path, tuple(sections))


def _change(item: ItemToDecide) -> Part:
    if item.before is None and item.after is None:
        return TextLine("too many files wait to show the text of each")
    lines = item.difference(MOST_LINES)
    return Diff(tuple(lines)) if lines else TextLine("the texts are the same")


NAMES: Mapping[Kind, str] = {
    "proposal": "proposal",
    "conflict": "conflict",
    "held": "held back",
    "deletion": "deletion",
    "declined": "declined",
    "doubt": "in doubt",
}
"""What a kind of items is called in front of one."""

_DONE = {
    "accept": "accepted",
    "decline": "declined",
    "keep-other": "accepted: the other version holds now",
    "keep-current": "declined: the current version stays",
    "accept-deletions": "accepted: deleted on all machines",
    "restore-files": "declined: the files are back",
    "dismiss": "declined: taken off the list",
    "supersede": "accepted: the newer entry holds in its place",
    "forget": "accepted: forgotten",
    "verify": "declined: it holds",
}


def inbox_view(items: Sequence[ItemToDecide], now: datetime) -> View:
    """A line for each item."""
    lines = [TextLine(_line(item, now)) for item in items]
    hints = [f"look at one with `ctxrepo inbox show {items[0].name}`"] if items else []
    return one_section("Inbox", lines or [TextLine("nothing waits for a decision")], *hints)


def stale_view(entries: Sequence[StaleEntry]) -> View:
    """Each entry in doubt, why, and the commands that settle it."""
    lines: list[TextLine] = []
    for stale_entry in entries:
        text = shown(normalised(stale_entry.entry.text), _WIDTH)
        lines.append(TextLine(f"{stale_entry.entry.at} ^{stale_entry.entry.id}: {stale_entry.doubt.words}"))
        lines += [TextLine(line, 1) for line in (text, *doubt_commands(stale_entry.doubt))]
    return one_section("Doubts", lines or [TextLine("no entry is in doubt")])


def decided_view(outcomes: Sequence[Outcome]) -> View:
    """What became of each item."""
    return one_section("Decided", [line for outcome in outcomes for line in _outcome(outcome)])


def _outcome(outcome: Outcome) -> Iterator[TextLine]:
    item, decision, error = outcome.item, outcome.decision, outcome.error
    if error:
        yield TextLine(f"not decided: {item.id}: {error.message}. {error.hint}".rstrip(), mark="wrong")
        return
    assert decision is not None
    if decision.still_waits:
        yield TextLine(f"not decided: {item.id} waits all the same", mark="wrong")
        return
    place = getattr(decision.outcome, "at", "") or item.path
    name = getattr(decision.outcome, "id", "") if item.kind == "proposal" else ""
    back = f"; `ctxrepo {decision.choice.undo}` takes it back" if decision.choice.undo == "undo" else ""
    known = " is in memory already" if decision.choice.verb == "accept" and not decision.effects else ""
    yield TextLine(f"{_DONE[decision.choice.verb]}: {f'^{name} ' if name else ''}{place}{known}{back}")
    lines = [TextLine(effect.line, 1) for effect in decision.effects]
    yield from lines[:_MOST_EFFECTS]
    if more := len(lines) - _MOST_EFFECTS:
        yield from [TextLine(f"… {more} more", 1)] * (more > 0)


def _line(item: ItemToDecide, now: datetime) -> str:
    age = ago(item.since, now) if item.since else ""
    return "  ".join(filter(None, (item.name, NAMES[item.kind], item.path, age, item.who, item.words)))
