"""JSON that a person wrote: read with the position of every value, edited without changing other bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from ctxrepo.lazy import dataclass, lazy_pattern

_LINE_COMMENT = lazy_pattern(r"[ \t]*+(?://[^\r\n]*+|/\*(?:(?!\*/)[^\r\n])*+\*/[ \t]*+)(?=\r?\n)")
"""A comment at the end of a line, after the value that it is about."""

_LINE_END = lazy_pattern(r"[ \t]*+\r?\n")


def append(text: str, path: Path, value: object, key: str = "") -> str:
    """Append `value` to the list at `path`, or add it as the member `key` to the object there, laid out
    like the document. KeyError when `path` doesn't exist, Malformed when it leads to something else."""
    root, node = _located(text, path)
    if not isinstance(node.value, dict if key else list):
        raise Malformed(text, node.start, f"expected {'an object, with braces' if key else 'a list'}")
    style = _style(text, root)
    if not node.items:
        return _filled(text, node, value, key, style)
    last = node.items[-1]
    comment = _LINE_COMMENT.match(text, last.end)
    end = comment.end() if comment else last.end
    gap = _gap(text, node, style)
    if comment:  # what stands before the line break would be a part of the comment
        gap = gap.lstrip(" \t") if "\n" in gap else style.newline + _indentation(text, last.start)
    if "\n" in gap:
        rendered = style.render(value, key, gap.rpartition("\n")[2])
    elif style.unit is not None and "\n" in text[last.start : last.end]:
        gap = gap or " "
        rendered = style.render(value, key, _indentation(text, last.start))
    else:
        rendered = style.on_one_line().render(value, key)
    return f"{text[: last.end]},{text[last.end : end]}{gap}{rendered}{text[end:]}"


def cut(text: str, path: Path) -> str:
    """Remove the member or item at `path`, with the comma and the white space that came with it."""
    _, parent = _located(text, path[:-1])
    which = index(parent, path[-1])
    if which is None:
        raise KeyError(path)
    item = parent.items[which]
    if which > 0:
        last = parent.items[which - 1].end
        comments_kept = _comments_between(text, last, item.start)
        return text[:last] + comments_kept + _line_break(text, comments_kept, item) + text[item.end :]
    if len(parent.items) > 1:
        following = parent.items[1].start
        return (
            text[: item.start]
            + _comments_between(text, item.end, following, trailing=True)
            + text[following:]
        )
    before, after = text[parent.start + 1 : item.start], text[item.end : parent.end - 1]
    if comments_before := _comments_in(text, parent.start, item.start):
        comments_kept = text[parent.start + 1 : comments_before[-1][1]]
        inner = comments_kept + _line_break(text, comments_kept, item) + after
    else:
        inner = before if before == after else after if _comments_in(text, item.end, parent.end) else ""
    return text[: parent.start + 1] + inner + text[parent.end - 1 :]


def replace(text: str, path: Path, value: object) -> str:
    """Replace the value at `path`, on one line if the old value was."""
    root, node = _located(text, path)
    style = _style(text, root)
    if "\n" not in text[node.start : node.end]:
        style = style.on_one_line()
    rendered = style.render(value, base=_indentation(text, node.start))
    return text[: node.start] + rendered + text[node.end :]


def is_empty(text: str) -> bool:
    """Whether nothing stands in a document, but for blanks and a byte order mark."""
    return not text.strip("\ufeff \t\r\n")


def or_object(text: str) -> str:
    """The document, or an empty object where nothing stands in it."""
    return ("\ufeff{}\n" if text.startswith("\ufeff") else "{}\n") if is_empty(text) else text


def parse_commented(text: str) -> Node:
    """The root of a document, with comments or without."""
    return parse(blank_comments(text))


