"""How alike two entries are, and which entry of a later note is which of an earlier one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from ctxrepo.domain.entry import Entry, normalised

SIMILAR = 0.6
"""Share of equal text from which an edited entry is still the same entry."""

MAX_LETTERS = 1_000_000
"""Above this product of lengths two texts are compared by their words only."""

_WORD = re.compile(r"[A-Za-z0-9_]+|\w")


def similarity(one: str, other: str) -> float:
    """0 to 1: how much of two entries' normalised text is the same.

    By words, whatever their order, where comparing letters would take minutes.
    """
    one, other = normalised(one), normalised(other)
    if one == other:
        return 1.0
    if len(one) * len(other) > MAX_LETTERS:
        return SequenceMatcher(None, one.split(), other.split()).quick_ratio()
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    # The two bounds are cheap; most pairs fail them.
    if matcher.real_quick_ratio() < SIMILAR or matcher.quick_ratio() < SIMILAR:
        return 0.0
    return matcher.ratio()


def words_of(text: str) -> frozenset[str]:
    """Its words; a letter that is not Latin counts as one, as not every script parts its words."""
    return frozenset(_WORD.findall(text))


def moved(before: list[Entry], after: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Pairs (old, new) of entries whose id changed by an edit, the most similar first."""
    kept = {e.id for e in before} & {e.id for e in after}
    gone = [e for e in before if e.id not in kept]
    come = [e for e in after if e.id not in kept]
    scored = sorted(
        ((similarity(a.text, b.text), i, j) for i, a in enumerate(gone) for j, b in enumerate(come)),
        key=lambda s: (-s[0], s[1], s[2]),
    )
    taken: set[tuple[str, int]] = set()
    for score, i, j in scored:
        if score >= SIMILAR and ("gone", i) not in taken and ("come", j) not in taken:
            taken |= {("gone", i), ("come", j)}
            yield gone[i], come[j]
