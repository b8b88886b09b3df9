"""The head of a note: reading it leniently, and changing one field without touching another byte.

The only owner of PyYAML and python-frontmatter. `frontmatter.dumps` sorts keys, drops comments and loses
the final newline, and in a git-backed memory every byte is history: so the libraries read, and our own
splice writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import yaml
from frontmatter import parse
from frontmatter.default_handlers import YAMLHandler
from yaml.constructor import SafeConstructor
from yaml.reader import Reader

from ctxrepo.domain.note.head import Head, Problem, guessed, head_of, one_line
from ctxrepo.domain.note.plain_head import read_plain

Value = str | Sequence[str]

_HEAD = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"\ufeff?---[ \t]*([A-Za-z]+)?[ \t]*\r?\n")
_NOT_YAML = Reader.NON_PRINTABLE
_SURROGATES = re.compile("[\ud800-\udfff]")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")
_PLAIN = re.compile(r"[A-Za-z0-9_/(][\w ./()+'-]*\Z")
_AMBIGUOUS = re.compile(r"(?i)(true|false|yes|no|on|off|null|~|[-+.\d_:eE]*)\Z")

MAX_HEAD_BYTES = 64 * 1024
MAX_DEPTH = 20

PROGRAM = "frontmatter in js is not read, nor run: it is a part of the body"
"""What is said of a head that gray-matter, with which other programs read notes, would run."""

UNREADABLE = "\ufffd"
"""Stands for each character that YAML doesn't take."""


_BASE: type[yaml.CSafeLoader | yaml.SafeLoader] = (
    yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
)
_BOOL = "tag:yaml.org,2002:bool"


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


def split(text: str) -> tuple[str, str]:
    """Cut a note into its head, delimiters included ('' without one), and its body."""
    match = _HEAD.match(text)
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def read(text: str) -> Head:
    """Read a note's frontmatter; never raises, and whatever is readable is kept."""
    head, _ = split(text)
    if not head:
        return Head(problems=_not_a_head(text))
    lines = head.count("\n") + (not head.endswith("\n"))
    if len(head.encode("utf-8", "surrogatepass")) > MAX_HEAD_BYTES:
        said = f"frontmatter is larger than {MAX_HEAD_BYTES // 1024} KiB"
        return Head(lines=lines, problems=(Problem(1, said, "Move what is long into the body."),))
    inner = _inner(head)
    if plain := read_plain(inner):
        return head_of(plain[0], lines, plain[1])
    handler = _Handler()
    try:
        fields, _ = parse(f"---\n{_NOT_YAML.sub(UNREADABLE, inner)}---\n", handler=handler)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return guessed(inner, lines, _told(inner, error))
    problems = (*_odd_characters(inner), *handler.twice)
    return head_of({str(k): v for k, v in fields.items()}, lines, handler.places, problems)


def set_field(text: str, key: str, value: Value) -> str:
    """Return `text` with one frontmatter field set, every other byte as it was.

    A note without frontmatter is given one. The line ends of the head are kept.
    """
    head, body = split(text)
    if not head:
        return render({key: value}) + body
    newline = "\r\n" if "\r\n" in head else "\n"
    lines = head.splitlines(keepends=True)
    indent = _indent(lines[1:-1])
    line = f"{indent}{key}: {_scalar(value)}{newline}"
    places = [n for n, found in enumerate(lines[:-1]) if n and _key(found, indent) == key]
    if places:
        start = places[-1]  # the one that is read, where a key is there twice
        end = start + 1
        while end < len(lines) - 1 and not _key(lines[end], indent) and lines[end].strip()[:1] != "#":
            end += 1
        return "".join([*lines[:start], line, *lines[end:]]) + body
    return "".join([*lines[:-1], line, lines[-1]]) + body


def render(fields: Mapping[str, Value]) -> str:
    """The head of a new note, keys in the order given."""
    return "---\n" + "".join(f"{key}: {_scalar(value)}\n" for key, value in fields.items()) + "---\n"