def members(text: str) -> dict[str, object]:
    """What the object of a document has, with comments or without; nothing where it is empty or another
    value."""
    value = {} if is_empty(text) else parse_commented(text).value
    return value if isinstance(value, dict) else {}


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
    match = STRING.match(text, first.start)
    colon = text[match.end() : first.node.start] if match and first.key else ""
    colon = colon if colon and not colon.strip(" \t:") else ": "
    comma = _after_comma(text, first, root.items[1]) if len(root.items) > 1 else ""
    if len(root.items) == 1 and colon.endswith(" "):
        comma = " "
    return _Style(
        unit=lead.rpartition("\n")[2] if "\n" in lead else None,
        newline=newline,
        colon=colon,
        comma=comma if "\n" not in comma else " ",
    )


def _after_comma(text: str, item: Member, following: Member) -> str:
    """The white space between the comma behind an item and the next item."""
    return _space(text, blank_comments(text).index(",", item.end) + 1, following.start)


def _space(text: str, start: int, end: int) -> str:
    """The white space between two offsets, without comments."""
    if not _comments_in(text, start, end):
        return text[start:end]
    if "\n" not in text[start:end]:
        return " "
    return ("\r\n" if "\r\n" in text[start:end] else "\n") + _indentation(text, end)


def _comments_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the comments between two offsets are."""
    return [span for span in comments(text) if start <= span[0] < end]


def _line_break(text: str, kept: str, item: Member) -> str:
    """A line break after comments that are `kept`, if the next item would otherwise become a part of them."""
    ends_in_line = kept and kept[comments(kept)[-1][0] :].startswith("//")
    is_over = _LINE_END.match(text, item.end)
    return "\n" + _indentation(text, item.start) if ends_in_line and not is_over else ""


def _comments_between(text: str, start: int, end: int, *, trailing: bool = False) -> str:
    """The comments between two items, from the first on, or with `trailing` up to the second; '' without."""
    spans = _comments_in(text, start, end)
    if not spans:
        return ""
    first, last = (spans[0][0], end) if trailing else (start, spans[-1][1])
    comma = blank_comments(text).index(",", start)
    return text[first:last] if not first <= comma < last else text[first:comma] + text[comma + 1 : last]


def _gap(text: str, node: Node, style: _Style) -> str:
    """The white space before the next item of a node that has some."""
    last = node.items[-1]
    if len(node.items) > 1:
        return _after_comma(text, node.items[-2], last)
    lead = _space(text, node.start + 1, last.start)
    return lead if "\n" in lead else style.comma


def _filled(text: str, node: Node, value: object, key: str, style: _Style) -> str:
    """Give an empty node its first item. White space that it has goes to both sides; ours is wider before
    than after, so that `cut` can tell them apart."""
    inner = text[node.start + 1 : node.end - 1]
    base = _indentation(text, node.start)
    if spans := _comments_in(text, node.start, node.end):
        end = spans[-1][1]
        base += style.unit or ""
        before, after = text[node.start + 1 : end] + style.newline + base, text[end : node.end - 1]
    elif inner:
        style = style if "\n" in inner else style.on_one_line()
        before, after, base = inner, inner, inner.rpartition("\n")[2] if "\n" in inner else base
    elif style.unit:
        before, after, base = style.newline + base + style.unit, style.newline + base, base + style.unit
    else:
        before, after, style = "", "", style.on_one_line()
    rendered = style.render(value, key, base)
    return text[: node.start + 1] + before + rendered + after + text[node.end - 1 :]


def _indentation(text: str, at: int) -> str:
    """The white space at the beginning of the line of offset `at`."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _located(text: str, path: Path) -> tuple[Node, Node]:
    root = parse(blank_comments(text))
    node = find(root, path)
    if node is None:
        raise KeyError(path)
    return root, node


Path = Sequence[str | int]
"""Keys and indices from the root. Of equal keys in one object the last counts, as in every reader."""

MAX_DEPTH = 100

_SPACE = lazy_pattern(r"[ \t\r\n]*")
STRING = lazy_pattern(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = lazy_pattern(
    STRING.pattern + r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
)
_STRING_OR_COMMENT = lazy_pattern(rf"{STRING.pattern}?|(//[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z))")


class Malformed(ValueError):
    """The document can't be read or has another structure: `problem` at 1-based `line` and `column`."""

    def __init__(self, text: str, at: int, problem: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at) - (self.line == 1 and text.startswith("\ufeff"))
        self.problem = problem
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True)
class Node:
    """A parsed `value` between two offsets, with its `items` if it is an object or a list. Its numbers are
    floats, as they are never written back."""

    start: int
    end: int
    value: object
    items: tuple[Member, ...] = ()


