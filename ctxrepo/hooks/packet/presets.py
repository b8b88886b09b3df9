"""What a packet may be made of: for each preset its lanes, how much each gets, and where it stands.

All numbers are bytes. Those of `daily` and `semantic` were characters in the designs that they are from; for
plain English that is the same, and for any other text it is less than those gave.
"""

from ctxrepo.domain.text.cut import ENDS, HEAD, TAIL

Lane = tuple[str, int, int, int, str]
"""(name, floor, cap, most lines or 0, what stays of a text that is cut)

The floor is what a lane with something to say is sure of, whatever comes before it; the cap is the most it
gets. Where memory is a file of each scope, both are for each file."""

_ALL = 1 << 30

OWN = ""
SUBAGENT = "subagent"
"""Not to be chosen: a subagent has one thing to do, and there may be many of them."""

DELIVERED: tuple[Lane, ...] = (
    ("preamble", 1300, 2000, 0, HEAD),
    ("faults", 256, 1024, 0, HEAD),
    ("pinned", 512, 1024, 0, HEAD),
    ("memory", 1024, 3072, 0, HEAD),
    ("scratchpad", 384, 1024, 0, HEAD),
    ("today", 384, 1024, 0, TAIL),
    ("handoff", 512, 1024, 0, HEAD),
    ("recall", 0, 1536, 0, HEAD),
    ("files", 0, 512, 0, HEAD),
    ("yesterday", 0, 512, 0, TAIL),
    ("index", 1536, _ALL, 0, HEAD),
)
DAILY: tuple[Lane, ...] = (
    ("scratchpad", 0, 2000, 120, HEAD),
    ("today", 0, 3000, 120, TAIL),
    ("recall", 0, 2500, 80, HEAD),
    ("memory", 0, 4000, 150, ENDS),
    ("yesterday", 0, 3000, 120, TAIL),
)
SEMANTIC: tuple[Lane, ...] = (
    ("caveat", 300, 300, 0, HEAD),
    ("preferences", 0, _ALL, 50, HEAD),
    ("facts", 0, _ALL, 50, HEAD),
    ("tools", 0, _ALL, 20, HEAD),
    ("lessons", 0, _ALL, 50, HEAD),
    ("user", 0, _ALL, 10, HEAD),
)

OF_SUBAGENT: tuple[Lane, ...] = (
    ("preamble", 500, 500, 0, HEAD),
    ("index", 0, _ALL, 0, HEAD),
)

PRESETS: dict[str, tuple[int, tuple[Lane, ...]]] = {
    OWN: (9500, DELIVERED),
    "daily": (16000, DAILY),
    "semantic": (8000, SEMANTIC),
    SUBAGENT: (3000, OF_SUBAGENT),
}
"""name -> (budget of the whole, lanes in the order in which they are given room)"""

ORDER = (
    *("preamble", "caveat", "pinned", "memory", "scratchpad", "handoff", "preferences", "facts", "tools"),
    *("lessons", "user", "today", "yesterday", "recall", "files", "faults", "index"),
)
"""Where each lane stands in the block: what changes least comes first."""

CATEGORIES: dict[str, tuple[str, ...]] = {
    "preferences": ("preference", "preferences", "pref"),
    "tools": ("tool", "tools", "command"),
    "lessons": ("lesson", "lessons", "gotcha", "mistake"),
    "user": ("user", "profile"),
}
"""lane -> categories of the entries in it"""
