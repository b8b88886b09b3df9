"""What a host passes to a tool, checked against the tool's schema and put right where models misspell it."""

from collections.abc import Collection, Mapping
from typing import Any

from ctxrepo.domain.formats.jsonl import document
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import nearest
from ctxrepo.errors import UsageError
from ctxrepo.lazy import lazy_pattern

VERBATIM = {"old", "new"}
"""Arguments that are passages of a note: quotes around them are theirs."""

_LONGEST = 40
"""Characters of what a host passes that an error shows."""


def checked(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a tool as its schema has them; UsageError, in one line, for what doesn't fit.

    A number in quotes is a number. A text that is quoted once more is what stands between these quotes, as
    small models write it; an argument that is null or, where it may be left out, empty is left out."""
    known: Mapping[str, Mapping[str, Any]] = schema["properties"]
    required = schema.get("required", ())
    values: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in known:
            raise _unknown(name, known)
        argument = unquoted(value) if isinstance(value, str) and name not in VERBATIM else value
        if argument is None or (argument == "" and name not in required):
            continue
        values[name] = _checked(name, known[name], argument)
    for name in required:
        if name not in values or (values[name] == "" and name != "new"):
            raise UsageError(f"`{name}` is missing", known[name].get("description", ""))
    return values


def _unknown(name: str, known: Collection[str]) -> UsageError:
    near = nearest(name[:_LONGEST], known)
    others = f"There are {', '.join(known)}." if known else "It takes none."
    return UsageError(
        f"there is no argument `{shown(name, _LONGEST)}`", f"Did you mean `{near}`?" if near else others
    )


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
    choices = schema.get("enum")
    if choices and value not in choices:
        raise UsageError(f"`{name}` is one of {', '.join(choices)}, not {value[:_LONGEST]!r}")
    return value


_NUMBER = lazy_pattern(r"\s*(-?\d{1,20})\s*\Z")


def _integer(name: str, schema: Mapping[str, Any], value: object) -> int:
    if isinstance(value, str) and (number := _NUMBER.match(value)):
        value = int(number[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    least, most = schema.get("minimum", 0), schema.get("maximum", 10**9)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        bounds = f"from {least} to {most}" if "maximum" in schema else f"from {least} on"
        raise UsageError(f"`{name}` should be a whole number {bounds}")
    return value


def _boolean(name: str, value: object) -> bool:
    if isinstance(value, str) and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
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
    names = {str: "a text", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
