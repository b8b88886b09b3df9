"""Bounds: at most so much, in a sentence, and all of them on one page."""

from __future__ import annotations

import pytest
from checkout import DOCS

from ctxrepo.domain.guard import bounds
from ctxrepo.domain.guard.bounds import PATHS, Bound
from ctxrepo.errors import BeyondBounds

PAGE = DOCS / "reference" / "bounds.md"


def test_as_much_as_a_bound_is_within_it() -> None:
    PATHS.require(PATHS.most, "commit abc")


def test_more_is_told_with_the_number_and_the_bound() -> None:
    with pytest.raises(
        BeyondBounds, match=r"^commit abc has 250,001 files and folders, more than the 250,000 "
    ):
        PATHS.require(250_001, "commit abc")


def test_every_bound_is_on_the_page() -> None:
    named = {name: bound for name, bound in vars(bounds).items() if isinstance(bound, Bound)}
    page = PAGE.read_text()
    for name, bound in named.items():
        row = f"| `{name.lower()}` | {bound.most:,} | {bound.what} | {bound.where} |"
        assert row in page, row
