"""A checklist in a note: reading, ticking, adding and clearing items, without touching other lines.

An item is a list line with a box, `- [ ]` or `* [X]`, at any depth, outside code and comments. A one-line
comment directly above it belongs to it (pi-memory writes when, and in which session) and is removed with it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Literal, NamedTuple

from ctxrepo.domain.note import compose, frontmatter
from ctxrepo.domain.note.entry import derived_id, entries_of, explicit_id, normalised, without_id
from ctxrepo.domain.note.markdown import closed, fence_after, lines_of, split_blocks
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass, lazy_pattern

_MARKERS = lazy_pattern(r"\A(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\](?:[ \t]+|\Z))?")


@dataclass(frozen=True)
class Item:
    """Lines count from 0: `line` is its own, `first` that of its comment or `line`, `end` the one after all
    nested below. `depth` counts the items above; `is_clear`: it and all below it is done."""

    id: str
    text: str
    is_done: bool
    depth: int
    first: int
    line: int
    end: int
    is_clear: bool


def items_of(path: str, text: str) -> list[Item]:
    """The items of the note `text` at `path`, in order."""
    head, body = frontmatter.split(text)
    offset = len(lines_of(head))
    lines = list(lines_in(body))
    ids = {e.first_line - 1: e.id for e in entries_of(path, text)}
    starts = [i for i, line in enumerate(lines) if line.kind == "item"]
    ends = {i: _end(lines, i) for i in starts}
    counts: dict[str, int] = {}
    above: list[int] = []
    items = []
    for i in starts:
        above = [j for j in above if i < ends[j]]
        match = ITEM.match(lines[i].raw)
        assert match
        further = takewhile(lambda line: line.kind == "text", lines[i + 1 : ends[i]])
        texts = (match[3] or "", *(line.raw for line in further))
        words = "\n".join(without_id(text).strip() for text in texts).strip()
        own = ids.get(i + offset, "") if lines[i].heads else explicit_id(lines[i].raw)
        counts[normalised(words)] = nth = counts.get(normalised(words), 0) + 1
        items.append(
            Item(
                id=own or derived_id(path, (*lines[i].heading, "item"), normalised(words), nth),
                text=words,
                is_done=match[2] != " ",
                depth=len(above),
                first=i - (i > 0 and lines[i - 1].kind == "comment") + offset,
                line=i + offset,
                end=ends[i] + offset,
                is_clear=match[2] != " " and _is_clear(lines, i, ends[i]),
            )
        )
        above.append(i)
    return items


def ticked(text: str, item: Item, is_done: bool) -> str:
    """Tick the box of an item, or empty it."""
    lines = lines_of(text)
    match = ITEM.match(lines[item.line])
    assert match
    line = lines[item.line]
    lines[item.line] = f"{line[: match.start(2)]}{'x' if is_done else ' '}{line[match.end(2) :]}"
    return "".join(lines)


def item_line(text: str) -> str:
    """The lines of an open item with this text, without the last line end; further lines are indented.
    UsageError for a text that would be anything else than one item."""
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", text.strip())]
    first, *rest = [line for line in lines if line] or [""]
    first = _MARKERS.sub("", first, count=1)
    if not normalised(first):  # nothing, or only what begins an item of a list
        raise UsageError("the item is empty", "Say in a few words what is to be done.")
    if len(text.encode("utf-8", "surrogatepass")) > compose.MAX_ENTRY_BYTES:
        raise UsageError("the item is too long", "Put it into a note, and name that note in the item.")
    line = "\n".join([f"- [ ] {first}", *(f"  {more}" for more in rest)])
    kinds = [item_line.kind for item_line in lines_in(line)]
    items = items_of("", line)
    is_one = len(items) == 1 and items[0].text == "\n".join([first, *rest])
    if not is_one or kinds != ["item", *("text" for _ in rest)] or len(split_blocks(line)) != 1:
        raise UsageError(
            "that would be more than one item: it holds a list, a heading, code or a comment",
            "Add each item by itself, or say it in plain lines.",
        )
    return line


def added(text: str, line: str) -> str:
    """Add an item after the last top-level one, or at the end if there is none."""
    head, body = frontmatter.split(text)
    tops = [line.block for line in lines_in(body) if line.kind == "item" and line.heads]
    if not tops:
        new = compose.append(text, line)
    else:
        last = tops[-1]
        if last == len(split_blocks(body)) - 1:
            body = closed(body)  # in a fence that nothing closes it would be code
        new = head + _behind(body, last, line, compose.newline_of(text))
    if len(items_of("", new)) != len(items_of("", text)) + 1:
        raise Refused(
            "the list ends in a comment or in code that nothing closes", "Close it, then try again."
        )
    return new


def cleared(path: str, text: str) -> tuple[str, list[Item], list[Item]]:
    """Remove the items that are done; returns (the text, the removed items, the done items that stay). An
    item stays while anything below it is open or isn't an item: somebody wrote it."""
    lines = lines_of(text)
    roots: list[Item] = []
    gone: list[Item] = []
    stays: list[Item] = []
    for item in items_of(path, text):
        if roots and item.line < roots[-1].end:
            gone.append(item)
        elif item.is_clear:
            roots.append(item)
            gone.append(item)
        elif item.is_done:
            stays.append(item)
    for item in reversed(roots):
        above = lines[item.first - 1] if item.first else ""
        below = lines[item.end] if item.end < len(lines) else ""
        # Without a gap, a comment above would belong to the item below.
        is_apart = not (COMMENT.match(above) and ITEM.match(below))
        lines[item.first : item.end] = [] if is_apart else [compose.newline_of(text)]
    return "".join(lines), gone, stays


