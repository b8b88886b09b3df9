"""Files of a project that agents touched last, and which of their lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxrepo.lazy import dataclass

MOST_FILES = 10
MOST_SPANS = 4

_AGES = (86400.0, 7 * 86400.0)
"""Seconds before the newest touch: what is younger than the first is of one age, and so on."""


@dataclass(frozen=True)
class Touch:
    """A tool read or edited a file, or these lines of it; `at` is in unix seconds."""

    at: float
    path: str
    is_edit: bool
    ranges: tuple[tuple[int, int], ...] = ()


def ranked(touches: Sequence[Touch]) -> list[str]:
    """The paths, those first that matter most: of one age what was edited before what was only read, and then
    the newest."""
    last: dict[str, float] = {}
    for touch in touches:
        last[touch.path] = max(touch.at, last.get(touch.path, touch.at))
    edited = {touch.path for touch in touches if touch.is_edit}
    newest = max(last.values(), default=0.0)

    def rank(path: str) -> tuple[int, bool, float, str]:
        age = sum(newest - last[path] >= limit for limit in _AGES)
        return (age, path not in edited, -last[path], path)

    return sorted(last, key=rank)


def focus(touches: Iterable[Touch]) -> list[str]:
    """The lines of one file as `edit 5-6`, `read 10-30`, the newest first; `touches` have the oldest first.

    What follows on what was touched alike just before is one with it.
    """
    spans: list[tuple[str, int, int]] = []
    for touch in touches:
        kind = "edit" if touch.is_edit else "read"
        for first, last in touch.ranges:
            before = spans[-1] if spans else ("", 0, 0)
            if before[0] == kind and first <= before[2] + 1 and before[1] <= last + 1:
                spans[-1] = (kind, min(first, before[1]), max(last, before[2]))
            else:
                spans.append((kind, first, last))
    return [f"{kind} {first}-{last}" for kind, first, last in spans[: -MOST_SPANS - 1 : -1]]
