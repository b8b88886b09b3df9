"""What became of an entry that sessions were given: delivered, opened, used, contradicted."""

from __future__ import annotations

import re
from typing import Literal

from ctxrepo.domain.note.entry import Entry
from ctxrepo.lazy import dataclass, lazy_pattern

Kind = Literal["delivered", "opened", "used", "contradicted"]

QUOTED = 40
"""Characters of an entry's beginning by which a reply shows that it was used."""

SHORTEST_REPLY = 50
"""A reply of no more characters shows nothing."""

SESSIONS = 10
"""An entry that so many sessions were given, and none made anything of, is a zombie."""

EXEMPT_DAYS = 14
"""An entry that is known for less may yet be of use."""

_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)
_LABEL = lazy_pattern(r"\A\s*\[[A-Za-z][\w-]{0,39}\](?![(\[])")
_SIGNS = lazy_pattern(r"[*`]+|__")


@dataclass(frozen=True)
class Usage:
    """An entry's counts: deliveries, and of the other things in how many sessions they happened.

    `path` is the note it was in last; `first` and `last` are unix seconds.
    """

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
    """Whether a reply says what the entry says, in the entry's own words."""
    beginning = _bare(_LABEL.sub("", entry.plain))[:QUOTED]
    return len(reply) > SHORTEST_REPLY and bool(beginning) and beginning in _bare(reply)


def is_zombie(usage: Usage, now: float, sessions: int = SESSIONS) -> bool:
    """Whether an entry that isn't pinned only takes room."""
    is_idle = not usage.opened and not usage.used
    return is_idle and usage.sessions >= sessions and now - usage.first >= EXEMPT_DAYS * 86400


def rate(part: int, whole: int) -> float:
    """`part` of `whole` with two decimals, 0 of nothing."""
    return round(part / whole, 2) if whole else 0.0


def _bare(text: str) -> str:
    """A text without its markup, in one case, with one space for any run of white space."""
    return " ".join(_SIGNS.sub("", _COMMENT.sub("", text)).casefold().split())
