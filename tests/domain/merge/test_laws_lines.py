"""JSON lines with and without ids: what holds for every merge of them."""

from __future__ import annotations

import pytest
from laws import broken
from long import mostly_long
from merging.json_lines import JSON_LINES


@pytest.mark.parametrize("cases", mostly_long([60, 150], keep=1))
@pytest.mark.parametrize("law", JSON_LINES)
def test_no_case_breaks_it(law: str, cases: int) -> None:
    assert list(broken(law, JSON_LINES[law], cases, seed=0)) == []
