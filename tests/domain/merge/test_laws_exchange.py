"""Three machines that merge from each other in any order: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from long import mostly_long
from merging.exchange import EXCHANGE


@pytest.mark.parametrize("cases", mostly_long([15, 100], keep=1))
@pytest.mark.parametrize("law", EXCHANGE)
def test_no_case_breaks_it(law: str, cases: int) -> None:
    assert list(broken(law, EXCHANGE[law], cases, seed=0)) == []
