"""Notes in which nothing could be taken for something else: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from merging.note_laws import CLEAR

CASES = 150


@pytest.mark.parametrize("law", CLEAR)
def test_no_case_breaks_it(law: str) -> None:
    assert list(broken(law, CLEAR[law], CASES, seed=0)) == []
