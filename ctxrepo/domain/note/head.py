"""What a note's frontmatter says, and what in it can't be read as meant: lenient reading, strict telling."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import field

from ctxrepo.lazy import dataclass, lazy_pattern

_LINE = lazy_pattern(r"(description|tags|created|updated)[ \t]*:[ \t]+(.*?)[ \t]*$", re.MULTILINE)
_TAG_LINES = lazy_pattern(r"^tags[ \t]*:[ \t]*\n((?:[ \t]*-[ \t]+[^\n]+\n)+)", re.MULTILINE)
_QUOTED = lazy_pattern(r"""(["'])(.*)\1\Z""")
_NOT_PLAIN = tuple("&*!|>{%@`")
"""What a value begins with that means more than its words."""

_SAYS = (str, int, float, dt.date)
"""What a value is that can be taken for its words."""


@dataclass(frozen=True)
class Problem:
    """What is wrong on which line of the file (1-based), and what helps; each a sentence or less."""

    line: int
    message: str
    remedy: str


@dataclass(frozen=True)
class Head:
    """The frontmatter of a note. `fields` has all of it, and is empty where it can't be read as meant.

    `created` and `updated` are YYYY-MM-DD or ''. `lines` is how many lines it takes, delimiters counted: the
    body starts on line `lines + 1`.
    """

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
    """The head that says `fields`; `places` has the line each key is on."""
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
        remedy = "pi-memory-md reads nothing of such a head; take it out, or write a number above 0."
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
    """The head whose YAML can't be read: its plain `key: value` lines are taken for what they look like."""
    inner = inner.replace("\r\n", "\n")
    said = {key: _unquoted(value) for key, value in _LINE.findall(inner) if not value.startswith(_NOT_PLAIN)}
    return Head(
        description=one_line(said.get("description", "")),
        tags=_guessed_tags(inner, said.get("tags", "")),
        created=date(said.get("created")),
        updated=date(said.get("updated")),
        lines=lines,
        problems=(problem,),
    )


def is_limit(value: object) -> bool:
    """Whether pi-memory-md takes a head with this `limit`."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _guessed_tags(inner: str, words: str) -> tuple[str, ...]:
    """The tags beside their key, or a line each below it."""
    if "[" in words and not words.startswith("["):
        return ()
    listed = _TAG_LINES.search(inner)
    below = [line.strip().removeprefix("-").strip() for line in listed[1].splitlines()] if listed else []
    found = [_unquoted(word) for word in below or [word.strip() for word in words.strip("[]").split(",")]]
    return _tags([word for word in found if not word.startswith(_NOT_PLAIN)])[0]


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
    """The tags as words, and whether they were written in a shape we had to guess at."""
    if value is None:
        return (), False
    if isinstance(value, list):
        words = [one_line(v) for v in value if isinstance(v, _SAYS)]
        return tuple(dict.fromkeys(w for w in words if w)), len(words) != len(value)
    words = str(value).split(",") if isinstance(value, _SAYS) else []
    return tuple(dict.fromkeys(w for w in map(one_line, words) if w)), True
