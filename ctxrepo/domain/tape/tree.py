"""A session drawn as a tree: a line for each message, its branches, and the anchors that were left at it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ctxrepo.domain.tape.anchor import Anchor
from ctxrepo.domain.tape.conversation import ROOT, Conversation, SessionMessage
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class TreeLine:
    """`stem` is what is drawn before the message, `below` before what belongs to it; `parent` is the id of
    the message that it follows, '' for none."""

    message: SessionMessage
    parent: str
    stem: str
    below: str
    anchors: tuple[Anchor, ...] = ()


def tree_of(said: Conversation, anchors: Iterable[Anchor]) -> list[TreeLine]:
    """The messages from the first on, each branch as a whole, the newest branch last.

    What goes on without a branch stays at its margin, so that a long session isn't wide. Anchors that were
    left before all messages stand at the first one.
    """
    children: dict[int, list[int]] = defaultdict(list)
    for place, parent in enumerate(said.parents):
        children[parent].append(place)
    at: dict[int, list[Anchor]] = defaultdict(list)
    for anchor in anchors:
        at[max(0, said.holder_of(anchor))].append(anchor)
    lines = []
    waiting = _branches(children[ROOT], "")
    while waiting:
        place, stem, below = waiting.pop()
        message, parent = said.messages[place], said.parents[place]
        parent_id = said.messages[parent].id if parent != ROOT else ""
        lines.append(TreeLine(message, parent_id, stem, below, tuple(at[place])))
        waiting += _branches(children[place], below)
    return lines


def _branches(places: list[int], margin: str) -> list[tuple[int, str, str]]:
    """(place, what is drawn before it, and before what belongs to it) of these messages, the last one
    first."""
    if len(places) == 1:
        return [(places[0], margin, margin)]
    newest_first = list(reversed(places))
    return [
        (place, f"{margin}└─ ", f"{margin}   ") if n == 0 else (place, f"{margin}├─ ", f"{margin}│  ")
        for n, place in enumerate(newest_first)
    ]
