"""Reading TOML, with the line of every statement."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass, lazy_pattern


def read(text: str) -> dict[str, Any]:
    """The tables of `text`; ConfigError when it isn't TOML."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"not readable TOML: {error}") from error


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line of each section and key of valid TOML, counted from 1: ('sync',), ('sync', 'ttl'). Of
    several `[[name]]` the first is `name`, the next ones `name[1]`, `name[2]` and so on."""
    lines: dict[tuple[str, ...], int] = {}
    for section, statement in placed(text):
        if statement.is_header:
            lines.setdefault(section, statement.first)
        for name, value in ({} if statement.is_header else statement.values).items():
            lines.setdefault((*section, name), statement.first)
            for inner in value if isinstance(value, dict) else ():
                lines.setdefault((*section, name, inner), statement.first)
    return lines


@dataclass(frozen=True)
class Statement:
    """A header or an assignment: its first and last line, and its parsed `values`."""

    first: int
    last: int
    text: str
    values: dict[str, Any]

    @property
    def is_header(self) -> bool:
        return self.text.startswith("[")


def placed(text: str) -> Iterator[tuple[tuple[str, ...], Statement]]:
    """Each statement with its section, named as by `lines_of`."""
    section: tuple[str, ...] = ()
    tables: dict[str, int] = {}
    for statement in _statements(text):
        if statement.is_header:
            section = _path(statement.values)
            if statement.text.startswith("[["):
                number = tables[section[0]] = tables.get(section[0], -1) + 1
                section = (f"{section[0]}[{number}]", *section[1:]) if number else section
        yield section, statement


_TOKEN = lazy_pattern(
    r"""#[^\n]*|"{3}(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}|'{3}(?:[^']++|'{1,2}(?!'))*+'{3,5}"""
    r"""|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'|[\[\]{}\n]""",
    re.DOTALL,
)
"""Comments, texts, and what else says where a statement ends: at a line break outside of all brackets."""


def _statements(text: str) -> Iterator[Statement]:
    at, first, line, depth = 0, 1, 1, 0
    for token in _TOKEN.finditer(f"{text}\n"):
        sign = token[0]
        depth += (sign in "[{") - (sign in "]}")
        if sign == "\n" and depth <= 0:
            statement = text[at : token.start()].strip()
            if statement and (values := read(statement)):
                yield Statement(first, line, statement, values)
            at, first = token.end(), line + 1
        line += sign.count("\n")


def _path(header: dict[str, Any]) -> tuple[str, ...]:
    """`{"a": {"b": {}}}` as (a, b)."""
    path: list[str] = []
    while header:
        name, inner = next(iter(header.items()))
        path.append(name)
        header = inner[0] if isinstance(inner, list) else inner
    return tuple(path)
