"""One test for many cases."""

from __future__ import annotations

import pytest
from each import for_each


def is_small(number: int) -> None:
    assert number < 3, f"{number} is too large"


def test_all_that_break_a_law_are_named() -> None:
    law = for_each([1, 3, 2, 4], name=lambda number: f"case {number}:")(is_small)
    with pytest.raises(AssertionError, match=r"case 3: 3 is too large[^\n]*(\n.*)*case 4: 4 is too large"):
        law()
    for_each([1, 2])(is_small)()


def test_no_case_at_all_is_no_success() -> None:
    with pytest.raises(AssertionError, match="nothing to look at"):
        for_each([])(is_small)()


def test_it_is_called_as_the_law_is() -> None:
    assert for_each([1])(is_small).__name__ == "is_small"
