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
    words: float = 3.0
    """What the worth of one word that hardly any entry holds counts, beside the deviation of all meanings."""
    crowd: int = 30
    """Words that stand everywhere tell nothing apart: what the entry of this rank has counts for none."""
    meant: float = 6.0
    worded: float = 1.0
    """What meaning and words count for the gate."""
    enough: float = 3.75
    """From so much on there is something to recall."""
    sure: float = 1.5
    """Or from so much on in words alone: an order number means nothing."""


FUSION = Fusion()


def combined(plain: Array, context: Array, note: Array, how: Fusion = FUSION) -> Array:
    """Rows of length 1, one for each entry."""
    rows = how.plain * plain + how.context * context + how.note * note
    found: Array = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _SMALLEST)
    return found


def fused(words: Array, meaning: Array, is_known: Array, how: Fusion = FUSION) -> Array:
    """What each entry scores; one whose meaning isn't known has an average one."""
    told: Array = how.words * standing_out(words, how)
    if is_known.any():
        known = meaning[is_known]
        told[is_known] += (known - known.mean()) / max(float(known.std()), _SMALLEST)
    return told


def is_telling(near: float, worded: float, how: Fusion = FUSION) -> bool:
    """Whether anything is to be recalled, by how `near` the best entry stands and how much of what words
    alone would have to reach they do."""
    return how.meant * near + how.worded * worded >= how.enough or worded >= how.sure


def standing_near(meaning: Array, usual: Array) -> float:
    """The likeness of the best entry above what prompts that ask for nothing in particular reach with the
    same entry, and that of all entries: how much a prompt is about what the memory is about."""
    return float((meaning - usual).max() + meaning.mean()) if len(meaning) else 0.0


def standing_out(words: Array, how: Fusion = FUSION) -> Array:
    """Scores above the crowd's, in the worth of a word that hardly any of so many entries holds."""
    count = len(words)
    level = float(np.partition(words, -how.crowd - 1)[-how.crowd - 1]) if count > how.crowd else 0.0
    found: Array = np.maximum(words - level, 0.0) / log(count + 2)
    return found