@dataclass(frozen=True)
class Member:
    """A member of an object, from its key on, or of a list, where `key` is ''."""

    key: str
    start: int
    node: Node

    @property
    def end(self) -> int:
        return self.node.end


@lru_cache(maxsize=8)
def comments(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of comments in a document that may have some: `//` to the end of the line, `/* */`."""
    return tuple(match.span(1) for match in _STRING_OR_COMMENT.finditer(text) if match[1])


@lru_cache(maxsize=8)
def blank_comments(text: str) -> str:
    """The document with spaces instead of comments, apart from their line breaks."""
    for start, end in comments(text):
        blank = "".join(letter if letter in "\r\n" else " " for letter in text[start:end])
        text = text[:start] + blank + text[end:]
    return text


@lru_cache(maxsize=8)  # editing settings asks about one text again and again
def parse(text: str) -> Node:
    """The root of a strict JSON document, a leading byte order mark allowed; Malformed otherwise."""
    root = _value(text, _after_space(text, int(text.startswith("\ufeff"))), 0)
    end = _after_space(text, root.end)
    if end != len(text):
        raise _unexpected(text, end, "nothing after the document's end")
    return root


def find(root: Node, path: Path) -> Node | None:
    """The node at `path`, or None when a step of it isn't there."""
    for step in path:
        which = index(root, step)
        if which is None:
            return None
        root = root.items[which].node
    return root


def index(node: Node, step: str | int) -> int | None:
    """Which of the node's items a step of a path means; None when there is none."""
    if isinstance(step, int):
        return step if isinstance(node.value, list) and 0 <= step < len(node.items) else None
    if not isinstance(node.value, dict):
        return None
    return next((i for i in reversed(range(len(node.items))) if node.items[i].key == step), None)


def _value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise Malformed(text, at, f"nested deeper than {MAX_DEPTH} levels")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    match = _SCALAR.match(text, at)
    if not match:
        raise _unexpected(text, at, "a value")
    # As floats, because a number of thousands of digits is good JSON and too much for int().
    return Node(at, match.end(), json.loads(match[0], parse_int=float))


def _container(text: str, at: int, depth: int) -> Node:
    is_object = text[at] == "{"
    close = "}" if is_object else "]"
    items: list[Member] = []
    here = _after_space(text, at + 1)
    while items or text[here : here + 1] != close:
        start = here
        key, here = _key(text, here) if is_object else ("", here)
        items.append(Member(key, start, _value(text, here, depth + 1)))
        here = _after_space(text, items[-1].end)
        if text[here : here + 1] == close:
            break
        if text[here : here + 1] != ",":
            raise _unexpected(text, here, f"',' or '{close}'")
        here = _after_space(text, here + 1)
    value = {i.key: i.node.value for i in items} if is_object else [i.node.value for i in items]
    return Node(at, here + 1, value, tuple(items))


def _key(text: str, at: int) -> tuple[str, int]:
    """A member's key and where its value begins."""
    match = STRING.match(text, at)
    if not match:
        raise _unexpected(text, at, "a key in double quotes")
    colon = _after_space(text, match.end())
    if text[colon : colon + 1] != ":":
        raise _unexpected(text, colon, "':'")
    return str(json.loads(match[0])), _after_space(text, colon + 1)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _unexpected(text: str, at: int, expected: str) -> Malformed:
    if text[at : at + 2] in ("//", "/*"):
        return Malformed(text, at, "a comment, which JSON does not have")
    if text[at : at + 1] in ("}", "]") and text[:at].rstrip(" \t\r\n").endswith(","):
        return Malformed(text, at, "a comma with nothing after it, which JSON does not have")
    actual = f"not {text[at]!r}" if at < len(text) else "but the file ends"
    return Malformed(text, at, f"expected {expected}, {actual}")
