"""What a host passes to a tool, checked against the tool's schema and put right where models misspell it."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from ctxrepo.domain.formats.jsonl import document
from ctxrepo.errors import UsageError

VERBATIM = {"old", "new"}
"""Arguments that are passages of a note: quotes around them are theirs."""


def checked(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool as its schema has them; UsageError, in one line, for what doesn't fit.

    A number in quotes is a number. A text that is quoted once more is what stands between these quotes, as
    small models write it; an argument that is null or, where it may be left out, empty is left out."""
    known: Mapping[str, Mapping[str, Any]] = schema["properties"]
    required = schema.get("required", ())
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"Did you mean `{near[0]}`?" if near else f"There are {', '.join(known)}."
            raise UsageError(f"there is no argument `{name}`", hint)
        if value is None or (value == "" and name not in required):
            continue
        values[name] = _checked(name, known[name], value)
    for name in required:
        if name not in values or (values[name] == "" and name != "new"):
            raise UsageError(f"`{name}` is missing", known[name].get("description", ""))
    return values


def _checked(name: str, schema: Mapping[str, Any], value: object) -> object:
    """One argument by its schema."""
    match schema["type"]:
        case "integer":
            return _integer(name, schema, value)
        case "boolean":
            return _boolean(name, value)
        case _:
            return _text(name, schema, value)


def _text(name: str, schema: Mapping[str, Any], value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"`{name}` should be a text, not {_kind(value)}")
    text = value if name in VERBATIM else unquoted(value)
    choices = schema.get("enum")
    if choices and text not in choices:
        raise UsageError(f"`{name}` is one of {', '.join(choices)}, not {text[:40]!r}")
    return text


def _integer(name: str, schema: Mapping[str, Any], value: object) -> int:
    if isinstance(value, str) and unquoted(value).lstrip("-").isdecimal():
        value = int(unquoted(value)[:20])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    least, most = schema.get("minimum", 0), schema.get("maximum", 10**9)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        bounds = f"from {least} to {most}" if "maximum" in schema else f"from {least} on"
        raise UsageError(f"`{name}` should be a whole number {bounds}")
    return value


def _boolean(name: str, value: object) -> bool:
    if isinstance(value, str) and unquoted(value).casefold() in ("true", "false"):
        return unquoted(value).casefold() == "true"
    if not isinstance(value, bool):
        raise UsageError(f"`{name}` should be true or false, not {_kind(value)}")
    return value


def unquoted(text: str) -> str:
    """A text without the quotes that a model put around it a second time, as in `"\\"text\\""`."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == '"':
        inner, why = document(f"[{stripped}]")
        if not why and isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], str):
            return inner[0]
    return text


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "that")
