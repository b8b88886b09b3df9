"""Which dose the script chooses, of figures that are known."""

from __future__ import annotations

import pytest
from recall.dose import AS_GOOD, RATE, Outcome, best, worth

from ctxrepo.hooks.recall.ranking import Dose

QUIET, USUAL, LOUD = Dose(0.8, 10, 0.5), Dose(0.7, 10, 0.5), Dose(0.6, 10, 0.5)


def outcome(evidence: float, noise: float, count: int = 10) -> Outcome:
    return Outcome(count, evidence, noise, waste=0.0, false=0.0)


def test_all_the_evidence_is_worth_so_many_bytes_and_a_folder_counts_by_its_prompts() -> None:
    assert worth({"a": outcome(1.0, RATE)}, RATE) == pytest.approx(0.0)
    assert worth({"a": outcome(0.6, 0, count=30), "b": outcome(0.2, 0)}, RATE) == pytest.approx(0.5)


def test_of_doses_that_are_as_good_the_one_with_the_most_evidence_is_chosen() -> None:
    step = 0.1 - AS_GOOD / 2
    figures = {
        QUIET: {"a": outcome(0.5, 0)},
        USUAL: {"a": outcome(0.6, RATE * (0.1 + AS_GOOD / 2))},
        LOUD: {"a": outcome(0.7, RATE * (0.2 + 2 * AS_GOOD))},
    }
    assert best(figures, RATE) is USUAL
    assert best({**figures, LOUD: {"a": outcome(0.7, RATE * 2 * step)}}, RATE) is LOUD
    assert best(figures, RATE / 2) is QUIET, "where bytes cost twice as much"
