"""Patterns of others: matched within a time."""

from __future__ import annotations

import pytest

from ctxrepo.errors import UsageError
from ctxrepo.services.reading.searching import matcher


def test_lines_and_letters() -> None:
    matches = matcher("^b.r$")
    assert [matches(text) for text in ("foo\nBAR\n", "foobar", "bar none")] == [True, False, False]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){25}$", "(?:a?){40}a{40}b"])
def test_a_pattern_that_would_take_for_ever_is_given_up(pattern: str) -> None:
    matches = matcher(pattern, patience=0.2)
    with pytest.raises(UsageError, match="takes longer than"):
        any(map(matches, ["a" * 5000 + "!"] * 50))


@pytest.mark.slow
def test_a_pattern_that_contains_itself_without_an_end_is_told() -> None:
    with pytest.raises(UsageError, match="contains itself"):
        matcher("(?R)", patience=60.0)("a")
