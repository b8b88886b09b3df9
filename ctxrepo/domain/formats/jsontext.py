"""Edits of a JSON document that leave every byte but their own alone.

`json.dumps` of what was loaded would respace a person's file and rewrite its escapes: so the document is
read with the position of everything in it, and changed by splicing. What `append` puts in, `cut` takes out
again to the byte, white space included. The document may have comments: they stay, but for those inside a
value that is cut or replaced.
"""

from __future__ import annotations

import json

from ctxrepo.domain.formats.jsontree import (
    STRING,
    Member,
    Node,
    Path,
    blank_comments,
    comments,
    find,
    index,
    parse,
)
from ctxrepo.lazy import dataclass, lazy_pattern

_LINE_COMMENT = lazy_pattern(r"[ \t]*+(?://[^\r\n]*+|/\*(?:(?!\*/)[^\r\n])*+\*/[ \t]*+)(?=\r?\n)")
"""A comment that is the rest of a line, from behind the value that it is about."""

_LINE_END = lazy_pattern(r"[ \t]*+\r?\n")


def append(text: str, path: Path, value: object, key: str = "") -> str:
    """Put `value` last into the list at `path`, or as the member `key` into the object there.

    Indentation, line ends and spacing are those of the document. KeyError when `path` isn't there.
    """
    root, node = _located(text, path)
    style = _style(text, root)
    if not node.items:
        return _filled(text, node, value, key, style)
    last = node.items[-1]
    comment = _LINE_COMMENT.match(text, last.end)
    end = comment.end() if comment else last.end
    gap = _gap(text, node, style)
    if comment and "\n" not in gap:
        gap = style.newline + _indentation(text, last.start)
    if "\n" in gap:
        rendered = style.render(value, key, gap.rpartition("\n")[2])
    elif style.unit is not None and "\n" in text[last.start : last.end]:
        gap = gap or " "
        rendered = style.render(value, key, _indentation(text, last.start))
    else:
        rendered = style.on_one_line().render(value, key)
    return f"{text[: last.end]},{text[last.end : end]}{gap}{rendered}{text[end:]}"


def cut(text: str, path: Path) -> str:
    """Take out the member or item at `path`, with the comma and the white space that came with it."""
    _, parent = _located(text, path[:-1])
    which = index(parent, path[-1])
    if which is None:
        raise KeyError(path)
    item = parent.items[which]
    if which > 0:
        last = parent.items[which - 1].end
        kept = _comments_between(text, last, item.start)
        return text[:last] + kept + _line_break(text, kept, item) + text[item.end :]
    if len(parent.items) > 1:
        following = parent.items[1].start
        return (
            text[: item.start]
            + _comments_between(text, item.end, following, trailing=True)
            + text[following:]
        )
    before, after = text[parent.start + 1 : item.start], text[item.end : parent.end - 1]
    if found := _comments_in(text, parent.start, item.start):
        kept = text[parent.start + 1 : found[-1][1]]
        left = kept + _line_break(text, kept, item) + after
    else:
        left = before if before == after else after if _comments_in(text, item.end, parent.end) else ""
    return text[: parent.start + 1] + left + text[parent.end - 1 :]


def replace(text: str, path: Path, value: object) -> str:
    """Put `value` where the one at `path` is, on one line if that one was."""
    root, node = _located(text, path)
    style = _style(text, root)
    if "\n" not in text[node.start : node.end]:
        style = style.on_one_line()
    rendered = style.render(value, base=_indentation(text, node.start))
    return text[: node.start] + rendered + text[node.end :]


@dataclass(frozen=True)
class _Style:
    """How a document is laid out; `unit` is one level of indentation, None when all is on one line."""

    unit: str | None
    newline: str
    colon: str
    comma: str

    def render(self, value: object, key: str = "", base: str = "") -> str:
        """`value`, or `"key": value`, its further lines indented by `base`."""
        separators = ("," if self.unit is not None else "," + self.comma, self.colon)
        rendered = json.dumps(value, indent=self.unit, separators=separators, ensure_ascii=False)
        name = json.dumps(key, ensure_ascii=False) + self.colon if key else ""
        return name + rendered.replace("\n", self.newline + base)

    def on_one_line(self) -> _Style:
        return _Style(None, self.newline, self.colon, self.comma)


