"""Notes with whatever a person may leave: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from merging.note_laws import WILD

CASES = 150


@pytest.mark.parametrize("law", WILD)
def test_no_case_breaks_it(law: str) -> None:
    assert list(broken(law, WILD[law], CASES, seed=0)) == []
