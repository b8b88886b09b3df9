"""The head of a note: reading it leniently, and changing one field without touching another byte.

python-frontmatter reads the heads that aren't plain, and writes those of new notes. In a git-backed memory
every byte is history, and writing a head anew would drop its comments and spacing: so our own splice changes
a field of an existing one."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from ctxrepo.domain.formats.plain_yaml import is_plain, read_plain
from ctxrepo.domain.project.layout import COMPATIBLE
from ctxrepo.lazy import dataclass, lazy_pattern

Value = str | Sequence[str]

_HEAD = lazy_pattern(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OPENING = lazy_pattern(r"\ufeff?---[ \t]*+([A-Za-z]++)?[ \t]*+\r?\n")
_SURROGATES = lazy_pattern("[\ud800-\udfff]")
_KEY = lazy_pattern(r"([A-Za-z_][\w.-]*)[ \t]*:(?=\s|$)")

MAX_HEAD_BYTES = 64 * 1024

PROGRAM = f"the frontmatter is a program: it is not read here, and {COMPATIBLE} would run it; take it out"


def split(text: str) -> tuple[str, str]:
    """Cut a note into its head, delimiters included ('' without one), and its body."""
    match = _HEAD.match(text)
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def read(text: str) -> "Head":
    """Read a note's frontmatter. Never raises; whatever can be read is used."""
    head, _ = split(text)
    if not head:
        return Head(problems=_not_a_head(text))
    lines = head.count("\n") + (not head.endswith("\n"))
    if len(head.encode("utf-8", "surrogatepass")) > MAX_HEAD_BYTES:
        problem = f"frontmatter is larger than {MAX_HEAD_BYTES // 1024} KiB"
        return Head(lines=lines, problems=(Problem(1, problem, "Move what is long into the body."),))
    if plain := read_plain(_inner(head)):
        return head_of(plain[0], lines, plain[1])
    return _read_yaml(head, lines)


def set_field(text: str, key: str, value: Value) -> str:
    """`text` with one field set, every other byte as it was; a note without frontmatter is given one."""
    head, body = split(text)
    if not head:
        return render({key: value}) + body
    newline = "\r\n" if "\r\n" in head else "\n"
    lines = head.splitlines(keepends=True)
    # Before each key stand as many spaces as its author took: as before the first.
    first = next((line for line in lines[1:-1] if line.strip() and line.lstrip()[0] != "#"), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    line = indent + field_line(key, value) + newline
    places = [n for n, line_before in enumerate(lines[:-1]) if n and _key(line_before, indent) == key]
    if places:
        start = places[-1]  # the one that is read, where a key is there twice
        end = start + 1
        while end < len(lines) - 1 and not _key(lines[end], indent) and lines[end].strip()[:1] != "#":
            end += 1
        return "".join([*lines[:start], line, *lines[end:]]) + body
    return "".join([*lines[:-1], line, lines[-1]]) + body


def render(fields: Mapping[str, Value]) -> str:
    """The head of a new note, keys in the order given."""
    from ctxrepo.domain.formats import yaml  # see _read_yaml

    return yaml.render({key: _yaml_value(value) for key, value in fields.items()})


def field_line(key: str, value: Value) -> str:
    """The line of one field, as `render` writes it, without its end."""
    plain = _yaml_value(value)
    if isinstance(plain, list):
        return f"{key}: [{', '.join(map(_quoted, plain))}]"
    return f"{key}: {plain if isinstance(plain, dt.date) else _quoted(plain)}"


def _read_yaml(head: str, lines: int) -> "Head":
    """The head as the YAML library reads it, which few notes need and which takes long to import."""
    from ctxrepo.domain.formats import yaml

    try:
        post = yaml.read(head)
    except yaml.NotYamlError as error:
        inner = _inner(head)
        return guessed(inner, lines, _unreadable(inner, error.problem, error.line))
    problems = []
    if odd := yaml.odd_character(head):
        what = "bytes that are not UTF-8" if _SURROGATES.match(odd[0]) else "a control character"
        problems.append(Problem(odd[1], f"frontmatter holds {what}", "Take it out."))
    for key, line, before in post.repeated:
        words = f"{key} is there twice, first on line {before}; the last one holds"
        problems.append(Problem(line, words, "Keep one of them."))
    return head_of(post.metadata, lines, post.lines, tuple(problems))


def _not_a_head(text: str) -> "tuple[Problem, ...]":
    """The problem of a note without a head whose first line looks like the beginning of one."""
    opening = _OPENING.match(text)
    if opening is None:
        return ()
    if opening[1]:
        is_program = opening[1].lower() in ("js", "javascript")
        why = PROGRAM if is_program else f"frontmatter in {opening[1]} is not read: it is a part of the body"
        return (Problem(1, why, "Write it as YAML, between two lines `---`."),)
    words = "frontmatter is opened on line 1 and never closed"
    return (Problem(1, words, "End it with a line `---`; until then all of it is body."),)


def _unreadable(inner: str, problem: object, line: int) -> "Problem":
    """Why the YAML library can't read a head, on which line of the file, and what helps."""
    words = one_line(problem)
    if line > 1 and re.match(r" *\t", inner.split("\n")[line - 2]):
        words = "a tab indents, where only spaces may"
        remedy = "Write spaces; `ctxrepo check --fix` does, where that is enough."
    else:
        remedy = "Quote the value or mend the line; until then its plain `key: value` lines alone are read."
    return Problem(line, f"frontmatter is not readable YAML: {words}", remedy)


def _inner(head: str) -> str:
    """What stands between the delimiters, with plain line ends."""
    inner = head[head.index("\n") + 1 :].replace("\r\n", "\n")
    return re.sub(r"(?m)^---[ \t]*\n?\Z", "", inner)


def _key(line: str, indent: str) -> str:
    """The key on a line of a head, '' for a continuation, a comment or a blank line."""
    match = _KEY.match(line, len(indent)) if line.startswith(indent) else None
    return match[1] if match else ""


def _yaml_value(value: Value) -> str | list[str] | dt.date:
    """The YAML value of a field: a list of texts, a date, or a text on one line."""
    if not isinstance(value, str):
        return list(value)
    return dt.date.fromisoformat(value) if value and date(value) == value else one_line(value)


def _quoted(text: str) -> str:
    """A YAML scalar that reads back as exactly this string, on one line."""
    if is_plain(text):
        return text
    from ctxrepo.domain.formats import yaml  # see _read_yaml

    return yaml.quoted(text)


_LINE = lazy_pattern(r"(description|tags|created|updated)[ \t]*:[ \t]+(.*)", re.MULTILINE)
_TAG_LINES = lazy_pattern(r"^tags[ \t]*:[ \t]*\n((?:[ \t]*-[ \t][^\n]*\n)++)", re.MULTILINE)
_QUOTED = lazy_pattern(r"""(["'])(.*)\1\Z""")
_NOT_PLAIN = tuple("&*!|>{%@`")
"""What a YAML value begins with that isn't just its words."""

_SAYS = (str, int, float, dt.date)
"""Types of values that can be shown as their words."""


@dataclass(frozen=True)
class Problem:
    """A fault on a `line` of the file (1-based), and what helps; each in a sentence or less."""

    line: int
    message: str
    remedy: str


@dataclass(frozen=True)
class Head:
    """A note's frontmatter: `fields` has all of it, or nothing if it can't be read as meant; `created` and
    `updated` are YYYY-MM-DD or ''. The body starts on line `lines + 1`."""

    description: str = ""
    tags: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)
    lines: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def problem(self) -> str:
        """All problems in one line, '' without one."""
        return "; ".join(problem.message for problem in self.problems)


