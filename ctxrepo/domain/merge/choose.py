"""Three versions of one thing become one: what both machines decide alike, whoever is called ours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Key = tuple[str, ...]

_T = TypeVar("_T", str, Key)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def plain(text: str) -> str:
    """What counts when two texts are compared: not how their lines end."""
    return text.replace("\r\n", "\n").rstrip("\n")


def rank(text: str) -> tuple[str, str, str]:
    """Of two edits of one thing the greater stays: the one that names the later date, then by content."""
    return max(_DATE.findall(text), default=""), plain(text), text


def choose(
    base: str | None, ours: str | None, theirs: str | None, meaning: Callable[[str], str] = plain
) -> tuple[str | None, str | None]:
    """(what stays, what lost against it), None for what isn't there.

    One side's edit is taken, an edit stays against a deletion, and of two edits the greater one stays. Texts
    of one `meaning` are no edits of each other.
    """
    if ours is None or theirs is None:
        there = theirs if ours is None else ours
        is_untouched = there is not None and base is not None and meaning(there) == meaning(base)
        return (None if is_untouched else there), None
    if meaning(ours) == meaning(theirs):
        return either(base, ours, theirs), None
    if base is not None and meaning(ours) == meaning(base):
        return theirs, None
    if base is not None and meaning(theirs) == meaning(base):
        return ours, None
    winner, loser = sorted((ours, theirs), key=rank, reverse=True)
    return winner, loser


def said_again(base: Iterable[Key], ours: Iterable[Key], theirs: Iterable[Key]) -> set[Key]:
    """Keys that end in the number of a copy, of what a side says more often than the base does.

    If the other side has fewer copies, it didn't mean to remove these.
    """
    was, us, them = ([*keys] for keys in (base, ours, theirs))
    before, *after = (Counter(key[:-1] for key in keys) for keys in (was, us, them))
    return {key for key in (*us, *them) if max(count[key[:-1]] for count in after) > before[key[:-1]]}


def either(base: _T | None, ours: _T, theirs: _T) -> _T:
    """The side that differs from base; the greater one when both do."""
    if ours == base:
        return theirs
    return ours if theirs == base else max(ours, theirs)


def order(base: Sequence[Key], ours: Sequence[Key], theirs: Sequence[Key]) -> list[Key]:
    """All keys of both sides in one side's order, the other's own put behind the key they followed."""
    first, second = _followed(base, ours, theirs)
    there, old = set(first), set(base)
    runs: dict[Key | None, list[Key]] = {}
    anchor: Key | None = None
    old_anchor: Key | None = None
    for key in second:
        if key in there:
            anchor = key
            old_anchor = key if key in old else old_anchor
        else:
            # What was there before follows what was there before, wherever new things went.
            anchor = old_anchor if key in old else anchor
            runs.setdefault(anchor, []).append(key)
    merged = list(runs.get(None, ()))
    for key in first:
        merged += [key, *runs.get(key, ())]
    return merged


def _followed(
    base: Sequence[Key], ours: Sequence[Key], theirs: Sequence[Key]
) -> tuple[Sequence[Key], Sequence[Key]]:
    """The two sides, the one whose order holds first.

    That is the one that alone moved what both have; else the one that has more, so that a merged version
    that meets one of its sides again keeps its order; else content decides.
    """
    we_moved, they_moved = _moved(base, ours), _moved(base, theirs)
    if we_moved != they_moved:
        return (ours, theirs) if we_moved else (theirs, ours)
    if (len(ours), list(ours)) >= (len(theirs), list(theirs)):
        return ours, theirs
    return theirs, ours


def _moved(base: Sequence[Key], side: Sequence[Key]) -> bool:
    """Whether what both have is in another order."""
    old, now = set(base), set(side)
    return [key for key in base if key in now] != [key for key in side if key in old]