class _Handler(YAMLHandler):
    """Reads one head; `places` has the line of the file that each key is on, `twice` what is there again."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, int] = {}
        self.twice: list[Problem] = []

    def split(self, text: str) -> tuple[str, str]:
        return text[len("---\n") : -len("---")], ""

    def load(self, fm: str, **_: object) -> dict[str, Any]:
        for key, at in _keys(fm):
            line = _line(fm, at)
            if key in self.places:
                said = f"{key} is there twice, first on line {self.places[key]}; the last one holds"
                self.twice.append(Problem(line, said, "Keep one of them."))
            self.places[key] = line
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
        if depth > MAX_DEPTH:
            raise _RefusedError(f"nested deeper than {MAX_DEPTH} levels", at)


class _RefusedError(yaml.YAMLError):
    """`at` is the character of the head's inside."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


def _not_a_head(text: str) -> tuple[Problem, ...]:
    """What is wrong with a note that has no head, though its first line looks like the begin of one."""
    opening = _OPENING.match(text)
    if opening is None:
        return ()
    if opening[1]:
        is_program = opening[1].lower() in ("js", "javascript")
        said = PROGRAM if is_program else f"frontmatter in {opening[1]} is not read: it is a part of the body"
        return (Problem(1, said, "Write it as YAML, between two lines `---`."),)
    said = "frontmatter is opened on line 1 and never closed"
    return (Problem(1, said, "End it with a line `---`; until then all of it is body."),)


def _told(inner: str, error: Exception) -> Problem:
    """An error of the YAML library, with the line of the file it is on."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = error.at if isinstance(error, _RefusedError) else mark.index if mark else -1
    line = _line(inner, at) if at >= 0 else 1
    said = one_line(getattr(error, "problem", None) or error)
    if line > 1 and re.match(r" *\t", inner.split("\n")[line - 2]):
        said = "a tab indents, where only spaces may"
        remedy = "Write spaces; `ctxrepo check --fix` does, where that is enough."
    else:
        remedy = "Quote the value or mend the line; until then its plain `key: value` lines alone are read."
    return Problem(line, f"frontmatter is not readable YAML: {said}", remedy)


def _odd_characters(inner: str) -> Iterator[Problem]:
    if found := _NOT_YAML.search(inner):
        what = "bytes that are not UTF-8" if _SURROGATES.match(found[0]) else "a control character"
        yield Problem(_line(inner, found.start()), f"frontmatter holds {what}", "Take it out.")


def _line(inner: str, at: int) -> int:
    """The line of the file on which character `at` of a head's inside is.

    YAML counts lines by other characters too.
    """
    return inner.count("\n", 0, at) + 2


def _inner(head: str) -> str:
    """What stands between the delimiters, with plain line ends."""
    inner = head[head.index("\n") + 1 :].replace("\r\n", "\n")
    return re.sub(r"(?m)^---[ \t]*\n?\Z", "", inner)


def _indent(lines: Sequence[str]) -> str:
    """What stands before each key of a head: nothing, or as many spaces as its author took."""
    first = next((line for line in lines if line.strip() and line.lstrip()[0] != "#"), "")
    return first[: len(first) - len(first.lstrip(" "))]


def _key(line: str, indent: str) -> str:
    """The key on a line of a head, '' on one that goes on with another or says nothing."""
    match = _KEY.match(line, len(indent)) if line.startswith(indent) else None
    return match[1] if match else ""


def _scalar(value: Value) -> str:
    if not isinstance(value, str):
        return "[" + ", ".join(_quoted(v) for v in value) + "]"
    return value if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else _quoted(one_line(value))


def _quoted(text: str) -> str:
    """A YAML scalar that reads back as exactly this string, on one line."""
    if _PLAIN.match(text) and not _AMBIGUOUS.match(text) and text == text.strip():
        return text
    return yaml.dump(text, default_style='"', allow_unicode=True, width=2**31).rstrip("\n")
