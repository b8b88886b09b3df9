"""Which entry another one overtakes: by how many words they share that few others have.

Measured on the histories of public documents (docs/explanation/living-measured.md): of lines that replaced
another one it finds two in three, and of lines that only came it takes one in twenty for a replacement."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from math import log

from ctxrepo.domain.note.entry import gist
from ctxrepo.lazy import lazy_pattern

ENOUGH = 0.75
"""From this score on a newer entry overtakes an older one. It is the share of words that the two have in
common, plus half of what the older one is nearer to it than to any other, plus a fifth of the share of words
with which both begin. Where it is as near to another one it is of a family, such as a line for each command,
and a further member of that overtakes none."""

LIKELY = 0.56
"""From this score on an entry is named to whoever writes another one: they know what they mean."""

_NEARER, _LEAST_NEARER, _MOST_NEARER = 0.5, 0.03, 0.4
_BEGINNING = 0.2

_LEAST_SHARE = LIKELY - _NEARER * _MOST_NEARER - _BEGINNING
"""With a smaller share of words in common no pair comes to LIKELY."""

_NEIGHBOURS = 8
"""So many entries that share the most are compared exactly with one."""

COMMON = 60
"""A word that more entries have brings none of them together by itself."""

_MOST_WORDS = 200
"""Words of an entry that are looked at."""

_LABEL = lazy_pattern(r"\A\[[a-z][\w-]*\](?![(\[])")
_WORD = lazy_pattern(r"[^\W_]+|_", re.UNICODE)


def words_in(text: str) -> list[str]:
    """The words of an entry in small letters, in their order; signs, its category and tags tell nothing."""
    return _WORD.findall(_LABEL.sub("", gist(text)))[:_MOST_WORDS]


class Overlaps:
    """What texts, told by their numbers, share of their words. A word that fewer texts have counts more."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._ordered = [words_in(text) for text in texts]
        self._words = [frozenset(words) for words in self._ordered]
        counts = Counter(word for words in self._words for word in words)
        self._worth = {word: log(1 + len(texts) / (1 + count)) for word, count in counts.items()}
        self._weight = [sum(map(self._worth.__getitem__, words)) for words in self._words]
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                if 1 < counts[word] <= max(COMMON, _NEIGHBOURS):
                    self._holders[word].append(number)
        self._near: dict[int, dict[int, float]] = {}

    def share(self, one: int, other: int) -> float:
        """How much of all words of two texts both have: 0 to 1."""
        common = sum(map(self._worth.__getitem__, self._words[one] & self._words[other]))
        return common / (self._weight[one] + self._weight[other] - common or 1.0)

    def beginning(self, one: int, other: int) -> float:
        """With how much of the shorter text both begin: 0 to 1."""
        first, second = self._ordered[one], self._ordered[other]
        shorter = min(len(first), len(second))
        same = next((at for at in range(shorter) if first[at] != second[at]), shorter)
        return same / shorter if shorter else 0.0

    def near(self, number: int) -> Mapping[int, float]:
        """The texts that share most with one, with how much: at least so much that it may be enough."""
        if number not in self._near:
            sums: defaultdict[int, float] = defaultdict(float)
            for word in self._words[number]:
                for holder in self._holders.get(word, ()):
                    sums[holder] += self._worth[word]
            sums.pop(number, None)
            best = sorted(sums, key=lambda other: (-sums[other] / self._weight[other], other))[:_NEIGHBOURS]
            shares = {other: self.share(number, other) for other in best}
            self._near[number] = {other: share for other, share in shares.items() if share >= _LEAST_SHARE}
        return self._near[number]

    def may_overtake(self, one: int, other: int) -> bool:
        """Whether two texts are so much alike that one overtakes the other, if nothing else is like it."""
        most = self.share(one, other) + _NEARER * _MOST_NEARER + _BEGINNING * self.beginning(one, other)
        return most >= ENOUGH

    def score(self, newer: int, older: int, without: set[int]) -> float:
        """How much speaks for it that a text overtakes another one, which some others don't stand beside."""
        share = self.share(newer, older)
        others = (near for other, near in self.near(older).items() if other != newer and other not in without)
        nearer = share - max(others, default=0.0)
        if nearer < _LEAST_NEARER:
            return 0.0
        nearer = min(nearer, _MOST_NEARER)
        return share + _NEARER * nearer + _BEGINNING * self.beginning(newer, older)


def is_other_value(older: str, newer: str) -> bool:
    """Whether two texts say the same of the same thing but for one value with a digit: `port 6380` and 6390.
    What is added before or behind changes nothing; where a name differs as well, it may be another thing."""
    sides = (words_in(older), words_in(newer))
    steps = SequenceMatcher(None, *sides, autojunk=False).get_opcodes()
    changed = [(sides[0][a:b], sides[1][c:d]) for kind, a, b, c, d in steps if kind in ("replace", "delete")]
    return len(changed) == 1 and all(any(map(_has_digit, words)) for words in changed[0])


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def twin_of(text: str, others: Sequence[str]) -> int | None:
    """The number of the one of these that a text may replace, or says once more, and be it less than
    certain; None for none."""
    overlaps, number = Overlaps([*others, text]), len(others)
    near = overlaps.near(number)
    nearest = max(near, key=lambda other: (near[other], -other), default=None)
    is_alike = nearest is not None and overlaps.score(number, nearest, set()) >= LIKELY
    return nearest if is_alike else None


def candidates(overlaps: Overlaps, count: int) -> Iterator[tuple[int, int]]:
    """The pairs of texts of which one may overtake the other, each once."""
    for number in range(count):
        for other in overlaps.near(number):
            if (number < other or number not in overlaps.near(other)) and overlaps.may_overtake(
                number, other
            ):
                yield number, other


def overtaken(overlaps: Overlaps, count: int, age_of: Callable[[int], str]) -> dict[int, int]:
    """Older text -> the newer one that overtakes it; `age_of` says since when a text is there. Of the same
    age, or of an unknown one, none overtakes another: who wrote both at once means both. One text overtakes
    one other."""
    rivals: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in candidates(overlaps, count):
        rivals[one].add(other)
        rivals[other].add(one)
    ages = {number: age_of(number) for number in rivals}
    newer_ones, absent = dict[int, int](), set(rivals)  # not yet there, or overtaken
    for newer in sorted(rivals, key=lambda number: (ages[number], number)):
        older = [one for one in rivals[newer] if "" < ages[one] < ages[newer] and one not in absent]
        nearest = max(older, key=lambda one: (overlaps.share(newer, one), -one), default=None)
        score = overlaps.score(newer, nearest, absent) if nearest is not None else 0.0
        absent.discard(newer)
        if nearest is not None and score >= ENOUGH:
            newer_ones[nearest] = newer
            absent.add(nearest)
    return newer_ones
