"""Which notes and files come first at a session's start: what may be chosen, and how it is ranked."""

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, sqrt

from ctxrepo.domain.tape.touched_files import Touch
from ctxrepo.lazy import dataclass

_FOLDERS = frozenset(
    (
        *(".cache", ".git", ".hg", ".idea", ".next", ".nuxt", ".pnpm-store", ".svn", ".turbo", ".venv"),
        *(".vscode", ".yarn", "__pycache__", "build", "coverage", "dist", "node_modules", "out", "target"),
        *("temp", "tmp", "venv"),
    )
)
_LOCKS = ("bun.lockb", "composer.lock", "package-lock.json", "pnpm-lock.yaml", "yarn.lock")
_FILES = frozenset((".DS_Store", *_LOCKS))


@dataclass(frozen=True)
class SelectionRules:
    """Rules for which files may come first. All paths are absolute and without links. `memory` are the
    folders of the notes in view, `tops` those of the project's checkouts, `white` and `black` the user's
    lists."""

    memory: tuple[str, ...]
    tops: tuple[str, ...]
    white: tuple[str, ...] = ()
    black: tuple[str, ...] = ()

    def is_listed_out(self, path: str) -> bool:
        return is_below_one(path, self.black)

    def is_always_in(self, path: str) -> bool:
        """Whether this file is on the white list or memory, and not on the black list."""
        return not self.is_listed_out(path) and is_below_one(path, (*self.white, *self.memory))

    def must_be_asked(self, path: str) -> bool:
        """Whether git decides on this file: it is in the project, and no other rule applies."""
        is_open = not self.is_listed_out(path) and not self.is_always_in(path)
        return is_open and bool(top := self.top_of(path)) and not is_ignored(path, top)

    def lets_in(self, path: str, git_ignores: bool = False) -> bool:
        """Whether this file may come first; `git_ignores` says so of a file that `must_be_asked`.

        The rules in order: files on the black list are out, those on the white list and of the memory in;
        those that `is_ignored` out; files outside the project in, others unless git ignores them."""
        if self.is_listed_out(path):
            return False
        if self.is_always_in(path):
            return True
        top = self.top_of(path)
        return not is_ignored(path, top) and not (top and git_ignores)

    def top_of(self, path: str) -> str:
        """The checkout of the project that this file is in, the nearest of several; '' for none."""
        return nearest(path, self.tops)


def is_ignored(path: str, top: str = "") -> bool:
    """Whether a file is hidden or generated, or in a folder of such files. Folders above `top`, in which the
    file is, don't count."""
    relative = path[len(top.rstrip("/")) :] if top else path
    *folders, name = relative.strip("/").split("/")
    if name in _FILES or name.startswith("."):
        return True
    return any(part in _FOLDERS or part.startswith(".") for part in (*folders, name))


def listed(entries: Iterable[str], bases: Iterable[str]) -> tuple[str, ...]:
    """The absolute paths that entries of a list may mean: each is absolute, or below one of `bases`."""
    roots = [*bases]
    paths = (posixpath.normpath(posixpath.join(base, entry)) for entry in entries for base in roots)
    return tuple(dict.fromkeys(paths))


def nearest(path: str, folders: Iterable[str]) -> str:
    """The innermost of these folders that a file is in; '' for none."""
    return max((folder for folder in folders if is_below_one(path, (folder,))), key=len, default="")


def is_below_one(path: str, places: Iterable[str]) -> bool:
    """Whether `path` is one of these files, or in one of these folders."""
    return any(path == place or path.startswith(place.rstrip("/") + "/") for place in places)


ENOUGH = 5
"""A window of time with fewer uses than this is made longer."""

_POINTS = {"memory_write": 16, "read": 20, "edit": 28, "write": 30}
_STEP = 24
"""Hours by which a window grows."""

_AFTER_HANDOFF, _AFTER_KEYWORD = 30, 40
_NEAR = 15
"""How many uses after a handoff are boosted."""

_FADES, _HANDOFF_FADES = 24, 12
"""Hours in which the points of a use, and the boost of a handoff, decay by a factor of e."""

_KIND = 2.0
"""Points for each kind of use beyond the first."""

_HOUR = 3600.0


@dataclass(frozen=True)
class Boost:
    """Up to `points` more for each use from `at` to `until`, in Unix seconds: they followed a handoff."""

    at: float
    until: float
    points: int


@dataclass(frozen=True)
class Score:
    """The score of one file: the points of its uses, the same with those for kinds, and when it was last used
    (Unix seconds)."""

    raw: float
    final: float
    last: float


def window(touches: Sequence[Touch], now: float, first: int, most: int) -> list[Touch]:
    """The uses of the last `first` hours; if they are too few, of a day more at a time, up to `most` hours.
    `touches` begin with the oldest, `now` is in Unix seconds."""
    times = [touch.at for touch in touches]
    start = len(times)
    for hours in range(first, max(first, most) + 1, _STEP):
        start = bisect_left(times, now - hours * _HOUR)
        if len(times) - start >= ENOUGH:
            break
    return list(touches[start:])


def boosts(handoffs: Sequence[tuple[float, bool]], touches: Sequence[Touch]) -> list[Boost]:
    """The boosts by the last handoff, and by the last one that a keyword asked for; one handoff may be both.
    `handoffs` are pairs of (when it was left, whether a keyword asked for it)."""
    by_keyword = [at for at, is_keyword in handoffs if is_keyword]
    boosts = []
    for times, points in (([at for at, _ in handoffs], _AFTER_HANDOFF), (by_keyword, _AFTER_KEYWORD)):
        start = max(times, default=inf)
        if after := [touch.at for touch in touches if touch.at >= start][:_NEAR]:
            boosts.append(Boost(start, after[-1], points))
    return boosts


def scores(
    touches: Sequence[Touch], boosts: Sequence[Boost], now: float, *, newest_first: bool
) -> Mapping[str, Score]:
    """path -> score; `touches` begin with the oldest. Of several uses of a file the first counts most, each
    further one less: with `newest_first` the newest is first, else, as in pi-memory-md, the oldest."""
    by_path: dict[str, list[Touch]] = {}
    for touch in touches:
        by_path.setdefault(touch.path, []).append(touch)
    return {path: _score(uses[::-1] if newest_first else uses, boosts, now) for path, uses in by_path.items()}


def ranked(scores: Mapping[str, Score]) -> list[str]:
    """The paths, the best first; of those with equal points the last used one."""
    return sorted(scores, key=lambda path: (-scores[path].final, -scores[path].raw, -scores[path].last))


def _score(uses: Sequence[Touch], boosts: Sequence[Boost], now: float) -> Score:
    raw = 0.0
    for earlier, use in enumerate(uses):
        points = _POINTS[use.kind] * exp(-_hours(use.at, now) / _FADES)
        near = [b for b in boosts if b.at <= use.at <= b.until]
        more = sum(b.points * exp(-_hours(b.at, use.at) / _HANDOFF_FADES) for b in near)
        raw += (points + more) / sqrt(earlier + 1)
    kinds = len({use.kind for use in uses})
    return Score(raw, raw + _KIND * (kinds - 1), max(use.at for use in uses))


def _hours(start: float, end: float) -> float:
    return max(0.0, end - start) / _HOUR
