"""No regular expression of the package costs the square of what it is given."""

from __future__ import annotations

import random
from functools import cache

import pytest
from long import rotating
from patterns import Attack, attacks, dearest, uses, wild

_every_use = cache(uses)
_PARTS, _LONG_PARTS = 24, 40


@pytest.mark.slow
@pytest.mark.parametrize("part", rotating(range(_PARTS), keep=1))
def test_no_pattern_costs_the_square_of_a_text_that_is_made_for_it(part: int) -> None:
    dear: dict[str, Attack] = {}
    for use in _every_use()[part::_PARTS]:
        if text := dearest(use, attacks(use), 2048):
            dear[use.name] = text

    assert not dear, "bound its repeats, make them possessive, or scan by hand"


@pytest.mark.long
@pytest.mark.parametrize("part", range(_LONG_PARTS))
def test_nor_the_square_of_any_other_text(part: int) -> None:
    dear: dict[str, Attack] = {}
    for use in _every_use()[part::_LONG_PARTS]:
        texts = [*attacks(use, thorough=True), *wild(use, random.Random(use.name), 200)]
        if text := dearest(use, texts, 8192):
            dear[use.name] = text

    assert not dear
