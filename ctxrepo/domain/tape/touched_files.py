"""Uses of files by agents' tools, and the files that come first at a session's start because of them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal

from ctxrepo.domain.formats.moment import day
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class FirstFile:
    """A note, with `top` '' and a `path` relative to the memory; or a file, whose `path` is relative to the
    checkout `top`, or absolute if that is `/`."""

    top: str
    path: str
    rank: int
    """Its place in the order, from 1 on; 0 if it is on the user's list."""
    why: str = ""
    """For a note the reason in a few words; for a file the lines that were used."""


MOST_SPANS = 4
"""Most spans of lines that are shown of one file."""

Kind = Literal["read", "edit", "write", "memory_write"]
"""`write` makes a file anew; `memory_write` is a command of ours that changed a note."""


@dataclass(frozen=True)
class Touch:
    """A use of a file by a tool: the lines in `ranges` (first, last), () for all. `at` is in Unix seconds;
    `session` is '' if unknown."""

    at: float
    path: str
    kind: Kind
    ranges: tuple[tuple[int, int], ...] = ()
    session: str = ""

    @property
    def is_edit(self) -> bool:
        return self.kind != "read"


def kind_of(tool: str, is_reader: bool) -> Kind:
    """How a tool of this name uses files; `is_reader`: its agent says that it only reads. Our own command
    `read` has that name for every agent."""
    name = tool.lower()
    if is_reader or name == "read":
        return "read"
    if name == "memory_write":
        return "memory_write"
    return "write" if name.startswith(("write", "create")) else "edit"


def focus(touches: Iterable[Touch], most: int = MOST_SPANS) -> list[str]:
    """The lines of one file as `edit 5-6`, `read 10-30`, the newest first; `touches` begin with the oldest.

    Spans of the same kind that follow each other are joined if they touch. pi-memory-md compares only where
    the later one begins, and so loses lines before it."""
    spans: list[tuple[str, int, int]] = []
    for touch in touches:
        kind = "edit" if touch.is_edit else "read"
        for first, last in touch.ranges:
            before = spans[-1] if spans else ("", 0, 0)
            if before[0] == kind and first <= before[2] + 1 and before[1] <= last + 1:
                spans[-1] = (kind, min(first, before[1]), max(last, before[2]))
            else:
                spans.append((kind, first, last))
    return [f"{kind} {first}-{last}" for kind, first, last in spans[: -most - 1 : -1]]


def summary(uses: Sequence[Touch]) -> str:
    """The uses of one file, the newest last, in words: `edited in 3 sessions, last 2026-11-24`. It has the
    day only, so that a packet stays the same until the file is used again."""
    edits = [use for use in uses if use.is_edit]
    word, chosen = ("edited", edits) if edits else ("read", uses)
    last, sessions = day(datetime.fromtimestamp(chosen[-1].at, UTC)), {use.session for use in chosen}
    return f"{word} {last}" if len(sessions) == 1 else f"{word} in {len(sessions)} sessions, last {last}"
