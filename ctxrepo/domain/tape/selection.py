"""Which notes and files matter to the next session, by what agents' tools did with them lately.

The numbers are pi-memory-md's, of which there are two versions (`MD` and `MD_36`); `OWN` is how we count
(docs/adr/0056-notes-that-sessions-touched-come-first.md).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from math import exp, sqrt

from ctxrepo.domain.tape.focus import Touch
from ctxrepo.lazy import dataclass

ENOUGH = 5
"""Where a window of time holds fewer uses than this, it is made longer."""

_POINTS = {"memory_write": 16, "read": 20, "edit": 28, "write": 30}
_STEP = 24
"""Hours by which a window grows."""

_AFTER_HANDOFF, _AFTER_KEYWORD = 30, 40
_NEAR = 15
"""So many uses after a handoff count for more."""

_HOUR = 3600.0


@dataclass(frozen=True)
class Boost:
    """Uses from `at` to `until`, in unix seconds, count for up to `points` more: they followed a handoff."""

    at: float
    until: float
    points: int


@dataclass(frozen=True)
class Score:
    """What the uses of one file come to: their points, with what is added at the end, and the last use."""

    raw: float
    final: float
    last: float


@dataclass(frozen=True)
class Profile:
    """How uses are counted. Ages are in hours; each function gives what the points are multiplied by, and
    `added` what is added for the kinds of tools, the uses and the age of the last one."""

    repeated: Callable[[int], float]
    aged: Callable[[float], float]
    after_handoff: Callable[[float], float]
    added: Callable[[int, int, float], float]
    is_newest_first: bool = False
    """Whether the newest use counts in full, and earlier ones as repeats of it."""


def _steps(value: float, steps: Sequence[tuple[float, float]]) -> float:
    """The first step's result whose limit isn't exceeded; 0 beyond all."""
    return next((result for limit, result in steps if value <= limit), 0.0)


MD = Profile(
    repeated=lambda earlier: 1 / sqrt(earlier + 1),
    aged=lambda hours: exp(-hours / 24),
    after_handoff=lambda hours: exp(-hours / 12),
    added=lambda kinds, _uses, _age: 2.0 * (kinds - 1),
)
MD_36 = Profile(
    repeated=lambda earlier: _steps(earlier, ((0, 1), (1, 0.6), (2, 0.35))) or 0.15,
    aged=lambda _hours: 1.0,
    after_handoff=lambda hours: _steps(hours, ((6, 1), (24, 0.6), (72, 0.3))),
    added=lambda kinds, uses, age: _steps(age, ((6, 12), (24, 8), (72, 4))) - 2 * max(0, uses - kinds),
)
OWN = Profile(MD.repeated, MD.aged, MD.after_handoff, MD.added, is_newest_first=True)


def window(touches: Sequence[Touch], now: float, first: int, most: int) -> list[Touch]:
    """The uses of the last `first` hours; where they are too few, of a day more at a time, up to `most`.
    `touches` have the oldest first."""
    times = [touch.at for touch in touches]
    start = len(times)
    for hours in range(first, max(first, most) + 1, _STEP):
        start = bisect_left(times, now - hours * _HOUR)
        if len(times) - start >= ENOUGH:
            break
    return list(touches[start:])


def boosts(handoffs: Sequence[tuple[float, bool]], touches: Sequence[Touch]) -> list[Boost]:
    """What the last handoff counts for, and the last one that a keyword asked for: (when it was left, whether
    a keyword asked). It may be the same one, which then counts twice."""
    asked = [at for at, is_keyword in handoffs if is_keyword]
    latest = ((max((at for at, _ in handoffs), default=None), _AFTER_HANDOFF),)
    found = []
    for at, points in (*latest, (max(asked, default=None), _AFTER_KEYWORD)):
        after = [touch.at for touch in touches if at is not None and touch.at >= at][:_NEAR]
        if at is not None and after:
            found.append(Boost(at, after[-1], points))
    return found


def scores(
    touches: Sequence[Touch], boosts: Sequence[Boost], now: float, profile: Profile
) -> Mapping[str, Score]:
    """What each file comes to, by its path; `touches` have the oldest first."""
    by_path: dict[str, list[Touch]] = {}
    for touch in touches:
        by_path.setdefault(touch.path, []).append(touch)
    return {path: _score(uses, boosts, now, profile) for path, uses in by_path.items()}


def ranked(scores: Mapping[str, Score]) -> list[str]:
    """The paths, those first that matter most; of equals the one that was used first."""
    return sorted(scores, key=lambda path: (-scores[path].final, -scores[path].raw, -scores[path].last))


def _score(uses: Sequence[Touch], boosts: Sequence[Boost], now: float, profile: Profile) -> Score:
    raw = 0.0
    for earlier, use in enumerate(uses[::-1] if profile.is_newest_first else uses):
        points = _POINTS[use.kind] * profile.aged(_hours(use.at, now))
        near = [b for b in boosts if b.at <= use.at <= b.until]
        more = sum(b.points * profile.after_handoff(_hours(b.at, use.at)) for b in near)
        raw += (points + more) * profile.repeated(earlier)
    last = max(use.at for use in uses)
    kinds = len({use.kind for use in uses})
    return Score(raw, raw + profile.added(kinds, len(uses), _hours(last, now)), last)


def _hours(start: float, end: float) -> float:
    return max(0.0, end - start) / _HOUR
