"""The lines of a note as a checklist sees them: items, what goes on with them, and what is none of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ctxrepo.domain.note.markdown import fence_after, lines_of, split_blocks
from ctxrepo.lazy import lazy_pattern

ITEM = lazy_pattern(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(\S.*)?)?\r?\n?\Z")
"""A list line with a box; its groups are the indent, what is in the box, and the words."""

COMMENT = lazy_pattern(r"[ \t]*<!--(?!\s*\^)(?:(?!-->).)*-->\s*\Z")
"""A comment of one line, which is no entry's id."""

_BULLET = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:\s|\Z)")
_TAB = 4

Kind = Literal["blank", "item", "bullet", "text", "comment", "closed"]
"""`text` goes on with what is above it, `closed` is code or part of a comment of several lines."""


class Line(NamedTuple):
    """`indent` in columns; lines of code and comments have that of the line that opened them. `block` is the
    number of the block it is in, `heads` whether it begins a top-level list item."""

    raw: str
    kind: Kind
    indent: int
    block: int
    heads: bool
    heading: tuple[str, ...]

    @property
    def is_done(self) -> bool:
        match = ITEM.match(self.raw)
        return match is not None and match[2] != " "


def lines_in(body: str) -> Iterator[Line]:
    """The lines of a note's body."""
    fence = ""
    is_comment = False
    opened = 0
    for number, block in enumerate(split_blocks(body)):
        for nth, raw in enumerate(lines_of(block.raw)):
            indent = opened
            if is_comment:
                kind: Kind = "closed"
                is_comment = "-->" not in raw
            elif fence or fence_after(raw, ""):
                kind = "closed"
                indent = opened = opened if fence else _indent(raw)
                fence = fence_after(raw, fence)
            else:
                kind = _kind(raw, in_list=block.kind == "bullet")
                indent = opened = _indent(raw)
                is_comment = kind == "closed"
            yield Line(raw, kind, indent, number, nth == 0 and block.kind == "bullet", block.heading)


def _kind(line: str, *, in_list: bool) -> Kind:
    """What a line is that stands neither in code nor in a comment."""
    if line.isspace():
        return "blank"
    if COMMENT.match(line):
        return "comment"
    if line.lstrip().startswith("<!--") and "-->" not in line:
        return "closed"
    if in_list and ITEM.match(line):
        return "item"
    return "bullet" if _BULLET.match(line) else "text"


def _indent(line: str) -> int:
    bare = line.lstrip(" \t")
    return len(line[: len(line) - len(bare)].expandtabs(_TAB))
