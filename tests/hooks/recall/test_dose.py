"""The dose: how many entries follow from how far the best one stands out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.known.cache import EntryHit
from ctxrepo.hooks.recall.dose import BY_MEANING, BY_WORDS, Dose
from ctxrepo.hooks.recall.recall import BEYOND_DOSE, CHANCE_HIT, ENOUGH_BETTER, FAR_BELOW, LEFT_OUT, chosen

DOSE = Dose(least=0.8, per_margin=10.0, share=0.5)


def hits(*scores: float) -> list[EntryHit]:
    return [EntryHit((f"e{n}", "a.md", "", n, n, "", "text", "h"), s) for n, s in enumerate(scores, 1)]


@pytest.mark.parametrize(
    ("margin", "entries"),
    [(0.0, 0), (0.79, 0), (0.8, 1), (0.84, 1), (0.86, 2), (1.0, 3), (1.8, 11), (9.0, 24)],
)
def test_more_is_given_the_more_the_best_stands_out(margin: float, entries: int) -> None:
    assert DOSE.entries(margin, 24) == entries


@given(st.sampled_from([BY_WORDS, BY_MEANING]), st.floats(0, 50), st.floats(0, 50), st.integers(0, 100))
def test_a_larger_margin_never_gives_less_and_the_limit_holds(
    dose: Dose, one: float, other: float, most: int
) -> None:
    low, high = sorted((one, other))
    assert dose.entries(low, most) <= dose.entries(high, most) <= most


def test_what_is_left_out_says_why() -> None:
    found = chosen(hits(10, 9, 8, 4, 3), 24, 0.9, DOSE)
    assert [hit.id for hit in found.hits] == ["e1", "e2"]
    whys = [why for _, why in found.left_out]
    assert whys == [BEYOND_DOSE.format(2, 0.9), FAR_BELOW, FAR_BELOW]
    assert whys[0].startswith("beyond the dose of 2, as the best entry reaches 0.90 times")
    at_limit = chosen(hits(10, 9, 8), 2, 5.0, DOSE)
    assert [why for _, why in at_limit.left_out] == [ENOUGH_BETTER]


def test_below_the_least_margin_there_is_silence() -> None:
    found = chosen(hits(*range(30, 0, -1)), 24, 0.5, DOSE)
    assert (found.why, found.hits, len(found.left_out)) == (CHANCE_HIT, [], LEFT_OUT)