def head_of(
    fields: Mapping[str, object], lines: int, places: Mapping[str, int], problems: tuple[Problem, ...] = ()
) -> Head:
    """The head with these `fields`; `places` has the line of each key."""
    described = fields.get("description")
    tags, is_odd = _tags(fields.get("tags"))
    days = {key: date(fields.get(key)) for key in ("created", "updated")}
    wrong = []
    if not (described is None or isinstance(described, str)):
        wrong.append(("description", "is not a text", "Write it as one sentence."))
    if is_odd:
        remedy = "Write `tags: [one, two]`; `ctxrepo check --fix` does, if it can."
        wrong.append(("tags", "is not a list of words", remedy))
    if not is_limit(fields.get("limit", 1)):
        remedy = f"{COMPATIBLE} reads nothing of such a head; take it out, or write a number above 0."
        wrong.append(("limit", "isn't a number above 0", remedy))
    for key, day in days.items():
        if not day and fields.get(key) is not None:
            wrong.append((key, "is no date", "Write it as YYYY-MM-DD."))
    return Head(
        description=one_line(described) if isinstance(described, _SAYS) else "",
        tags=tags,
        fields=fields,
        lines=lines,
        problems=(*problems, *(Problem(places.get(w[0], 1), f"{w[0]} {w[1]}", w[2]) for w in wrong)),
        **days,
    )


def guessed(inner: str, lines: int, problem: Problem) -> Head:
    """A head whose YAML can't be read: its plain `key: value` lines are taken literally."""
    values = {
        key: _unquoted(value.rstrip(" \t"))
        for key, value in _LINE.findall(inner)
        if not value.startswith(_NOT_PLAIN)
    }
    return Head(
        description=one_line(values.get("description", "")),
        tags=_guessed_tags(inner, values.get("tags", "")),
        created=date(values.get("created")),
        updated=date(values.get("updated")),
        lines=lines,
        problems=(problem,),
    )


def is_limit(value: object) -> bool:
    """Whether the compatible program takes a head with this `limit`."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _guessed_tags(inner: str, words: str) -> tuple[str, ...]:
    """The tags on the line of their key, or one a line below it."""
    if "[" in words and not words.startswith("["):
        return ()
    listed = _TAG_LINES.search(inner)
    below = [line.strip().removeprefix("-").strip() for line in listed[1].splitlines()] if listed else []
    tags = [_unquoted(word) for word in below or [word.strip() for word in words.strip("[]").split(",")]]
    return _tags([word for word in tags if not word.startswith(_NOT_PLAIN)])[0]


def _unquoted(value: str) -> str:
    quoted = _QUOTED.match(value)
    return quoted[2] if quoted else value


def date(value: object) -> str:
    """The day as YYYY-MM-DD, or '' when the value doesn't name one."""
    if isinstance(value, dt.date):
        return value.isoformat()[:10] if value.year >= 1000 else ""
    match = re.match(r"\d{4}-\d{2}-\d{2}", value.strip(), re.ASCII) if isinstance(value, str) else None
    try:
        return dt.date.fromisoformat(match[0]).isoformat() if match and match[0] >= "1000" else ""
    except ValueError:
        return ""


def one_line(value: object) -> str:
    return " ".join(str(value).split())


def _tags(value: object) -> tuple[tuple[str, ...], bool]:
    """The tags as words, and whether their notation had to be guessed."""
    if value is None:
        return (), False
    if isinstance(value, list):
        words = [one_line(v) for v in value if isinstance(v, _SAYS)]
        return tuple(dict.fromkeys(w for w in words if w)), len(words) != len(value)
    words = str(value).split(",") if isinstance(value, _SAYS) else []
    return tuple(dict.fromkeys(w for w in map(one_line, words) if w)), True
