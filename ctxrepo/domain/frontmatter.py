"""The head of a note: reading it leniently, and changing one field without touching another byte.

The only owner of PyYAML and python-frontmatter. `frontmatter.dumps` sorts keys, drops comments and loses
the final newline, and in a git-backed memory every byte is history: so the libraries read, and our own
splice writes.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from frontmatter import parse
from frontmatter.default_handlers import YAMLHandler

Value = str | Sequence[str]

_HEAD = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")
_PLAIN = re.compile(r"[A-Za-z0-9_/(][\w ./()+'-]*\Z")
_AMBIGUOUS = re.compile(r"(?i)(true|false|yes|no|on|off|null|~|[-+.\d_:eE]*)\Z")

MAX_HEAD_BYTES = 64 * 1024
MAX_DEPTH = 20


@dataclass(frozen=True)
class Head:
    """What a note's frontmatter says; `problem` is one line when it can't be read as meant.

    `lines` is how many lines it takes, delimiters counted: the body starts on line `lines + 1`.
    """

    description: str = ""
    tags: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    lines: int = 0
    problem: str = ""


_SafeLoader: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
_BOOL = "tag:yaml.org,2002:bool"


def _loader() -> type[yaml.CSafeLoader | yaml.SafeLoader]:
    """A safe loader to which `yes`, `no`, `on` and `off` are words, as in every YAML but the oldest."""
    known = _SafeLoader.yaml_implicit_resolvers
    others = {first: [r for r in rules if r[0] != _BOOL] for first, rules in known.items()}
    rule = (_BOOL, re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"))
    bools = {first: [*others.get(first, []), rule] for first in "tTfF"}
    return type("_Loader", (_SafeLoader,), {"yaml_implicit_resolvers": others | bools})


_Loader = _loader()


def split(text: str) -> tuple[str, str]:
    """Cut a note into its head, delimiters included ('' without one), and its body."""
    match = _HEAD.match(text)
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def read(text: str) -> Head:
    """Read a note's frontmatter; never raises, and whatever is readable is kept."""
    head, _ = split(text)
    if not head:
        unclosed = text.lstrip("\ufeff").startswith(("---\n", "---\r\n"))
        return Head(problem="frontmatter is opened on line 1 and never closed" if unclosed else "")
    lines = head.count("\n") + (not head.endswith("\n"))
    if len(head.encode("utf-8", "surrogatepass")) > MAX_HEAD_BYTES:
        return Head(lines=lines, problem=f"frontmatter is larger than {MAX_HEAD_BYTES // 1024} KiB")
    try:
        fields, _ = parse(_normalised(head), handler=_Handler())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Head(lines=lines, problem=f"frontmatter is not readable YAML: {_one_line(error)}")
    return _head_of({str(k): v for k, v in fields.items()}, lines)


def set_field(text: str, key: str, value: Value) -> str:
    """Return `text` with one frontmatter field set, every other byte as it was.

    A note without frontmatter is given one. The line ends of the head are kept.
    """
    head, body = split(text)
    if not head:
        return render({key: value}) + body
    newline = "\r\n" if "\r\n" in head else "\n"
    line = f"{key}: {_scalar(value)}{newline}"
    lines = head.splitlines(keepends=True)
    for start in range(1, len(lines) - 1):
        match = _KEY.match(lines[start])
        if match and match[1] == key:
            end = start + 1
            while end < len(lines) - 1 and not _KEY.match(lines[end]) and lines[end].strip()[:1] != "#":
                end += 1
            return "".join([*lines[:start], line, *lines[end:]]) + body
    return "".join([*lines[:-1], line, lines[-1]]) + body


def render(fields: Mapping[str, Value]) -> str:
    """The head of a new note, keys in the order given."""
    return "---\n" + "".join(f"{key}: {_scalar(value)}\n" for key, value in fields.items()) + "---\n"


class _Handler(YAMLHandler):
    def load(self, fm: str, **_: object) -> dict[str, Any]:
        _refuse_bombs(fm)
        # The rule knows safe loaders by their names only, and _Loader is one of the two there are.
        fields = yaml.load(fm, Loader=_Loader)  # noqa: S506
        if not isinstance(fields, dict | None):
            raise yaml.YAMLError("not a list of `key: value` lines")
        return fields or {}


def _refuse_bombs(text: str) -> None:
    """Aliases can blow a small file up and deep nesting can exhaust the stack: look before building."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed in a note")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise yaml.YAMLError(f"nested deeper than {MAX_DEPTH} levels")


def _normalised(head: str) -> str:
    """What python-frontmatter expects: no byte order mark, plain line ends, bare delimiters."""
    inner = "\n".join(head.lstrip("\ufeff").replace("\r\n", "\n").split("\n")[1:])
    inner = re.sub(r"(?m)^---[ \t]*\n?\Z", "", inner)
    return f"---\n{inner}---\n"


def _head_of(fields: dict[str, object], lines: int) -> Head:
    problems = []
    description = fields.get("description")
    if description is not None and not isinstance(description, str):
        problems.append("description is not a text")
    tags, odd = _tags(fields.get("tags"))
    if odd:
        problems.append("tags is not a list of words")
    return Head(
        description=_one_line(description) if isinstance(description, str | int | float) else "",
        tags=tags,
        created=_date(fields.get("created")),
        updated=_date(fields.get("updated")),
        fields=fields,
        lines=lines,
        problem="; ".join(problems),
    )


def _tags(value: object) -> tuple[tuple[str, ...], bool]:
    """The tags as words, and whether they were written in a shape we had to guess at."""
    if value is None:
        return (), False
    if isinstance(value, str):
        return tuple(w for w in (w.strip() for w in value.split(",")) if w), True
    if isinstance(value, list):
        words = [str(v).strip() for v in value if isinstance(v, str | int | float)]
        return tuple(dict.fromkeys(w for w in words if w)), len(words) != len(value)
    return (), True


def _date(value: object) -> str:
    """The day as YYYY-MM-DD, or '' when the field doesn't name one."""
    if isinstance(value, dt.datetime | dt.date):
        return value.strftime("%Y-%m-%d") if value.year >= 1000 else ""
    match = re.match(r"\d{4}-\d{2}-\d{2}", value.strip()) if isinstance(value, str) else None
    return match[0] if match else ""


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _scalar(value: Value) -> str:
    if not isinstance(value, str):
        return "[" + ", ".join(_quoted(v) for v in value) + "]"
    return value if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else _quoted(_one_line(value))


def _quoted(text: str) -> str:
    """A YAML scalar that reads back as exactly this string, on one line."""
    if _PLAIN.match(text) and not _AMBIGUOUS.match(text) and text == text.strip():
        return text
    return yaml.dump(text, default_style='"', allow_unicode=True, width=2**31).rstrip("\n")
