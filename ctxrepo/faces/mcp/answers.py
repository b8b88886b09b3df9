"""What tools answer: text, framed as a quotation from memory, in few bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxrepo.app.sessions.past_search import quoted
from ctxrepo.domain.project.layout import visible
from ctxrepo.domain.text import FRAME, OVERHEAD, size
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

MOST_BYTES = 4096
"""Bytes of an answer in UTF-8, with its frame."""

_REST = 160
"""Bytes that are kept for the line that tells of the rest."""


@dataclass(frozen=True)
class ToolAnswer:
    """The text of an answer, and what a tool that writes tells programs; None for one that reads."""

    text: str
    fields: Mapping[str, Any] | None = None


def quotation(
    desk: Desk, head: str, parts: Sequence[str], first: int = 1, unit: str = "line", frame: str = FRAME
) -> ToolAnswer:
    """A quotation with as many of the parts, from the `first` on, as there is room for, and a last line that
    tells how to get the rest. `head` stands before them, and what the operation noticed behind them; alone it
    is our own sentence, and no quotation."""
    notices = [f"({visible(' '.join(text.split()))})" for text in desk.take_notices()]
    if not (parts or notices):
        return ToolAnswer(visible(head))
    around = [line for line in (visible(head), *notices) if line]
    room = MOST_BYTES - OVERHEAD - _REST - size("\n".join(around))
    shown = _fitting(parts[first - 1 :], room)
    lines = [*around[: bool(head)], *shown, *_rest(len(parts), first, len(shown), unit), *notices]
    return ToolAnswer(quoted(desk, "\n".join(lines), frame))


def _fitting(parts: Sequence[str], room: int) -> list[str]:
    """The first of these parts that fit into so many bytes, with what hides something spelled out; a first
    part that is too long by itself is cut."""
    shown: list[str] = []
    for part in map(visible, parts):
        room -= size(part) + 1
        if room < 0:
            return shown or [_cut(part, size(part) + room)]
        shown.append(part)
    return shown


_CUT = "… (cut: the resource of the note has it whole)"


def _cut(part: str, room: int) -> str:
    return part.encode()[: max(room - size(_CUT), 0)].decode("utf-8", "ignore") + _CUT


def _rest(count: int, first: int, shown: int, unit: str) -> list[str]:
    """The line about what isn't shown; none where all is."""
    if first > max(count, 1):
        return [f"there are only {count} {unit}s"]
    after = count - (first - 1) - shown
    return [f"… {after} more: go on with `from` {first + shown}"] if after > 0 else []
