"""Three machines that merge from each other in any order: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from merging.exchange import EXCHANGE

CASES = 100


@pytest.mark.parametrize("law", EXCHANGE)
def test_no_case_breaks_it(law: str) -> None:
    assert list(broken(law, EXCHANGE[law], CASES, seed=0)) == []
