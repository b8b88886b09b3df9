"""JSON lines as the memory keeps them: read tolerantly, one object a line, nothing thrown away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MAX_LINE = 1024 * 1024

TOMBSTONE = "deleted"
"""A line `{"id": …, "deleted": …}` takes the line with that id back, wherever the two meet."""


def record(line: str) -> dict[str, Any] | None:
    """The object on a line; None when it is torn, too long, too deep or something else than an object."""
    if len(line) > MAX_LINE:
        return None
    try:
        found = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def records(text: str) -> list[dict[str, Any]]:
    """The readable objects of a file in order, without those that a tombstone takes back."""
    found = [r for r in map(record, text.split("\n")) if r is not None]
    deleted = {text_of(r, "id") for r in found if TOMBSTONE in r} - {""}
    return [r for r in found if TOMBSTONE not in r and text_of(r, "id") not in deleted]


def render(fields: Mapping[str, Any]) -> str:
    """One line for `fields`, keys in their order, without a newline."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)


def render_compactly(fields: Mapping[str, Any]) -> str:
    """As `render`, without a blank between keys and values, as JavaScript writes it."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def text_of(fields: Mapping[str, Any], key: str) -> str:
    """The field if it is a text, else ''."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
