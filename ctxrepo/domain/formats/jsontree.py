"""A JSON document read strictly, with the position of everything in it.

Some programs read JSON with comments. `blank_comments` turns those into spaces, so that `parse` reads what is
left, and everything is where it was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from ctxrepo.lazy import dataclass, lazy_pattern

Path = Sequence[str | int]
"""Keys and indices from the root. Of equal keys in one object the last counts, as in every reader."""

MAX_DEPTH = 100

_SPACE = lazy_pattern(r"[ \t\r\n]*")
STRING = lazy_pattern(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = lazy_pattern(
    STRING.pattern + r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null",
)
_STRING_OR_COMMENT = lazy_pattern(rf"{STRING.pattern}|(//[^\r\n]*+|/\*(?s:.*?)(?:\*/|\Z))")


class Malformed(ValueError):
    """The document can't be read, or isn't shaped as asked: `problem` at 1-based `line` and `column`."""

    def __init__(self, text: str, at: int, problem: str) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - text.rfind("\n", 0, at) - (self.line == 1 and text.startswith("\ufeff"))
        self.problem = problem
        super().__init__(f"line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True)
class Node:
    """A value between the offsets `start` and `end`, with its `items` when it is an object or a list.

    `value` is what the text means; numbers are floats, for it is only looked at, never written back.
    """

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
    """Where comments begin and end in a document that may have some: `//` to the end of the line, `/* */`."""
    return tuple(found.span(1) for found in _STRING_OR_COMMENT.finditer(text) if found[1])


@lru_cache(maxsize=8)
def blank_comments(text: str) -> str:
    """The document with spaces for comments, but for their line breaks."""
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
    found = f"not {text[at]!r}" if at < len(text) else "but the file ends"
    return Malformed(text, at, f"expected {expected}, {found}")
