"""The YAML heads of notes, read leniently and written by python-frontmatter. The only owner of PyYAML.

The handler here puts our caps, our scalars and our order of keys into the library; ADR 67 says what it is for
and what isn't its. Importing the libraries takes as long as one or two starts of Python, and nearly no head
needs them to be read: whoever needs this module imports it at that moment."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import yaml
from frontmatter import Post, dumps, parse
from frontmatter.default_handlers import YAMLHandler
from yaml.constructor import SafeConstructor
from yaml.reader import Reader

from ctxrepo.domain.formats.plain_yaml import is_plain

_MAX_DEPTH = 20
_TOO_DEEP = f"nested deeper than {_MAX_DEPTH} levels"

_LIBYAML_TOO_DEEP = "exceeded maximum nesting depth"
"""What libyaml 0.2.6 and later say of a thousand levels, which they read ahead of the first event."""

_UNREADABLE = "\ufffd"
"""Stands for each character that YAML doesn't take."""

_UNLIMITED = 2**31 - 1
"""The width of a line that is never folded."""

_NOT_YAML = Reader.NON_PRINTABLE
_BASE: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
_BOOL = "tag:yaml.org,2002:bool"
_TEXT = "tag:yaml.org,2002:str"
_LIST = "tag:yaml.org,2002:seq"


class NotYamlError(Exception):
    """`problem` says why a head can't be read as a mapping; `line` counts from 1, 0 is nowhere."""

    def __init__(self, problem: object, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class RepeatedKey(NamedTuple):
    """A key that stands again on `line`, after `before`."""

    key: str
    line: int
    before: int


class HeadPost(Post):
    """A head's fields, in `metadata`; `lines` has the line of each key, counted from 1 at the opening
    delimiter; of a repeated key the last."""

    def __init__(self, metadata: Mapping[Any, object], keys: Iterable[tuple[str, int]] = ()) -> None:
        super().__init__("")  # takes metadata by keyword, but a head may have a field `content` or `handler`
        self.metadata.update({str(key): value for key, value in metadata.items()})
        self.lines: dict[str, int] = {}
        self.repeated: list[RepeatedKey] = []
        for key, line in keys:
            if key in self.lines:
                self.repeated.append(RepeatedKey(key, line, self.lines[key]))
            self.lines[key] = line


def read(head: str) -> HeadPost:
    """Read a head, delimiters included; characters that YAML doesn't take are replaced. NotYamlError when
    it isn't a mapping, or one that we refuse to read."""
    handler = _HeadHandler()
    try:
        metadata, _ = parse(_NOT_YAML.sub(_UNREADABLE, head), handler=handler)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _not_yaml(handler.inner, error) from error
    return HeadPost(metadata, handler.keys)


def render(fields: Mapping[str, object]) -> str:
    """The head of a new note, keys in the order given, each on one line."""
    return dumps(HeadPost(fields), handler=_HeadHandler()) + "\n"


def odd_character(text: str) -> tuple[str, int] | None:
    """The first character that YAML doesn't take, and its line; None when there is none."""
    match = _NOT_YAML.search(text)
    return (match[0], _line(text, match.start())) if match else None


def quoted(text: str) -> str:
    """A scalar in double quotes that reads back as exactly this string, on one line."""
    return yaml.dump(text, default_style='"', allow_unicode=True, width=_UNLIMITED).rstrip("\n")


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """To which `yes`, `no`, `on` and `off` are words, as in every YAML but the oldest."""
    resolvers = _BASE.yaml_implicit_resolvers
    others = {first: [rule for rule in rules if rule[0] != _BOOL] for first, rules in resolvers.items()}
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


class _Dumper(yaml.SafeDumper):
    """Writes a plain text without quotes, and a list on one line. It isn't libyaml's: a head has the same
    bytes on a machine whose PyYAML was built without that."""


_Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar(_TEXT, text, style=None if is_plain(text) else '"')
)
_Dumper.add_representer(list, lambda dumper, items: dumper.represent_sequence(_LIST, items, flow_style=True))


class _HeadHandler(YAMLHandler):
    """The library's handler of YAML, with our delimiters, caps and style. After `load`, `inner` is what
    stands between the delimiters; `keys` has each key and its line in the head."""

    FM_BOUNDARY = re.compile(r"(?:\A\ufeff?|^)---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)

    def __init__(self) -> None:
        super().__init__()
        self.inner = ""
        self.keys: list[tuple[str, int]] = []

    def load(self, fm: str, **_: object) -> dict[Any, object]:
        self.inner = fm
        self._read_keys()
        fields = super().load(fm, Loader=_Loader)
        if not isinstance(fields, dict | None):
            raise yaml.YAMLError("not a list of `key: value` lines")
        return fields or {}

    def export(self, metadata: dict[str, object], **_: object) -> str:
        return super().export(metadata, Dumper=_Dumper, sort_keys=False, width=_UNLIMITED)

    def _read_keys(self) -> None:
        """Read the keys of the mapping on top. YAMLError before anything is built where aliases would blow
        a small file up, or deep nesting exhaust the stack."""
        depth, is_key = 0, False
        for event in yaml.parse(self.inner, Loader=_Loader):
            at = event.start_mark.index if event.start_mark else 0
            if isinstance(event, yaml.AliasEvent):
                raise _RefusedError("aliases are not allowed in a note", at)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.NodeEvent) and depth == 1:
                is_key = not is_key
                if is_key and isinstance(event, yaml.ScalarEvent):
                    self.keys.append((event.value, _line(self.inner, at) + 1))
            depth += isinstance(event, yaml.CollectionStartEvent)
            if depth > _MAX_DEPTH:
                raise _RefusedError(_TOO_DEEP, at)


class _RefusedError(yaml.YAMLError):
    """`at` is the character of the text."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


def _not_yaml(inner: str, error: Exception) -> NotYamlError:
    """An error of the library, with its line in the head whose inside is `inner`."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = error.at if isinstance(error, _RefusedError) else mark.index if mark else -1
    problem = getattr(error, "problem", None) or error
    if problem == _LIBYAML_TOO_DEEP:
        problem = _TOO_DEEP
    return NotYamlError(problem, _line(inner, at) + 1 if at >= 0 else 1)


def _line(text: str, at: int) -> int:
    """The line, counted from 1, of character `at`: YAML counts lines by other characters too."""
    return text.count("\n", 0, at) + 1
