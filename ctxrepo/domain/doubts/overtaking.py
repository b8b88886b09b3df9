"""Which entry overtakes another one: known by how many words they share that few others have.

Measured on the histories of public documents (docs/explanation/living-measured.md): of lines that replaced
another one it finds two in three, and of lines that were only added it takes one in twenty for a replacement.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from math import log

from ctxrepo.domain.note.entry import gist
from ctxrepo.lazy import lazy_pattern

ENOUGH = 0.75
"""From this score on a newer entry overtakes an older one. The score is the share of words that the two have
in common, plus half of the margin by which the older one is nearer to it than to any other, plus a fifth of
the share of words with which both begin. An entry that is as near to some other is one of a family, such as a
line for each command, and a further member of the family overtakes none."""

LIKELY = 0.56
"""From this score on whoever writes an entry is told of the other one: they know what they mean."""

_NEARER, _LEAST_NEARER, _MOST_NEARER = 0.5, 0.03, 0.4
_BEGINNING = 0.2

_LEAST_SHARE = LIKELY - _NEARER * _MOST_NEARER - _BEGINNING
"""With a smaller share of words in common no pair comes to LIKELY."""

_NEIGHBOURS = 8
"""An entry is compared exactly with so many others, those that share the most with it."""

COMMON = 60
"""Entries that have only words in common that more entries than this have aren't compared."""

_MOST_WORDS = 200
"""Words of an entry that are looked at."""

_LABEL = lazy_pattern(r"\A\[[a-z][\w-]*\](?![(\[])")
_WORD = lazy_pattern(r"[^\W_]+|_", re.UNICODE)


def words_in(text: str) -> list[str]:
    """The words of an entry in lower case and in order, without punctuation, its category and tags."""
    return _WORD.findall(_LABEL.sub("", gist(text)))[:_MOST_WORDS]


class Overlaps:
    """How much of their words texts share; a text is named by its number. The fewer texts have a word, the
    more it counts."""

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

    def share(self, text: int, other: int) -> float:
        """The share of all words of two texts that both have: 0 to 1."""
        common = sum(map(self._worth.__getitem__, self._words[text] & self._words[other]))
        return common / (self._weight[text] + self._weight[other] - common or 1.0)

    def beginning(self, text: int, other: int) -> float:
        """The share of the shorter text with which both begin: 0 to 1."""
        words, others = self._ordered[text], self._ordered[other]
        shorter = min(len(words), len(others))
        same = next((at for at in range(shorter) if words[at] != others[at]), shorter)
        return same / shorter if shorter else 0.0

    def near(self, number: int) -> Mapping[int, float]:
        """The texts that share most with this one -> the share; only those that may come to LIKELY."""
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

    def score(self, newer: int, older: int, absent: set[int]) -> float:
        """The score of ENOUGH and LIKELY for two texts, as if the `absent` ones weren't there."""
        share = self.share(newer, older)
        others = (near for other, near in self.near(older).items() if other != newer and other not in absent)
        margin = share - max(others, default=0.0)
        if margin < _LEAST_NEARER:
            return 0.0
        return share + _NEARER * min(margin, _MOST_NEARER) + _BEGINNING * self.beginning(newer, older)

    def rivals(self) -> dict[int, set[int]]:
        """Each text that may overtake another one, or be overtaken -> these others, as if nothing
        else were like them."""
        rivals: defaultdict[int, set[int]] = defaultdict(set)
        for text in range(len(self._words)):
            for other, share in self.near(text).items():
                if share + _NEARER * _MOST_NEARER + _BEGINNING * self.beginning(text, other) >= ENOUGH:
                    rivals[text].add(other)
                    rivals[other].add(text)
        return rivals


def is_other_value(older: str, newer: str) -> bool:
    """Whether two texts say the same of the same thing but for one value with a digit: `port 6380` and
    `port 6390`. Words may be added before or behind; where a name differs as well, it may be another thing.
    """
    sides = (words_in(older), words_in(newer))
    steps = SequenceMatcher(None, *sides, autojunk=False).get_opcodes()
    swaps = [(sides[0][a:b], sides[1][c:d]) for kind, a, b, c, d in steps if kind in ("replace", "delete")]
    return len(swaps) == 1 and all(any(map(str.isdigit, "".join(words))) for words in swaps[0])


def twin_of(text: str, others: Sequence[str]) -> int | None:
    """The number of the other text that this one is LIKELY to replace or to repeat; None for none."""
    overlaps, number = Overlaps([*others, text]), len(others)
    near = overlaps.near(number)
    nearest = max(near, key=lambda other: (near[other], -other), default=None)
    is_alike = nearest is not None and overlaps.score(number, nearest, set()) >= LIKELY
    return nearest if is_alike else None


def overtaken(overlaps: Overlaps, age_of: Callable[[int], str]) -> dict[int, int]:
    """Older text -> the newer one that overtakes it. `age_of` gives the moment
    since which a text is there, in ISO form. No text overtakes one of the same or of an unknown age: whoever
    wrote both at once means both. One text overtakes one other."""
    rivals = overlaps.rivals()
    ages = {number: age_of(number) for number in rivals}
    successors, absent = dict[int, int](), set(rivals)  # not yet there, or overtaken
    for newer in sorted(rivals, key=lambda number: (ages[number], number)):
        older = [rival for rival in rivals[newer] if "" < ages[rival] < ages[newer] and rival not in absent]
        nearest = max(older, key=lambda rival: (overlaps.share(newer, rival), -rival), default=None)
        score = overlaps.score(newer, nearest, absent) if nearest is not None else 0.0
        absent.discard(newer)
        if nearest is not None and score >= ENOUGH:
            successors[nearest] = newer
            absent.add(nearest)
    return successors
