"""Choosing between two versions: every machine makes the same choice, whichever version it calls `ours`."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from ctxrepo.lazy import lazy_pattern

Key = tuple[str, ...]

_T = TypeVar("_T", str, Key)
_S = TypeVar("_S", bound=Hashable)
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}")


def plain(text: str) -> str:
    """The text in the form that is compared: line ends don't count."""
    return text.replace("\r\n", "\n").rstrip("\n")


def rank(text: str) -> tuple[str, str, str]:
    """A sort key for edits: the greater one stays, by its latest date, then by content."""
    return max(_DATE.findall(text), default=""), plain(text), text


def choose(
    base: str | None, ours: str | None, theirs: str | None, meaning: Callable[[str], str] = plain
) -> tuple[str | None, str | None]:
    """(the version that stays, the one that lost), None for no version: an edit wins over no edit and over
    a deletion, of two edits the one with the greater `rank`. Texts with the same `meaning` count as equal."""
    if ours is None or theirs is None:
        remaining = theirs if ours is None else ours
        is_untouched = remaining is not None and base is not None and meaning(remaining) == meaning(base)
        return (None if is_untouched else remaining), None
    if meaning(ours) == meaning(theirs):
        return either(base, ours, theirs), None
    if base is not None and meaning(ours) == meaning(base):
        return theirs, None
    if base is not None and meaning(theirs) == meaning(base):
        return ours, None
    winner, loser = sorted((ours, theirs), key=rank, reverse=True)
    return winner, loser


def said_again(base: Iterable[_S], ours: Iterable[_S], theirs: Iterable[_S]) -> set[_S]:
    """What a side has more copies of than the base: the other side didn't remove these on purpose."""
    was, us, them = Counter(base), Counter(ours), Counter(theirs)
    return {saying for saying in us | them if max(us[saying], them[saying]) > was[saying]}


def either(base: _T | None, ours: _T, theirs: _T) -> _T:
    """The side that differs from the base; if both do, the greater one."""
    if ours == base:
        return theirs
    return ours if theirs == base else max(ours, theirs)


def order(base: Sequence[Key], ours: Sequence[Key], theirs: Sequence[Key]) -> list[Key]:
    """Merge the order of two sides: one leads, each key that only the other has follows its old neighbour."""
    first, second = _leading_first(base, ours, theirs)
    keys_of_first, old = set(first), set(base)
    runs: dict[Key | None, list[Key]] = {}
    anchor: Key | None = None
    old_anchor: Key | None = None
    for key in second:
        if key in keys_of_first:
            anchor = key
            old_anchor = key if key in old else old_anchor
        else:
            # A key of the base follows a key of the base, wherever new keys were put.
            anchor = old_anchor if key in old else anchor
            runs.setdefault(anchor, []).append(key)
    merged = list(runs.get(None, ()))
    for key in first:
        merged += [key, *runs.get(key, ())]
    return merged


def _leading_first(
    base: Sequence[Key], ours: Sequence[Key], theirs: Sequence[Key]
) -> tuple[Sequence[Key], Sequence[Key]]:
    """The two sides, first the one that alone reordered common keys; otherwise the longer one, so that a
    merged version keeps its order when it is merged with a side again; of equally long ones by content."""
    we_moved, they_moved = _reordered(base, ours), _reordered(base, theirs)
    if we_moved != they_moved:
        return (ours, theirs) if we_moved else (theirs, ours)
    if (len(ours), list(ours)) >= (len(theirs), list(theirs)):
        return ours, theirs
    return theirs, ours


def _reordered(base: Sequence[Key], side: Sequence[Key]) -> bool:
    """Whether a side changed the order of the keys that it shares with the base."""
    old, now = set(base), set(side)
    return [key for key in base if key in now] != [key for key in side if key in old]
