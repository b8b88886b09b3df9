"""A panel and its rows as values, whatever draws them, and which rows fit what somebody types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.views.view import View
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.services.notes.list_notes import NoteSummary

PanelName = Literal["inbox", "conflicts", "notes", "tape", "sessions", "health"]
TapeLook = Literal["timeline", "relations", "statistics"]

TITLES: Mapping[PanelName, str] = {
    "inbox": "Inbox",
    "conflicts": "Conflicts",
    "notes": "Notes",
    "tape": "Tape",
    "sessions": "Sessions",
    "health": "Health",
}
LOOKS: tuple[TapeLook, ...] = ("timeline", "relations", "statistics")

SIGNS = {
    "+": "proposed: something new waits for a yes",
    "~": "a proposal to change something, or a version that lost a merge",
    "!": "held back from commits, or an error",
    "-": "a proposal to remove something; or deleted, and held back as more than is likely",
    "x": "removed in a review",
    "?": "a warning",
    "#": "pinned, or a keyword",
    "*": "marked, for a key that takes many",
}
"""What stands before a row, so that no colour has to be seen."""


@dataclass(frozen=True)
class PanelRow:
    """A line of a panel. `name` tells it from the others, also when the panel is loaded again."""

    name: str
    text: str
    sign: str = " "
    side: str = ""
    """What stands at the right: an age or a count."""
    words: str = ""
    """What is searched beside the text."""
    is_path: bool = False
    """Whether the text is a path, of which the end says most."""
    item: ItemToDecide | None = None
    note: NoteSummary | None = None
    anchor: str = ""
    """The id of an anchor, of which `Enter` shows the place."""
    session: str = ""
    detail: View | None = None
    """What there is to see of it, where that was found with the row."""


@dataclass(frozen=True)
class Panel:
    """The rows of a panel; `empty` is what stands there instead of none."""

    name: PanelName
    rows: Sequence[PanelRow]
    empty: str = ""
    look: TapeLook = "timeline"


def fitting(rows: Sequence[PanelRow], typed: str) -> list[PanelRow]:
    """The rows with all words that were typed: first those that have them as whole words; where there is
    none, those that have the letters of a single word in this order."""
    words = typed.casefold().split()
    if not words:
        return list(rows)
    texts = [(row, f"{row.text} {row.side} {row.words}".casefold()) for row in rows]
    matches = [(row, text) for row, text in texts if all(word in text for word in words)]
    if matches:
        whole = re.compile("".join(rf"(?=.*(?<!\w){re.escape(word)}(?!\w))" for word in words), re.DOTALL)
        return [row for row, _ in sorted(matches, key=lambda each: not whole.match(each[1]))]
    if len(words) > 1 or len(words[0]) < 2:
        return []
    letters = re.compile(".*?".join(map(re.escape, words[0])), re.DOTALL)
    return [row for row, text in texts if letters.search(text)]


def short_age(then: datetime | None, now: datetime) -> str:
    """`3d`, `5h`, `12m` or `now`; '' where it isn't known."""
    if then is None:
        return ""
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return "now"
