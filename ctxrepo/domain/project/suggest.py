"""Which names a person may have meant by one that nothing has."""

from __future__ import annotations

from collections.abc import Iterable

_LIKE = 0.6
"""From how much likeness on a name is near another one."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like `word`; '' if none is."""
    from difflib import get_close_matches  # most command lines and settings hold no mistake

    return next(iter(get_close_matches(word, known, n=1)), "")


def near_notes(wanted: str, paths: Iterable[str], most: int = 3) -> list[str]:
    """Those of `paths` whose own name is like that of `wanted`, whatever folders they are in; the likest
    first."""
    likeness = {path: _likeness(path, wanted) for path in paths}
    near = [path for path in likeness if likeness[path] >= _LIKE]
    return sorted(near, key=lambda path: (-likeness[path], path))[:most]


def _likeness(path: str, wanted: str) -> float:
    from difflib import SequenceMatcher

    one, other = (p.rpartition("/")[2].removesuffix(".md").casefold() for p in (path, wanted))
    return SequenceMatcher(None, one, other).ratio()
