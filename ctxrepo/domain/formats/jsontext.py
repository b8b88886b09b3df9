"""Edits of a JSON document that leave every byte but their own alone.

`json.dumps` of what was loaded would respace a person's file and rewrite its escapes: so the document is
read with the position of everything in it, and changed by splicing. What `append` puts in, `cut` takes out
again to the byte, white space included.
"""

from __future__ import annotations

import json

from ctxrepo.domain.formats.jsontree import STRING, Member, Node, Path, find, index, parse
from ctxrepo.lazy import dataclass


def append(text: str, path: Path, value: object, key: str = "") -> str:
    """Put `value` last into the list at `path`, or as the member `key` into the object there.

    Indentation, line ends and spacing are those of the document. KeyError when `path` isn't there.
    """
    root, node = _located(text, path)
    style = _style(text, root)
    if not node.items:
        return _filled(text, node, value, key, style)
    last = node.items[-1]
    gap = _gap(text, node, style)
    if "\n" in gap:
        rendered = style.render(value, key, gap.rpartition("\n")[2])
    elif style.unit is not None and "\n" in text[last.start : last.end]:
        gap = gap or " "
        rendered = style.render(value, key, _indentation(text, last.start))
    else:
        rendered = style.on_one_line().render(value, key)
    return f"{text[: last.end]},{gap}{rendered}{text[last.end :]}"


def cut(text: str, path: Path) -> str:
    """Take out the member or item at `path`, with the comma and the white space that came with it."""
    _, parent = _located(text, path[:-1])
    which = index(parent, path[-1])
    if which is None:
        raise KeyError(path)
    item = parent.items[which]
    if which > 0:
        return text[: parent.items[which - 1].end] + text[item.end :]
    if len(parent.items) > 1:
        return text[: item.start] + text[parent.items[1].start :]
    before, after = text[parent.start + 1 : item.start], text[item.end : parent.end - 1]
    return text[: parent.start + 1] + (before if before == after else "") + text[parent.end - 1 :]


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
        inner = text[root.start + 1 : root.end - 1]
        return _Style(None if inner and "\n" not in inner else "  ", newline, ": ", " ")
    first = root.items[0]
    lead = text[root.start + 1 : first.start]
    colon = _after_key(text, first)
    comma = text[first.end : root.items[1].start].partition(",")[2] if len(root.items) > 1 else ""
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
    return colon if colon and "\n" not in colon else ": "


def _gap(text: str, node: Node, style: _Style) -> str:
    """The white space that stands before the next item of a node that has some."""
    last = node.items[-1]
    if len(node.items) > 1:
        return text[node.items[-2].end : last.start].partition(",")[2]
    lead = text[node.start + 1 : last.start]
    return lead if "\n" in lead else style.comma


def _filled(text: str, node: Node, value: object, key: str, style: _Style) -> str:
    """Give an empty node its first item.

    White space that is there already goes to both sides, ours is wider before than after: so that `cut`
    can tell what was there.
    """
    there = text[node.start + 1 : node.end - 1]
    base = _indentation(text, node.start)
    if there:
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
    root = parse(text)
    node = find(root, path)
    if node is None:
        raise KeyError(path)
    return root, node
