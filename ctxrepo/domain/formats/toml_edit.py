"""TOML files edited without touching what their author wrote around it. The only owner of tomlkit, which
takes as long to import as a start of Python: modules that only read import `toml`."""

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array

from ctxrepo.domain.formats.toml import placed, read
from ctxrepo.errors import ConfigError


def with_value(text: str, table: str, key: str, value: Any) -> str:
    """Set `key` of `[table]` ('': the top of the file; None removes the key); a missing table is created.
    From several `[[table]]` a key is removed in the first."""
    if value is None:
        return _without(text, table, key)
    document = _parse(text)
    place: Any = document.get(table) if table else document
    if table and place is None:
        return _added(text, {table: {key: value}})
    if not isinstance(place, Mapping):
        document[table] = place = tomlkit.table()
    return _with(text, document, place, (table, key), value)


def without_empty(text: str, table: str) -> str:
    """Remove the header of an empty table without comments, and the blank lines around it."""
    lines, parts = text.split("\n"), list(placed(text))
    own = [n for n, (place, _) in enumerate(parts) if place == (table,)]
    if len(own) != 1 or parts[own[0]][1].text != f"[{table}]":
        return text
    first = parts[own[0]][1].first
    end = parts[own[0] + 1][1].first - 1 if own[0] + 1 < len(parts) else len(lines)
    if parts[own[0]][1].last != first or any(line.strip() for line in lines[first:end]):
        return text
    start = first - 1
    if end == len(lines) and start and not lines[start - 1].strip():
        return "\n".join(lines[: start - 1]) + ("\n" if start > 1 else "")
    return "\n".join(lines[:start] + lines[end:])


def with_table(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Set these values in the table at `path` (None removes one), and leave its other values; a missing table
    is added at the end. A table among the values has then those values and no others; a new one stands on one
    line."""
    document = _parse(text)
    place: Any = _at(document, path)
    if place is None:
        added: dict[str, Any] = {key: _on_line(value) for key, value in values.items() if value is not None}
        for name in reversed(path):
            added = {name: added}
        return _added(text, added)
    _put(place, values)
    return tomlkit.dumps(document)


def _put(place: Any, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        there = place.get(key)
        if value is None:
            place.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(there, Mapping):
            _put(there, {**dict.fromkeys(there), **value})
        elif there != value:
            place[key] = _on_line(value)


def without_table(text: str, path: Sequence[str]) -> str:
    """Remove the table at `path` and those below it, with the blank line before them; comments stay."""
    lines, parts = text.split("\n"), list(placed(text))
    own = [statement for place, statement in parts if place[: len(path)] == tuple(path)]
    for statement in reversed(own):
        start, end = statement.first - 1, statement.last
        if statement.is_header and not lines[start - 1].strip() and any(map(str.strip, lines[:start])):
            start -= 1
        del lines[start:end]
    text = "\n".join(lines)
    document = _parse(text)
    if own or (place := _at(document, path[:-1])) is None or path[-1] not in place:
        return text
    place.pop(path[-1])  # written on one line, or by keys with points
    return tomlkit.dumps(document)


def _at(document: Any, path: Sequence[str]) -> Any:
    """The table at `path`, None where there is none."""
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else None


def _on_line(value: Any) -> Any:
    """A value as it stands in one line."""
    if not isinstance(value, Mapping):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def with_first_table(text: str, name: str, fields: Mapping[str, Any]) -> str:
    """Set `fields` in the first `[[name]]`, or in `name = [{…}]`; created when there is none."""
    tables = _parse(text).get(name)
    if _first(tables) is None:
        without = text if tables is None else with_value(text, "", name, None)
        return _added(without, {name: [dict(fields)]})
    for key, value in fields.items():
        document = _parse(text)
        text = _with(text, document, _first(document[name]), (name, key), value)
    return text


def _without(text: str, table: str, key: str) -> str:
    """Remove a key by its lines if it has its own: of a table in several parts tomlkit would remove the
    header, and what its author wrote below."""
    _parse(text)  # what isn't TOML is no one's to edit
    section, lines = (table,) if table else (), text.split("\n")
    for place, statement in reversed(list(placed(text))):
        if place == section and not statement.is_header and key in statement.values:
            del lines[statement.first - 1 : statement.last]
    text = "\n".join(lines)
    document = _parse(text)
    place_of_key: Any = document.get(table) if table else document
    place_of_key = place_of_key if isinstance(place_of_key, Mapping) else _first(place_of_key)
    if place_of_key is None or key not in place_of_key:
        return text
    place_of_key.pop(key)
    return tomlkit.dumps(document)


def _first(tables: object) -> Any:
    """The first of several tables, with headers or in a list; None if it is neither."""
    if isinstance(tables, AoT | Array) and len(tables) and isinstance(tables[0], Mapping):
        return tables[0]
    return None


def _with(text: str, document: tomlkit.TOMLDocument, place: Any, path: tuple[str, str], value: Any) -> str:
    """Set one value of `place`; a new one goes after the section's last line."""
    section, key = path
    ends = (statement.last for place_of_it, statement in placed(text) if place_of_it == (section,))
    if key not in place and section and (end := max(ends, default=0)):
        return _added(text, {key: value}, end)
    before = place.get(key)
    is_same = before == value and isinstance(before, bool) == isinstance(value, bool)  # True == 1 in Python
    if not is_same and not _edited(document, before, value):
        place[key] = value
    return tomlkit.dumps(document)


def _added(text: str, values: Mapping[str, Any], below: int = 0) -> str:
    """Add values after a line or, set off, at the end, with the line ends of the text."""
    newline = "\r\n" if "\r\n" in text else "\n"
    more = tomlkit.dumps(values).replace("\n", newline)
    lines = text.split("\n")
    head, rest = ("\n".join(lines[:below]), "\n".join(lines[below:])) if below else (text, "")
    if below and below < len(lines):
        return f"{head}\n{more}{rest}"
    between = "" if not head or head.endswith("\n") else newline
    return f"{head}{between}{newline if head.strip() and not below else ''}{more}{rest}"


def _edited(document: tomlkit.TOMLDocument, array: Any, value: Any) -> bool:
    """Change a list item by item, so that comments between its items stay; False if that isn't possible."""
    if not isinstance(array, Array) or not isinstance(value, list):
        return False
    common = [item for item in array if item in value]
    if common != value[: len(common)] or any(value.count(item) > 1 for item in value):
        return False
    for item in [item for item in array if item not in value]:
        array.remove(item)
    for item in value[len(common) :]:
        array.append(item)
    try:
        return list(array) == value and bool(read(tomlkit.dumps(document)))
    except ConfigError:  # a comma may get lost beside a comment
        return False


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, RecursionError) as error:
        raise ConfigError(f"not readable TOML: {error}") from error
