"""A markdown body as a sequence of blocks that, joined again, give the body back byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["heading", "bullet", "paragraph", "comment", "blank"]

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_BULLET = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")


@dataclass(frozen=True)
class Block:
    """A run of lines that belong together.

    `text` holds its lines, `after` the blank lines that follow it; `line` is the 1-based number of its
    first line in the body; `heading` are the titles it stands under, outermost first (a heading's own
    title is the last of them).
    """

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
        return self.line + max(len(lines_of(self.text)) - 1, 0)


def lines_of(text: str) -> list[str]:
    """The lines of `text` with their ends, counted as editors count them.

    `str.splitlines` also cuts at form feeds and U+2028, which would shift every line number after one.
    """
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def split_blocks(body: str) -> list[Block]:
    """Cut `body` into headings, top-level bullets with what hangs under them, paragraphs and comments.

    Fenced code stays whole, and inside the bullet or paragraph it belongs to. `"".join(b.raw for b in
    split_blocks(body)) == body` for every string.
    """
    titles: list[tuple[int, str]] = []
    blocks = []
    for kind, line, lines in _group(lines_of(body)):
        text, after = _cut_blank_tail(lines)
        if kind == "heading" and (match := _HEADING.match(text.rstrip("\r\n"))):
            level = len(match[1])
            titles = [t for t in titles if t[0] < level] + [(level, (match[2] or "").strip())]
        blocks.append(Block(kind, text, after, line, tuple(t for _, t in titles)))
    return blocks


def _group(lines: list[str]) -> Iterator[tuple[Kind, int, list[str]]]:
    """Yield (kind, number of the first line, lines), blank lines at the end of the block before them."""
    kind: Kind = "blank"
    first = 1
    current: list[str] = []
    fence = ""
    comment = False
    after_blank = True
    for number, line in enumerate(lines, 1):
        started = None if fence or comment else _starts(line, kind, after_blank)
        if started:
            if current:
                yield kind, first, current
            kind, first, current = started, number, []
            comment = started == "comment"
        current.append(line)
        if comment:
            comment = "-->" not in line
        else:
            fence = _fence_after(line, fence)
        after_blank = not line.strip() and not fence
    if current:
        yield kind, first, current


def _starts(line: str, kind: Kind, after_blank: bool) -> Kind | None:
    """The kind of block that `line` opens, or None when it goes on with the one before it."""
    if not line.strip():
        return None
    if _HEADING.match(line.rstrip("\r\n")):
        return "heading"
    if _BULLET.match(line):
        return "bullet"
    if line.startswith("<!--") and after_blank:
        return "comment"
    if kind in ("heading", "blank", "comment"):
        return "bullet" if _BULLET.match(line.lstrip()) else "paragraph"
    indented = line[0] in " \t"
    if after_blank and not (kind == "bullet" and indented):
        return "paragraph"
    return None


def _fence_after(line: str, fence: str) -> str:
    """The marker of the code fence that is open once `line` is read, or ''."""
    match = _FENCE.match(line) or (_FENCE.match(line.lstrip()) if not fence else None)
    if fence:
        closes = line.strip().startswith(fence) and not line.strip().strip(fence[0])
        return "" if closes else fence
    return match[1] if match else ""


def _cut_blank_tail(lines: list[str]) -> tuple[str, str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return "".join(lines[:end]), "".join(lines[end:])
