"""Notes with whatever a person may leave: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from long import mostly_long
from merging.note_laws import WILD


@pytest.mark.parametrize("cases", mostly_long([25, 150], keep=1))
@pytest.mark.parametrize("law", WILD)
def test_no_case_breaks_it(law: str, cases: int) -> None:
    assert list(broken(law, WILD[law], cases, seed=0)) == []
