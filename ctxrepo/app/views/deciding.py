"""Views of what waits for a person: one item as a diff with what is known of it, and all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from ctxrepo.app.review.decisions import command
from ctxrepo.app.views.view import Diff, Field, Part, TextLine, View, ViewSection
from ctxrepo.domain.formats.moment import ago, counted, wall_time

if TYPE_CHECKING:
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


def waiting_view(items: Sequence[ItemToDecide], now: datetime) -> View:
    """All that waits, oldest first, each with the command of every choice; then how many that are."""
    parts: list[Part] = []
    for item in items:
        about = ", ".join(filter(None, (item.who, ago(item.since, now) if item.since else "")))
        parts.append(TextLine(f"{item.id}  {item.path}{f' ({about})' if about else ''}"))
        parts.append(TextLine(f"{_KINDS[item.kind]}: {item.why}", 1))
        parts += [TextLine(f"`{command(item, choice)}`  {choice.label}", 2) for choice in item.choices]
    count = counted(len(items), "item waits", "items wait") if items else "nothing waits"
    return View("Review", (ViewSection((*parts, TextLine(count))),))