def _style(text: str, root: Node) -> _Style:
    """Read the layout off the first members of the root."""
    newline = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    if not root.items:
        inner = blank_comments(text)[root.start + 1 : root.end - 1]
        return _Style(None if inner and "\n" not in inner else "  ", newline, ": ", " ")
    first = root.items[0]
    lead = _space(text, root.start + 1, first.start)
    colon = _after_key(text, first)
    comma = _after_comma(text, first, root.items[1]) if len(root.items) > 1 else ""
    if len(root.items) == 1 and colon.endswith(" "):
        comma = " "
    return _Style(
        unit=lead.rpartition("\n")[2] if "\n" in lead else None,
        newline=newline,
        colon=colon,
        comma=comma if "\n" not in comma else " ",
    )


def _after_key(text: str, item: Member) -> str:
    """The colon of a member, with the white space around it."""
    match = STRING.match(text, item.start)
    colon = text[match.end() : item.node.start] if match and item.key else ""
    return colon if colon and not colon.strip(" \t:") else ": "


def _after_comma(text: str, item: Member, following: Member) -> str:
    """The white space between the comma behind an item and the next item."""
    return _space(text, blank_comments(text).index(",", item.end) + 1, following.start)


def _space(text: str, start: int, end: int) -> str:
    """The white space between two offsets; of a stretch with comments what stands there without them."""
    if not _comments_in(text, start, end):
        return text[start:end]
    if "\n" not in text[start:end]:
        return " "
    return ("\r\n" if "\r\n" in text[start:end] else "\n") + _indentation(text, end)


def _comments_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the comments between two offsets are."""
    return [span for span in comments(text) if start <= span[0] < end]


def _line_break(text: str, kept: str, item: Member) -> str:
    """What must stand behind comments that are `kept` from before an item, so that what follows the item does
    not become a part of them."""
    ends_in_line = kept and kept[comments(kept)[-1][0] :].startswith("//")
    is_over = _LINE_END.match(text, item.end)
    return "\n" + _indentation(text, item.start) if ends_in_line and not is_over else ""


def _comments_between(text: str, start: int, end: int, *, trailing: bool = False) -> str:
    """What is left between two items without their comma: the comments, from behind the first item on, or up
    to the second one with `trailing`; '' without any."""
    found = _comments_in(text, start, end)
    if not found:
        return ""
    first, last = (found[0][0], end) if trailing else (start, found[-1][1])
    comma = blank_comments(text).index(",", start)
    return text[first:last] if not first <= comma < last else text[first:comma] + text[comma + 1 : last]


def _gap(text: str, node: Node, style: _Style) -> str:
    """The white space that stands before the next item of a node that has some."""
    last = node.items[-1]
    if len(node.items) > 1:
        return _after_comma(text, node.items[-2], last)
    lead = _space(text, node.start + 1, last.start)
    return lead if "\n" in lead else style.comma


def _filled(text: str, node: Node, value: object, key: str, style: _Style) -> str:
    """Give an empty node its first item.

    White space that is there already goes to both sides, ours is wider before than after: so that `cut`
    can tell what was there.
    """
    there = text[node.start + 1 : node.end - 1]
    base = _indentation(text, node.start)
    if found := _comments_in(text, node.start, node.end):
        end = found[-1][1]
        base += style.unit or ""
        before, after = text[node.start + 1 : end] + style.newline + base, text[end : node.end - 1]
    elif there:
        style = style if "\n" in there else style.on_one_line()
        before, after, base = there, there, there.rpartition("\n")[2] if "\n" in there else base
    elif style.unit:
        before, after, base = style.newline + base + style.unit, style.newline + base, base + style.unit
    else:
        before, after, style = "", "", style.on_one_line()
    rendered = style.render(value, key, base)
    return text[: node.start + 1] + before + rendered + after + text[node.end - 1 :]


def _indentation(text: str, at: int) -> str:
    """The white space that the line of offset `at` begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _located(text: str, path: Path) -> tuple[Node, Node]:
    root = parse(blank_comments(text))
    node = find(root, path)
    if node is None:
        raise KeyError(path)
    return root, node
