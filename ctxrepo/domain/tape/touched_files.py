"""What agents' tools did with files, and a note or file that therefore comes first at a session's start."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal

from ctxrepo.domain.formats.moment import day
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class FirstFile:
    """`top` is '' for a note, whose `path` is relative to the memory; else the checkout that `path` is
    relative to, or `/` with an absolute one."""

    top: str
    path: str
    rank: int
    """How much it matters, from 1 on; 0 where it is here because a list says so."""
    why: str = ""
    """For a note why it is here, in a few words; for a file the lines that were touched."""


MOST_SPANS = 4
"""The most lines that are told of one file."""

Kind = Literal["read", "edit", "write", "memory_write"]
"""`write` makes a file anew; `memory_write` is a command of ours that changed a note."""


@dataclass(frozen=True)
class Touch:
    """A tool read or changed these lines of a file, or all; `at` in Unix seconds, `session` '' if unknown."""

    at: float
    path: str
    kind: Kind
    ranges: tuple[tuple[int, int], ...] = ()
    session: str = ""

    @property
    def is_edit(self) -> bool:
        return self.kind != "read"


def kind_of(tool: str, is_reader: bool) -> Kind:
    """What a tool of this name does with files; `is_reader` says that its agent counts it as one that only
    reads. Our own `read` is noted under that name for every agent."""
    name = tool.lower()
    if is_reader or name == "read":
        return "read"
    if name == "memory_write":
        return "memory_write"
    return "write" if name.startswith(("write", "create")) else "edit"


def focus(touches: Iterable[Touch], most: int = MOST_SPANS) -> list[str]:
    """The lines of one file as `edit 5-6`, `read 10-30`, the newest first; `touches` have the oldest first.

    What follows on what was touched alike just before is one with it, and only that: pi-memory-md looks at
    where the later one begins alone, and so loses lines before it."""
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
    """What sessions did with one file, the newest last, as `edited in 3 sessions, last 2026-11-24`. It says
    no more than the day, so that a packet stays the same for as long as nothing is done."""
    edits = [use for use in uses if use.is_edit]
    word, meant = ("edited", edits) if edits else ("read", uses)
    last, sessions = day(datetime.fromtimestamp(meant[-1].at, UTC)), {use.session for use in meant}
    return f"{word} {last}" if len(sessions) == 1 else f"{word} in {len(sessions)} sessions, last {last}"
