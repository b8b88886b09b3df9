"""How sessions used the entries that they were given."""

import re
from typing import Literal

from ctxrepo.domain.note.entry import Entry
from ctxrepo.lazy import dataclass, lazy_pattern

Kind = Literal["delivered", "opened", "used", "contradicted"]

COUNTS = ("delivered", "sessions", "opened", "used", "contradicted")
"""What is counted of an entry."""

QUOTED = 40
"""A reply that has so many characters of an entry's beginning used it."""

SHORTEST_REPLY = 50
"""A reply of no more characters shows nothing."""

SESSIONS = 10
"""An entry that was given to so many sessions, and used by none, is a zombie."""

EXEMPT_DAYS = 14
"""Days for which an entry is no zombie: it may still become useful."""

_COMMENT = lazy_pattern(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_LABEL = lazy_pattern(r"\A\s*\[[A-Za-z][\w-]{0,39}\](?![(\[])")
_SIGNS = lazy_pattern(r"[*`]+|__")


@dataclass(frozen=True)
class Usage:
    """An entry's counts: deliveries, and for everything else the number of sessions. `path` is its latest
    note; `first` and `last` are Unix seconds."""

    id: str
    path: str
    first: float
    last: float
    delivered: int = 0
    sessions: int = 0
    opened: int = 0
    used: int = 0
    contradicted: int = 0


def is_used(entry: Entry, reply: str) -> bool:
    """Whether a reply repeats the beginning of an entry."""
    beginning = _bare(_LABEL.sub("", entry.plain))[:QUOTED]
    return len(reply) > SHORTEST_REPLY and bool(beginning) and beginning in _bare(reply)


def is_zombie(usage: Usage, now: float, sessions: int = SESSIONS) -> bool:
    """Whether an entry that isn't pinned is never used."""
    is_idle = not usage.opened and not usage.used
    return is_idle and usage.sessions >= sessions and now - usage.first >= EXEMPT_DAYS * 86400


def rate(part: int, whole: int) -> float:
    """`part` of `whole` with two decimals; 0 if `whole` is 0."""
    return round(part / whole, 2) if whole else 0.0


def _bare(text: str) -> str:
    """A text without markup, in lower case, with single spaces."""
    return " ".join(_SIGNS.sub("", _COMMENT.sub("", text)).casefold().split())