def _end(lines: "Sequence[Line]", start: int) -> int:
    """The line after everything nested below the item at `start`."""
    end = start + 1
    for i in range(start + 1, len(lines)):
        if lines[i].block != lines[start].block:
            break
        if lines[i].kind != "blank":
            if lines[i].indent <= lines[start].indent:
                break
            end = i + 1
    return end


def _is_clear(lines: "Sequence[Line]", start: int, end: int) -> bool:
    """Whether a done item may be removed with everything below it."""
    if end < len(lines) and lines[end].block == lines[start].block and lines[end].kind in ("text", "closed"):
        return False  # a line that isn't indented and yet goes on with it
    span = [*lines[start:end], None]
    follows, beside = False, 0
    for before, after in pairwise(span):
        assert before is not None
        match before.kind:
            case "item":
                is_fine, follows, beside = before.is_done, True, before.indent
            case "text":
                is_fine = follows and before.indent > beside  # else it goes on with no item
            case "comment":
                is_fine, follows = after is not None and after.kind == "item", False
            case kind:
                is_fine, follows = kind == "blank", False
        if not is_fine:
            return False
    return True


def _behind(body: str, number: int, line: str, newline: str) -> str:
    """Add `line` as a separate item after the block."""
    blocks = split_blocks(body)
    text = blocks[number].text
    if not text.endswith("\n"):
        text += newline
    if COMMENT.match(lines_of(text)[-1]):
        text += newline  # what stands directly above an item is about it
    before = "".join(b.raw for b in blocks[:number])
    rest = "".join(b.raw for b in blocks[number + 1 :])
    return f"{before}{text}{line.replace(chr(10), newline)}{newline}{blocks[number].after}{rest}"


ITEM = lazy_pattern(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\](?:[ \t]+(\S.*)?)?\r?\n?\Z")
"""A list line with a box; its groups are the indentation, the content of the box, and the text."""

COMMENT = lazy_pattern(r"[ \t]*<!--(?!\s*\^)(?:(?!-->).)*-->\s*\Z")
"""A comment of one line, which is no entry's id."""

_BULLET = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:\s|\Z)")
_TAB = 4

Kind = Literal["blank", "item", "bullet", "text", "comment", "closed"]
"""`text` continues what is above it; `closed` is code or part of a comment of several lines."""


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
    """The kind of a line outside of code and comments."""
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
