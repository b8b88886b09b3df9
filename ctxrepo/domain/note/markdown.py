"""A markdown body as a sequence of blocks that, joined again, give the body back byte for byte."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Literal, NamedTuple

from ctxrepo.lazy import lazy_pattern

Kind = Literal["heading", "bullet", "paragraph", "comment", "blank"]

_FENCE = lazy_pattern(r"\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = lazy_pattern(r"(#{1,6})(?=[ \t]|[\r\n]*\Z)")
_BREAK = lazy_pattern(r"(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?\n?$")
_BULLET = lazy_pattern(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_OPENERS = frozenset("#-*+_<")
"""What a line that opens something other than a paragraph begins with, unless that is a digit or a space."""


class Block(NamedTuple):
    """Lines that belong together (`text`), the blank ones `after`, and the 1-based number of the first in
    the body; `heading` are the titles above, outermost first, of a heading its own last."""

    kind: Kind
    text: str
    after: str
    line: int
    heading: tuple[str, ...]

    @property
    def raw(self) -> str:
        return self.text + self.after

    @property
    def last_line(self) -> int:
        return self.line + self.text.count("\n", 0, -1)


def lines_of(text: str) -> list[str]:
    """The lines of `text` with their ends, as editors count them: `str.splitlines` also cuts at form feeds
    and U+2028, which would shift every line number after one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def split_blocks(body: str) -> list[Block]:
    """Cut `body` into headings, top-level bullets with what hangs under them, paragraphs and comments,
    each with its fenced code; joined, their `raw` is the body again."""
    titles: list[tuple[int, str]] = []
    heading: tuple[str, ...] = ()
    lines = lines_of(body)
    at = [0, *accumulate(map(len, lines))]
    blocks = []
    for kind, start, end in _group(lines):
        text_end = end
        while text_end > start and lines[text_end - 1].isspace():
            text_end -= 1
        text, after = body[at[start] : at[text_end]], body[at[text_end] : at[end]]
        if kind == "heading" and (match := _HEADING.match(text)):
            level = len(match[1])
            titles = [t for t in titles if t[0] < level] + [(level, _title(text[level:]))]
            heading = tuple(t for _, t in titles)
        blocks.append(Block(kind, text, after, start + 1, heading))
    return blocks


def _title(words: str) -> str:
    """What a heading says, without the `#` that may close it."""
    words = words.strip(" \t\r\n")
    bare = words.rstrip("#")
    return (bare if bare.endswith((" ", "\t")) else words).strip()


def closed(body: str) -> str:
    """`body` with a code fence or comment that nothing closes closed, so that more can follow it."""
    blocks = split_blocks(body)
    end = _left_open(blocks[-1]) if blocks else ""
    if not end:
        return body
    newline = "\r\n" if "\r\n" in body else "\n"
    return body + ("" if body.endswith("\n") else newline) + end + newline


def _group(lines: list[str]) -> Iterator[tuple[Kind, int, int]]:
    """Yield (kind, index of the first line, index behind the last), blank lines at the end of a block."""
    kind: Kind = "blank"
    start = 0
    fence = ""
    comment = False
    after_blank = True
    for number, line in enumerate(lines):
        started = None if fence or comment else _starts(line, kind, after_blank)
        if started:
            if number:
                yield kind, start, number
            kind, start = started, number
            comment = started == "comment"
        if comment:
            comment = "-->" not in line
        elif fence or "```" in line or "~~~" in line:
            fence = fence_after(line, fence)
        # What follows a thematic break is not a part of it.
        is_break = started == "paragraph" and line[0] in "-*_" and bool(_BREAK.match(line))
        after_blank = is_break or (not fence and line.isspace())
    if lines:
        yield kind, start, len(lines)


def _starts(line: str, kind: Kind, after_blank: bool) -> Kind | None:
    """The kind of block that `line` opens, or None when it goes on with the one before it."""
    if line.isspace():
        return None
    first = line[0]
    is_behind = kind in ("heading", "blank", "comment")
    if not (first in _OPENERS or first.isspace() or first.isdecimal()):  # most lines, and cheap to know
        return "paragraph" if is_behind or after_blank else None
    if first == "#" and _HEADING.match(line):
        return "heading"
    is_break = bool(_BREAK.match(line))
    if _BULLET.match(line) and not is_break:
        return "bullet"
    if is_break and (kind != "paragraph" or after_blank):
        return "paragraph"
    hangs = kind == "bullet" and first in " \t"
    if is_behind or (after_blank and not hangs):
        if line.startswith("<!--"):
            return "comment"
        return "bullet" if _BULLET.match(line.lstrip()) else "paragraph"
    return None


def fence_after(line: str, fence: str) -> str:
    """The marker of the code fence that is open once `line` is read, or ''."""
    if fence:
        closes = line.strip().startswith(fence) and not line.strip().strip(fence[0])
        return "" if closes else fence
    match = _FENCE.match(line)
    return match[1] if match else ""


def _left_open(block: Block) -> str:
    """The line that closes the code fence or comment `block` ends in, or ''."""
    if block.kind == "comment":
        return "" if "-->" in block.text else "-->"
    fence = indent = ""
    for line in lines_of(block.text):
        if not fence:
            indent = line[: len(line) - len(line.lstrip())]
        fence = fence_after(line, fence)
    return indent + fence if fence else ""
