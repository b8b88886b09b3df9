"""The text of a note as plain structure: headings, bullets, boxes, code, paragraphs, and nothing that acts.

It is no renderer of markdown: links, pictures, tables and HTML stand as they were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxrepo.faces.page.markup import Html, join, tag
from ctxrepo.lazy import lazy_pattern

_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})")
_HEADING = lazy_pattern(r"(#{1,6})[ \t]+(.*)")
_ITEM = lazy_pattern(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)")
_CATEGORY = lazy_pattern(r"\[([A-Za-z][\w-]{0,39})\](?![(\[]) ?")
_BOX = lazy_pattern(r"\[([ xX])\][ \t]+(.*)")
_INLINE = lazy_pattern(r"(`[^`]+`|\*\*[^*]+\*\*)")
_TABLE = lazy_pattern(r"\s*\|.*\|\s*")
_DEEPEST = 4


def prose(text: str, first_line: int, badges: Mapping[int, Html]) -> Html:
    """A body that begins with line `first_line` of its file; `badges` stand at the lines of entries."""
    return join(*_blocks(text.split("\n"), first_line, badges))


def _blocks(lines: list[str], first_line: int, badges: Mapping[int, Html]) -> Iterator[Html]:
    at = 0
    while at < len(lines):
        line, start = lines[at], at
        if fence := _FENCE.match(line):
            at = _end_of_fence(lines, at, fence[1])
            inner = lines[start + 1 : at - 1] if at - 1 > start else []
            yield tag("pre", tag("code", "\n".join(inner)))
        elif heading := _HEADING.fullmatch(line):
            at += 1
            level = min(6, 3 + len(heading[1]))
            yield tag(f"h{level}", inline(heading[2].rstrip("# ")), class_=f"h{len(heading[1])}")
        elif item := _ITEM.fullmatch(line):
            at = _end_of_paragraph(lines, at + 1)
            words = "\n".join([item[3], *(part.strip() for part in lines[start + 1 : at])])
            yield _item(item[1], item[2], words, badges.get(first_line + start))
        elif _TABLE.fullmatch(line):
            while at < len(lines) and _TABLE.fullmatch(lines[at]):
                at += 1
            yield tag("pre", "\n".join(lines[start:at]), class_="table")
        elif line.strip():
            at = _end_of_paragraph(lines, at + 1)
            more = badges.get(first_line + start)
            yield tag("p", inline("\n".join(lines[start:at])), *([" ", more] if more else []))
        else:
            at += 1


def _end_of_fence(lines: list[str], at: int, fence: str) -> int:
    """The line behind the fence that closes this one; the end where none does."""
    for number in range(at + 1, len(lines)):
        if lines[number].strip().startswith(fence) and not lines[number].strip().strip(fence[0]):
            return number + 1
    return len(lines) + 1


def _end_of_paragraph(lines: list[str], at: int) -> int:
    begins = (_FENCE.match, _HEADING.fullmatch, _ITEM.fullmatch, _TABLE.fullmatch)
    while at < len(lines) and lines[at].strip() and not any(begin(lines[at]) for begin in begins):
        at += 1
    return at


def _item(indent: str, sign: str, words: str, badge: Html | None) -> Html:
    """Each bullet is an element of its own, however deep: lists in lists would need a reader of markdown."""
    depth = min(_DEEPEST, len(indent.expandtabs(4)) // 2)
    box = _BOX.match(words)
    mark = "•" if sign in "-*+" else sign
    if box:
        words = words[box.start(2) :]
        mark = "☐" if box[1] == " " else "☑"
    parts = [
        tag("span", mark, class_="mark"),
        tag("span", entry_words(words), *([" ", badge] if badge else [])),
    ]
    return tag("div", *parts, class_=f"item d{depth}" + (" done" if mark == "☑" else ""))


def entry_words(text: str) -> Html:
    """The words of an entry; its category stands back."""
    label = _CATEGORY.match(text)
    if not label:
        return inline(text)
    return join(tag("span", label[0], class_="category"), inline(text[label.end() :]))


def inline(text: str) -> Html:
    """A text with its code and its bold words told apart."""
    return join(*_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    for piece in _INLINE.split(text):
        if len(piece) > 2 and piece[0] == piece[-1] == "`":
            yield tag("code", piece[1:-1])
        elif len(piece) > 4 and piece.startswith("**") and piece.endswith("**"):
            yield tag("strong", piece[2:-2])
        else:
            yield piece
