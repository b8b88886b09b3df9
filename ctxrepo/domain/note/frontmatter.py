"""The head of a note: reading it leniently, and changing one field without touching another byte.

`frontmatter.dumps` sorts keys, drops comments and loses the final newline, and in a git-backed memory every
byte is history: so a library reads the heads that aren't plain, and our own splice writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ctxrepo.domain.note.head import Head, Problem, guessed, head_of, one_line
from ctxrepo.domain.note.plain_head import read_plain
from ctxrepo.lazy import lazy_pattern

if TYPE_CHECKING:
    from ctxrepo.domain.formats.yaml import RepeatedKey

Value = str | Sequence[str]

_HEAD = lazy_pattern(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OPENING = lazy_pattern(r"\ufeff?---[ \t]*([A-Za-z]+)?[ \t]*\r?\n")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")
_KEY = lazy_pattern(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")
_PLAIN = lazy_pattern(r"[A-Za-z0-9_/(][\w ./()+'-]*\Z")
_AMBIGUOUS = lazy_pattern(r"(?i)(true|false|yes|no|on|off|null|~|[-+.\d_:eE]*)\Z")

MAX_HEAD_BYTES = 64 * 1024

PROGRAM = "frontmatter in js is not read, nor run: it is a part of the body"
"""What is said of a head that gray-matter, with which other programs read notes, would run."""


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
        problem = f"frontmatter is larger than {MAX_HEAD_BYTES // 1024} KiB"
        return Head(lines=lines, problems=(Problem(1, problem, "Move what is long into the body."),))
    inner = _inner(head)
    if plain := read_plain(inner):
        return head_of(plain[0], lines, plain[1])
    return _read_yaml(inner, lines)


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


def _read_yaml(inner: str, lines: int) -> Head:
    """The head whose inside is `inner`, read by the YAML library, which few notes need."""
    from ctxrepo.domain.formats import yaml

    try:
        found = yaml.read(inner)
    except yaml.NotYamlError as error:
        return guessed(inner, lines, _told(inner, error.problem, error.line + 1))
    problems = (*_odd_character(yaml.odd_character(inner)), *map(_repeated, found.repeated))
    return head_of(found.fields, lines, {key: line + 1 for key, line in found.lines.items()}, problems)


def _not_a_head(text: str) -> tuple[Problem, ...]:
    """What is wrong with a note that has no head, though its first line looks like the begin of one."""
    opening = _OPENING.match(text)
    if opening is None:
        return ()
    if opening[1]:
        is_program = opening[1].lower() in ("js", "javascript")
        why = PROGRAM if is_program else f"frontmatter in {opening[1]} is not read: it is a part of the body"
        return (Problem(1, why, "Write it as YAML, between two lines `---`."),)
    words = "frontmatter is opened on line 1 and never closed"
    return (Problem(1, words, "End it with a line `---`; until then all of it is body."),)


def _told(inner: str, problem: object, line: int) -> Problem:
    """What the YAML library found wrong on a line of the file."""
    words = one_line(problem)
    if line > 1 and re.match(r" *\t", inner.split("\n")[line - 2]):
        words = "a tab indents, where only spaces may"
        remedy = "Write spaces; `ctxrepo check --fix` does, where that is enough."
    else:
        remedy = "Quote the value or mend the line; until then its plain `key: value` lines alone are read."
    return Problem(line, f"frontmatter is not readable YAML: {words}", remedy)


def _odd_character(found: tuple[str, int] | None) -> Iterator[Problem]:
    if found:
        what = "bytes that are not UTF-8" if _SURROGATES.match(found[0]) else "a control character"
        yield Problem(found[1] + 1, f"frontmatter holds {what}", "Take it out.")


def _repeated(found: RepeatedKey) -> Problem:
    words = f"{found.key} is there twice, first on line {found.before + 1}; the last one holds"
    return Problem(found.line + 1, words, "Keep one of them.")


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
    from ctxrepo.domain.formats import yaml  # see _read_yaml

    return yaml.quoted(text)
