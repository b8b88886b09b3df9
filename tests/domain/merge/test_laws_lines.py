"""JSON lines with and without ids: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from merging.json_lines import JSON_LINES

CASES = 150


@pytest.mark.parametrize("law", JSON_LINES)
def test_no_case_breaks_it(law: str) -> None:
    assert list(broken(law, JSON_LINES[law], CASES, seed=0)) == []
