"""How sure it is that one method finds more than another on the same prompts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean, quantiles

SAMPLES = 2000


def lead(ours: Sequence[float], theirs: Sequence[float], seed: int = 1) -> tuple[float, float, float]:
    """By how much `ours` is ahead in the mean, and the range of 95 % of the bootstrap samples over prompts.

    The figures are of the same prompts in the same order: what is drawn again and again is their difference.
    """
    differences = [own - other for own, other in zip(ours, theirs, strict=True)]
    chance = random.Random(seed)
    means = [mean(chance.choices(differences, k=len(differences))) for _ in range(SAMPLES)]
    cuts = quantiles(means, n=40)
    return mean(differences), cuts[0], cuts[-1]
