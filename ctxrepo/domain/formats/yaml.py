"""A YAML mapping read leniently, with the line of each key; a text quoted. The only owner of PyYAML.

Importing the libraries takes as long as one or two starts of Python, and nearly no head needs them: so
whoever needs this module imports it at that moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import yaml
from frontmatter import parse
from frontmatter.default_handlers import YAMLHandler
from yaml.constructor import SafeConstructor
from yaml.reader import Reader

from ctxrepo.lazy import dataclass

_MAX_DEPTH = 20
_TOO_DEEP = f"nested deeper than {_MAX_DEPTH} levels"

_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"
"""What libyaml 0.2.6 and later say of a thousand levels, which they read ahead of the first event."""

_UNREADABLE = "\ufffd"
"""Stands for each character that YAML doesn't take."""

_NOT_YAML = Reader.NON_PRINTABLE
_BASE: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
_BOOL = "tag:yaml.org,2002:bool"


class NotYamlError(Exception):
    """`problem` says why a text is no mapping that may be read; `line` counts from 1, 0 is nowhere."""

    def __init__(self, problem: object, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class RepeatedKey(NamedTuple):
    """A key that is there again on `line`, after `before`."""

    key: str
    line: int
    before: int


@dataclass(frozen=True)
class YamlMapping:
    """What a text says; `lines` has the line of each key, counted from 1, of a repeated one the last."""

    fields: dict[str, Any]
    lines: dict[str, int]
    repeated: tuple[RepeatedKey, ...]


def read(text: str) -> YamlMapping:
    """The mapping that `text` is, with what YAML doesn't take replaced; NotYamlError when it is none."""
    handler = _Handler()
    try:
        fields, _ = parse(f"---\n{_NOT_YAML.sub(_UNREADABLE, text)}---\n", handler=handler)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _not_yaml(text, error) from error
    return YamlMapping({str(k): v for k, v in fields.items()}, handler.lines, tuple(handler.repeated))


def odd_character(text: str) -> tuple[str, int] | None:
    """The first character that YAML doesn't take, and its line; None when there is none."""
    found = _NOT_YAML.search(text)
    return (found[0], _line(text, found.start())) if found else None


def quoted(text: str) -> str:
    """A scalar in double quotes that reads back as exactly this string, on one line."""
    return yaml.dump(text, default_style='"', allow_unicode=True, width=2**31).rstrip("\n")


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """To which `yes`, `no`, `on` and `off` are words, as in every YAML but the oldest."""
    known = _BASE.yaml_implicit_resolvers
    others = {first: [rule for rule in rules if rule[0] != _BOOL] for first, rules in known.items()}
    rule = (_BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"))
    return others | {first: [*others.get(first, []), rule] for first in "tTfF"}


_Loader = cast("type[yaml.SafeLoader]", type("_Loader", (_BASE,), {"yaml_implicit_resolvers": _resolvers()}))
"""Builds nothing but plain values; what looks like a date or number and is none is a text."""


def _leniently(kind: str) -> None:
    build = getattr(SafeConstructor, f"construct_yaml_{kind}")

    def construct(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> object:
        try:
            return build(loader, node)
        except (ValueError, ArithmeticError, AttributeError, LookupError, TypeError):
            return loader.construct_scalar(node)

    _Loader.add_constructor(f"tag:yaml.org,2002:{kind}", construct)


for _kind in ("timestamp", "int", "float", "bool"):
    _leniently(_kind)


class _Handler(YAMLHandler):
    """Reads one mapping; `lines` has the line that each key is on, `repeated` what is there again."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.repeated: list[RepeatedKey] = []

    def split(self, text: str) -> tuple[str, str]:
        return text[len("---\n") : -len("---")], ""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        for key, at in _keys(fm):
            line = _line(fm, at)
            if key in self.lines:
                self.repeated.append(RepeatedKey(key, line, self.lines[key]))
            self.lines[key] = line
        fields = _Loader(fm).get_single_data()
        if not isinstance(fields, dict | None):
            raise yaml.YAMLError("not a list of `key: value` lines")
        return fields or {}


def _keys(text: str) -> Iterator[tuple[str, int]]:
    """(key, where it begins) for each key of the mapping on top.

    Aliases can blow a small file up and deep nesting can exhaust the stack: YAMLError before building.
    """
    depth, is_key = 0, False
    for event in yaml.parse(text, Loader=_Loader):
        at = event.start_mark.index if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            raise _RefusedError("aliases are not allowed in a note", at)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.NodeEvent) and depth == 1:
            is_key = not is_key
            if is_key and isinstance(event, yaml.ScalarEvent):
                yield event.value, at
        depth += isinstance(event, yaml.CollectionStartEvent)
        if depth > _MAX_DEPTH:
            raise _RefusedError(_TOO_DEEP, at)


class _RefusedError(yaml.YAMLError):
    """`at` is the character of the text."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


def _not_yaml(text: str, error: Exception) -> NotYamlError:
    """An error of the library, with the line that it is on."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = error.at if isinstance(error, _RefusedError) else mark.index if mark else -1
    problem = getattr(error, "problem", None) or error
    if problem == _LIBYAML_TOO_DEEP:
        problem = _TOO_DEEP
    return NotYamlError(problem, _line(text, at) if at >= 0 else 0)


def _line(text: str, at: int) -> int:
    """The line, counted from 1, of character `at`: YAML counts lines by other characters too."""
    return text.count("\n", 0, at) + 1
