"""JSON lines as the memory keeps them: read tolerantly, one object a line, nothing dropped."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from typing import Any

MAX_LINE = 1024 * 1024

MAX_FILE = 512 * 1024
"""The size in bytes after which a month's records continue in a second file. The guard refuses twice that,
and a file that is only appended to must never be full."""

TOMBSTONE = "deleted"
"""A line `{"id": …, "deleted": …}` deletes the line with that id, wherever the two meet."""


def record(line: str) -> dict[str, Any] | None:
    """The object on a line; None when it is torn, too long, too deep or not an object."""
    value, _ = _parsed(line)
    return value if isinstance(value, dict) else None


def document(text: str) -> tuple[object, str]:
    """The value that a whole text is, however long, and why it can't be read, or ''."""
    return _parsed(text, len(text))


def canonical(line: str) -> str:
    """A text that is equal for lines with equal objects; any other line is its own text, without its end."""
    fields = record(line)
    return line.rstrip("\r\n") if fields is None else json.dumps(fields, sort_keys=True)


def trouble(line: str) -> str:
    """Why a line isn't a record, to follow "a line that"; '' for a record."""
    value, why = _parsed(line)
    return why or ("" if isinstance(value, dict) else "isn't a JSON object")


def records(text: str) -> list[dict[str, Any]]:
    """The readable objects of a file in order, without deleted ones."""
    readable = objects(text)
    deleted = {text_of(r, "id") for r in readable if TOMBSTONE in r} - {""}
    return [r for r in readable if TOMBSTONE not in r and text_of(r, "id") not in deleted]


def objects(text: str) -> list[dict[str, Any]]:
    """The readable objects of a file in order, those that delete another one and the deleted included."""
    return [r for r in map(record, text.split("\n")) if r is not None]


def with_room(start: str, there: Callable[[str], Sized | None]) -> str:
    """The first of `start`.jsonl, `start`-2.jsonl and so on that has room; `there` gives a file as it is."""
    number = 1
    while len(there(path := f"{start}{f'-{number}' if number > 1 else ''}.jsonl") or "") > MAX_FILE:
        number += 1
    return path


def in_parts(lines: Iterable[str]) -> Iterator[str]:
    """Join lines into parts, each small enough for a file that `with_room` names."""
    part: list[str] = []
    size = 0
    for line in lines:
        if part and size + len(line) > MAX_FILE // 4:
            yield "\n".join(part)
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield "\n".join(part)


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


def texts_in(value: object) -> list[str]:
    """The texts in a list; none of what is no list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _parsed(line: str, most: int = MAX_LINE) -> tuple[object, str]:
    """The value on a line, and why it can't be read, or ''."""
    if len(line) > most:
        return None, f"is longer than {MAX_LINE // 1024} KiB"
    try:
        return json.loads(line, parse_constant=_finite, parse_float=_finite), ""
    except RecursionError:
        return None, "is nested too deep"
    except json.JSONDecodeError as error:
        if error.pos >= len(line.rstrip()):
            return None, "isn't a JSON object: it breaks off"
        return None, f"isn't a JSON object: {error.msg}, column {error.colno}"
    except ValueError:
        return None, "has a number that JSON doesn't have, or one that is too large"


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(digits)
    return number
