"""TOML files edited without touching what their author wrote around it. The only owner of tomlkit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from ctxrepo.errors import ConfigError


def read(text: str) -> dict[str, Any]:
    """The tables of `text`; ConfigError when it is no TOML."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"not readable TOML: {error}") from error


def with_value(text: str, table: str, key: str, value: Any) -> str:
    """`text` with `key` of `[table]` set (None removes it), the table made when missing.

    `table` '' is the top of the file.
    """
    document = _parse(text)
    place: Any = document
    if table:
        if not isinstance(document.get(table), Mapping):
            document[table] = tomlkit.table()
        place = document[table]
    if value is None:
        place.pop(key, None)
    elif place.get(key) != value:
        place[key] = value
    return tomlkit.dumps(document)


def with_first_table(text: str, name: str, fields: Mapping[str, str]) -> str:
    """`text` with `fields` set in the first `[[name]]`, which is made when there is none."""
    document = _parse(text)
    tables = document.get(name)
    if not isinstance(tables, AoT) or not len(tables):
        document[name] = tables = tomlkit.aot()
        tables.append(tomlkit.table())
    first = tables[0]
    assert isinstance(first, Table)
    for key, value in fields.items():
        if first.get(key) != value:
            first[key] = value
    return tomlkit.dumps(document)


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, RecursionError) as error:
        raise ConfigError(f"not readable TOML: {error}") from error
