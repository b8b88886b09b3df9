"""Pairs what has gone with what is new by likeness, to find which new thing is an edit of which old one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import field
from itertools import product
from typing import Any, Generic, TypeVar

from ctxrepo.domain.merge.choose import Key
from ctxrepo.domain.note.likeness import SIMILAR, similarity, words_of
from ctxrepo.domain.note.markdown import Kind
from ctxrepo.lazy import dataclass

MAX_PAIRS = 10_000
"""With more pairs nothing is compared: an edited entry counts as removed and added."""

FEW_WORDS = 6
"""Texts with fewer words are compared by their letters, whatever words they share."""

NEARER = 0.25
"""Likeness that is added for standing under the same heading."""

_Path = tuple[str, ...]
_K = TypeVar("_K", str, tuple[str, ...])
_V = TypeVar("_V", "Saying", "Section")

Scored = Iterable[tuple[float, _K, _K]]
"""(how alike, old, new)"""

Changes = tuple[Mapping[_K, _V], Mapping[_K, _V]]
"""What has gone on a side, and what has come."""

Likeness = Callable[[Mapping[_K, _V], Mapping[_K, _V]], Scored[_K]]
Pairs = tuple[dict[_K, _K], dict[_K, _K]]

Section = tuple[Counter[str], ...]
"""What is said directly under a heading, in one version of a note or several."""


@dataclass(frozen=True)
class Saying:
    """What an entry says, in which words, under which headings, and the id its author gave it."""

    key: Key
    path: _Path
    says: str
    words: frozenset[str]
    id: str
    kind: Kind


@dataclass
class _Side(Generic[_K]):
    pairs: dict[_K, _K] = field(default_factory=dict)
    taken: set[_K] = field(default_factory=set)


def paired(ours: Changes[_K, _V], theirs: Changes[_K, _V], scored: Likeness[_K, _V]) -> Pairs[_K]:
    """For each side: new key -> the old key that it is an edit of; the most alike are paired first.

    A new thing that both sides have is an edit of the same old thing for both, or of none. So a merged
    version is paired in the same way when it is merged with one of its sides again.
    """
    (our_gone, our_come), (their_gone, their_come) = ours, theirs
    our_own, their_own = without(our_come, their_come), without(their_come, our_come)
    gone = without(our_gone, without(our_gone, their_gone))
    us, them = _Side[_K](), _Side[_K]()
    found = [
        (-score, old, new, sides)
        for was, now, sides in (
            (gone, without(our_come, our_own), (us, them)),
            (gone, without(their_come, their_own), (us, them)),
            (our_gone, our_own, (us,)),
            (their_gone, their_own, (them,)),
        )
        for score, old, new in scored(was, now)
    ]
    for _, old, new, sides in sorted(found, key=lambda f: f[:3]):
        if not any(new in side.pairs or old in side.taken for side in sides):
            for side in sides:
                side.pairs[new] = old
                side.taken.add(old)
    return us.pairs, them.pairs


def without(one: Mapping[_K, _V], other: Mapping[_K, Any]) -> dict[_K, _V]:
    return {key: value for key, value in one.items() if key not in other}


def same_titles(
    gone: Mapping[_Path, Section], come: Mapping[_Path, Section]
) -> Iterator[tuple[float, _Path, _Path]]:
    """Pairs of headings where one was renamed: the titles are alike, or most of the section is the same."""
    if len(gone) * len(come) > MAX_PAIRS:
        return
    for old, new in product(gone, come):
        if old[:-1] == new[:-1]:
            kept = max(_kept(was, now) for was, now in product(gone[old], come[new]))
            alike = _title_likeness(old[-1], new[-1])
            if kept > 0.5 or alike >= SIMILAR:
                yield kept + alike, old, new


def _title_likeness(was: str, now: str) -> float:
    """How alike two titles are; a title that was only made longer or shorter is alike."""
    old, new = words_of(was), words_of(now)
    return max(similarity(was, now), SIMILAR if old and new and (old <= new or new <= old) else 0.0)


def _kept(was: Counter[str], now: Counter[str]) -> float:
    return 2 * (was & now).total() / max(was.total() + now.total(), 1)


def same_sayings(common: Set[str]) -> Likeness[str, Saying]:
    """Scores pairs of entries; staying under the same heading counts, so a moved entry must be much closer.

    `common` are words that many entries have: of the others an edit keeps more than half. Where
    entries are alike, one removed and one added are no edit, and neither becomes a conflict copy.
    """

    def scored(gone: Mapping[str, Saying], come: Mapping[str, Saying]) -> Iterator[tuple[float, str, str]]:
        for is_within in (True, False):
            left = MAX_PAIRS
            for olds, news in _groups(gone.values(), come.values(), is_within):
                left -= len(olds) * len(news)
                for was, now in product(olds, news) if left >= 0 else ():
                    score = similarity(was.says, now.says) if _may_be_one(was, now, common) else 0.0
                    if score >= SIMILAR:
                        yield score + NEARER * is_within, was.says, now.says

    return scored


def words_of_many(texts: Iterable[str]) -> set[str]:
    """The words that more than one of the texts has."""
    times = Counter(word for text in texts for word in words_of(text))
    return {word for word in times if times[word] > 1}


def _may_be_one(was: Saying, now: Saying, common: Set[str]) -> bool:
    """Whether the two could be one entry; cheaper than comparing letters, since alike texts share words."""
    if (was.kind == "comment") != (now.kind == "comment") or (was.id and now.id):
        return False
    telling = was.words - common
    if len(telling & now.words) * 2 <= len(telling) and telling:
        return False
    fewer = min(len(was.words), len(now.words))
    return fewer < FEW_WORDS or len(was.words & now.words) * 4 >= fewer


def _groups(
    gone: Iterable[Saying], come: Iterable[Saying], is_within: bool
) -> list[tuple[list[Saying], list[Saying]]]:
    """(gone, come) for each heading, or all in one group; the smallest group first."""
    groups: dict[_Path, tuple[list[Saying], list[Saying]]] = defaultdict(lambda: ([], []))
    for number, sayings in enumerate((gone, come)):
        for saying in sayings:
            groups[saying.path if is_within else ()][number].append(saying)
    return [groups[path] for path in sorted(groups, key=lambda p: (len(groups[p][0]) * len(groups[p][1]), p))]
