"""Words and meaning become one ranking, and one answer to whether anything stands out at all.

Every number here is from `tests/recall/hybrid.py`, which prints what others would come to.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_SMALLEST = 1e-9


@dataclass(frozen=True)
class Fusion:
    """How much everything counts."""

    plain: float = 0.7
    context: float = 0.3
    note: float = 0.3
    """What counts for an entry's meaning: what it says, that below its headings, what its note is about."""
    words: float = 0.9
    logged: float = 1.1
    """What the worth of one word that hardly any entry holds counts, beside the deviation of all meanings;
    and how much more in a memory of logs only, where things are told in passing and a line means little."""
    meant: float = 7.62
    worded: float = 0.32
    """What meaning, in the model's own spread, and words count for the gate."""
    enough: float = 0.95
    larger: float = 0.39
    """From so much on there is something to recall; and how much more it must be for the logarithm of how
    many entries there are: in a larger memory more is reached by chance."""
    sure: float = 4.0
    """Or from so much on in words alone: an order number means nothing."""


FUSION = Fusion()


def combined(plain: Array, context: Array, note: Array, how: Fusion = FUSION) -> Array:
    """Rows of length 1, one for each entry."""
    rows = how.plain * plain + how.context * context + how.note * note
    found: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
    return found


def fused(words: Array, meaning: Array, is_known: Array, is_log: Array, how: Fusion = FUSION) -> Array:
    """What each entry scores; one whose meaning isn't known has an average one."""
    share = float(is_log.mean()) if len(is_log) else 0.0
    told: Array = (how.words + how.logged * share) * in_rare_words(words)
    if is_known.any():
        known = meaning[is_known]
        told[is_known] += (known - known.mean()) / max(float(known.std()), _SMALLEST)
    return told


def is_telling(words: Array, above: Array, is_known: Array, how: Fusion = FUSION) -> bool:
    """Whether the best of the entries stand out: in words, or in meaning by how far it is `above_usual`."""
    meant = float(above[is_known].max()) if is_known.any() else 0.0
    worded = float(in_rare_words(words).max(initial=0.0))
    return how.meant * meant + how.worded * worded >= least(len(words), how) or worded >= how.sure


def above_usual(meaning: Array, usual: Array, spread: float) -> Array:
    """By how much a prompt reaches more with each entry than prompts usually do that ask for nothing in
    particular, measured in the `spread_of` its model."""
    found: Array = (meaning - usual) / spread
    return found


def spread_of(rows: Array) -> float:
    """How far apart a model puts texts about different matters, of which these are some: 1 when they have
    nothing in common. Some put all texts near to each other, and a small step means much there."""
    count = len(rows)
    in_common = (float(np.square(rows.sum(axis=0)).sum()) - count) / max(count * (count - 1), 1)
    return max(1.0 - in_common, _SMALLEST)


def least(entries: int, how: Fusion = FUSION) -> float:
    """What meaning and words together must reach in a memory of so many entries."""
    return how.enough + how.larger * log(entries + 2)


def in_rare_words(words: Array) -> Array:
    """Scores in the worth of a word that hardly any of so many entries holds."""
    found: Array = words / log(len(words) + 2)
    return found
