"""What tools answer: text, framed as a quotation from memory, in few bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxrepo.app.sessions.past_search import quoted
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.layout import visible
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.text import FRAME, OVERHEAD, size
from ctxrepo.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

MOST_BYTES = 4096
"""Bytes of an answer in UTF-8, with its frame."""

_REST = 160
"""Bytes that are kept for the line that tells of the rest."""

_AROUND = 800
"""Bytes that a head may take, and the notices together."""


@dataclass(frozen=True)
class ToolAnswer:
    """The text of an answer, and what a tool that writes tells programs; None for one that reads."""

    text: str
    fields: Mapping[str, Any] | None = None


def quotation(
    desk: Desk, head: str, parts: Sequence[str], first: int = 1, unit: str = "line", frame: str = FRAME
) -> ToolAnswer:
    """A quotation with as many of the parts, from the `first` on, as there is room for, and a last line that
    tells how to get the rest, where the tool takes a `from`: one without it has parts of no `unit`. `head`
    stands before them, and what the operation noticed behind them; alone it is our own sentence, and no
    quotation."""
    head = _cut(visible(head), _AROUND)
    notices = _cut("\n".join(f"({line})" for line in lines_of(desk.take_notices())), _AROUND)
    if not (parts or notices):
        return ToolAnswer(head)
    around = size(head) + size(notices) + 2  # with the ends of their lines
    passages = _fitting(parts[first - 1 :], MOST_BYTES - OVERHEAD - _REST - around)
    rest = _rest(len(parts), first, len(passages), unit)
    lines = [*filter(None, [head]), *passages, *filter(None, [rest, notices])]
    return ToolAnswer(quoted(desk, "\n".join(lines), frame))


_NAMED = lazy_pattern(
    r"`ctxrepo (recall|search|read|remember|edit|handoff|list)(?: ([^`]*))?`|`ctxrepo [^`]*`|"
    r"--(?=(?:supersedes|limit|scope|tag|category)\b)"
)
"""A command that is a tool here, any other command, or an option that is an argument here."""


def lines_of(notices: Iterable[str]) -> list[str]:
    """Each notice on a line, with nothing hidden in it, and with tools and their arguments in place of the
    commands and options that they stand for. A command that no tool stands for is for a person."""
    return [visible(_NAMED.sub(_as_tool, " ".join(text.split()))) for text in notices]


def _as_tool(match: re.Match[str]) -> str:
    tool, words = match[1], match[2] or ""
    if tool is None or "--" in words:
        return "" if match[0] == "--" else match[0]
    if tool == "list":
        return "`read` of index"
    return f"`{tool}` of {words}" if words and tool in ("read", "edit") else f"`{tool}`"


def _fitting(parts: Sequence[str], room: int) -> list[str]:
    """The first of these parts that fit into so many bytes, with what hides something spelled out, and
    without the secrets of notes that are held back; a first part that is too long by itself is cut."""
    passages: list[str] = []
    for part in (mask(visible(part)) for part in parts):
        if not passages:
            part = _cut(part, room - 1, "… (cut: more than an answer holds)")
        room -= size(part) + 1
        if room < 0:
            break
        passages.append(part)
    return passages


def _cut(text: str, room: int, mark: str = "…") -> str:
    """The text, or its beginning and the mark, in so many bytes."""
    if size(text) <= room:
        return text
    return text.encode()[: room - size(mark)].decode("utf-8", "ignore") + mark


def _rest(count: int, first: int, shown: int, unit: str) -> str:
    """The line about what isn't shown; '' where all is."""
    if first > max(count, 1):
        return f"that was all: {counted(count, unit)}"
    after = count - (first - 1) - shown
    way = f"go on with `from` {first + shown}" if unit else "a narrower question has room for them"
    return f"… {after} more: {way}" if after > 0 else ""
