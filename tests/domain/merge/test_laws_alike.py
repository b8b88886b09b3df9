"""Notes of entries that are much alike: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from merging.note_laws import ALIKE

CASES = 150


@pytest.mark.parametrize("law", ALIKE)
def test_no_case_breaks_it(law: str) -> None:
    assert list(broken(law, ALIKE[law], CASES, seed=0)) == []
