"""Words and meaning become one ranking, and one answer to whether anything stands out at all.

Every number here is from `tools/recall/hybrid.py`, which prints what others would come to."""

from math import log
from typing import Any, NamedTuple

import numpy as np

from ctxrepo.lazy import dataclass

Array = np.ndarray[Any, Any]

_SMALLEST = 1e-9

_FEWEST = 40
"""A memory of fewer entries counts like one of so many: what prompts are usually about is in none of them."""


class Shares(NamedTuple):
    """What counts for an entry's meaning: what it says, that below its headings, what its note is about; what
    all the entries of its note say, and those next to it."""

    plain: float
    context: float
    note: float
    whole: float = 0.0
    beside: float = 0.0


RANKED = Shares(plain=0.65, context=0.6, note=0.2, whole=0.6, beside=0.2)
GATED = Shares(plain=0.7, context=0.3, note=0.3)


@dataclass(frozen=True)
class Fusion:
    """How much everything counts."""

    ranked: Shares = RANKED
    gated: Shares = GATED
    """Which entry is the best one is told by its note as well; whether it is an answer, by itself."""
    words_weight: float = 0.55
    """What one word that hardly any entry holds counts, where one standard deviation of all likenesses in
    meaning counts 1."""
    log_weight: float = 0.55
    """What is added to that in a memory of logs only, where much is told in passing."""
    words_power: float = 1.5
    """The power that the score by words is raised to: a few words may be there by chance, many aren't."""
    meaning_gate: float = 7.62
    """What meaning, in spreads of the model, counts for whether anything stands out."""
    words_gate: float = 0.32
    """What words count for that."""
    gate_per_log_size: float = 0.606
    """What both reach by chance, a margin of 1, in the logarithm of the number of entries."""
    words_alone: float = 4.0
    """What words alone reach at a margin of 1: an order number has no meaning."""


FUSION = Fusion()


def combined(shares: Shares, *parts: Array) -> Array:
    """Rows of length 1, one for each entry; `parts` are rows in the order of `shares`."""
    rows = sum(share * part for share, part in zip(shares, parts, strict=False))
    return _of_length_one(np.asarray(rows))


def around(plain: Array, notes: Array) -> tuple[Array, Array]:
    """(what all entries of a note say, what an entry and its neighbours say), rows of length 1. `plain` has a
    row for each entry, in the order of the memory; `notes` the number of its note."""
    if not len(plain):
        return plain, plain
    is_first = np.append(True, notes[1:] != notes[:-1])
    sums = np.add.reduceat(plain, np.flatnonzero(is_first), axis=0)
    beside, is_same = plain.copy(), ~is_first[1:, None]
    beside[1:] += is_same * plain[:-1]
    beside[:-1] += is_same * plain[1:]
    return _of_length_one(sums)[np.cumsum(is_first) - 1], _of_length_one(beside)


def fused(words: Array, meaning: Array, is_known: Array, is_log: Array, how: Fusion = FUSION) -> Array:
    """What each entry scores; one whose meaning isn't known has an average one."""
    share = float(is_log.mean()) if len(is_log) else 0.0
    scores: Array = (how.words_weight + how.log_weight * share) * in_rare_words(words) ** how.words_power
    if is_known.any():
        known = meaning[is_known]
        scores[is_known] += (known - known.mean()) / max(float(known.std()), _SMALLEST)
    return scores


def margin(words: Array, above: Array, is_known: Array, more_words: float = 1.0) -> float:
    """How far the best entry stands out, where 1 is what is reached by chance: any in words, one of the best
    in meaning, `above_usual` by so much. In words chance reaches `more_words` times the usual; in meaning a
    long text reaches no more than a short one."""
    meant = float(above[is_known].max()) if is_known.any() else 0.0
    worded = float(in_rare_words(words).max(initial=0.0)) / more_words
    return float(_multiples(np.array(meant), np.array(worded), len(words)))


def own_margins(words: Array, above: Array, entries: int, more_words: float = 1.0) -> Array:
    """How far each of some entries, in a memory of so many, stands out by itself, measured as by `margin`."""
    return _multiples(above, words / log(entries + 2) / more_words, entries)


def _multiples(meant: Array, worded: Array, entries: int) -> Array:
    """How many times what chance reaches that is, in meaning and words together or in words alone."""
    both = (FUSION.meaning_gate * meant + FUSION.words_gate * worded) / least(entries)
    multiples: Array = np.maximum(both, worded / FUSION.words_alone)
    return multiples


def above_usual(meaning: Array, usual: Array, spread: float) -> Array:
    """By how much a prompt reaches more with each entry than idle ones do, in the `spread_of` its model."""
    excess: Array = (meaning - usual) / spread
    return excess


def spread_of(rows: Array) -> float:
    """How far apart a model puts texts about different matters, of which these are some: 1 when they have
    nothing in common. Some put all texts near to each other, and a small step means much there."""
    count = len(rows)
    in_common = (float(np.square(rows.sum(axis=0)).sum()) - count) / max(count * (count - 1), 1)
    return max(1.0 - in_common, _SMALLEST)


def told_apart(rows: Array) -> float:
    """How much nearer to each other a model puts texts that mean the same than others: 1 where it makes them
    equal, 0 where it makes no difference. Each two rows, from the first on, mean the same."""
    likeness = rows @ rows.T
    firsts = np.arange(0, len(rows), 2)
    same = float(likeness[firsts, firsts + 1].mean())
    pairs = np.arange(len(rows)) // 2
    others = float(likeness[pairs[:, None] != pairs].mean())
    return (same - others) / max(1.0 - others, _SMALLEST)


def least(entries: int, how: Fusion = FUSION) -> float:
    """What meaning and words together reach by chance in a memory of so many entries."""
    return how.gate_per_log_size * log(max(entries, _FEWEST) + 2)


def in_rare_words(words: Array) -> Array:
    """Scores in the worth of a word that hardly any of so many entries holds."""
    scores: Array = words / log(len(words) + 2)
    return scores


def _of_length_one(rows: Array) -> Array:
    unit_rows: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
    return unit_rows
