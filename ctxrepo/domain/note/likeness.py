"""How alike two entries are, and which entry of a later note is which of an earlier one."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import partial
from heapq import nsmallest
from itertools import product

from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.lazy import lazy_pattern

SIMILAR = 0.6
"""Share of equal text from which an edited entry is still the same entry."""

MAX_LETTERS = 1_000_000
"""Above this product of lengths two texts are compared by their words only."""

FEW_PAIRS = 400
"""Up to so many pairs of entries are all compared."""

MAX_PAIRS = 250_000
"""With more pairs than FEW_PAIRS, up to this many, each entry is compared with the NEAREST that share most
words with it; beyond that, with those at about the same place."""

NEAREST = 5
"""How many others an entry is compared with, if not with all."""

_WORD = lazy_pattern(r"[A-Za-z0-9_]+|\w")


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
    """Pairs (old, new) of entries whose id changed by an edit or a move, the most similar first.

    Of many, each is compared with the few that share most words with it; of very many, with those around.
    """
    kept = {e.id for e in before} & {e.id for e in after}
    gone = [e for e in before if e.id not in kept]
    come = [e for e in after if e.id not in kept]
    same = list(_same(gone, come))
    yield from same
    olds, news = {id(old) for old, _ in same}, {id(new) for _, new in same}
    gone = [e for e in gone if id(e) not in olds]
    come = [e for e in come if id(e) not in news]
    scored = sorted(
        ((similarity(gone[i].text, come[j].text), i, j) for i, j in _comparable(gone, come)),
        key=lambda s: (-s[0], s[1], s[2]),
    )
    taken: set[tuple[str, int]] = set()
    for score, i, j in scored:
        if score >= SIMILAR and ("gone", i) not in taken and ("come", j) not in taken:
            taken |= {("gone", i), ("come", j)}
            yield gone[i], come[j]


def _same(gone: list[Entry], come: list[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Those that say the same elsewhere, in order."""
    waiting: dict[str, deque[Entry]] = defaultdict(deque)
    for entry in come:
        waiting[normalised(entry.text)].append(entry)
    for entry in gone:
        if there := waiting[normalised(entry.text)]:
            yield entry, there.popleft()


def _comparable(gone: list[Entry], come: list[Entry]) -> Iterable[tuple[int, int]]:
    """Numbers of old and new entries that are worth comparing letter by letter."""
    if len(gone) * len(come) <= FEW_PAIRS:
        return product(range(len(gone)), range(len(come)))
    if len(gone) * len(come) > MAX_PAIRS:
        around = range(-(NEAREST // 2), NEAREST // 2 + 1)
        return ((i, i + far) for i in range(len(gone)) for far in around if 0 <= i + far < len(come))
    words, theirs = ([words_of(e.text) for e in entries] for entries in (gone, come))

    def distance(i: int, j: int) -> tuple[int, int]:
        return -len(words[i] & theirs[j]), abs(i - j)

    return (
        (i, j)
        for i in range(len(gone))
        for j in nsmallest(NEAREST, range(len(come)), key=partial(distance, i))
    )
