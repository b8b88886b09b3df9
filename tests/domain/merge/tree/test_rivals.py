"""A conflict that two sides resolved in two ways is one again, and what they did besides makes none."""

from __future__ import annotations

import pytest
from trees import merge, merged_tree

from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file

NOTE, PICTURE = "shop/topics/ports.md", "shop/cart.svg"
KEPT, OTHER = "- the port is 9182 in staging\n", "- the port is 9282 in staging\n"


def in_conflict(text: str, copy: ConflictCopy) -> dict[str, str]:
    path, data = copy_as_file(copy)
    return {copy.path: text, path: data.decode()}


def beside(entries: str) -> str:
    return f"- before\n\n{entries}\n- behind\n"


CONFLICT = in_conflict(beside(KEPT), ConflictCopy(NOTE, "", KEPT.strip(), OTHER.strip()))


def copies(base: dict[str, str], ours: str, theirs: str) -> list[ConflictCopy]:
    """What is in conflict after both sides, which resolved it, left the file with these texts."""
    (path, *_) = base
    merges = [merge(base, {path: left}, {path: right}) for left, right in ((ours, theirs), (theirs, ours))]
    assert merges[0].conflict_copies == merges[1].conflict_copies
    return list(merges[0].conflict_copies)


def test_the_version_that_one_side_kept_and_the_other_did_not_is_in_conflict_again() -> None:
    assert copies(CONFLICT, beside(KEPT), beside(OTHER)) == [
        ConflictCopy(NOTE, "", OTHER.strip(), KEPT.strip())
    ]
    assert [copy.other for copy in copies(CONFLICT, beside(KEPT + OTHER), beside(OTHER))] == [KEPT.strip()]
    assert copies(CONFLICT, beside(KEPT + OTHER), beside(KEPT)) == []


LATER = "- the port is 9182 in staging and in production\n"


@pytest.mark.parametrize("then", [LATER, ""], ids=["edited", "forgotten"])
def test_what_one_did_after_both_kept_what_stood_there_is_no_conflict(then: str) -> None:
    assert copies(CONFLICT, beside(KEPT), beside(then)) == []
    assert merged_tree(CONFLICT, {NOTE: beside(KEPT)}, {NOTE: beside(then)})[NOTE] == beside(then)


def test_what_one_did_after_both_kept_the_other_is_merged_as_two_edits_are() -> None:
    assert copies(CONFLICT, beside(OTHER), beside("")) == []
    later = OTHER.replace("staging", "staging and in production")
    two_edits = merge({NOTE: beside(KEPT)}, {NOTE: beside(OTHER)}, {NOTE: beside(later)})
    assert copies(CONFLICT, beside(OTHER), beside(later)) == [*two_edits.conflict_copies]
    assert len(two_edits.conflict_copies) == 1


def test_a_file_that_is_the_one_version_or_the_other_as_a_whole_is_in_conflict_again() -> None:
    base = in_conflict("<svg>1</svg>\n", ConflictCopy(PICTURE, "", "", "<svg>2</svg>\n"))
    assert copies(base, "<svg>1</svg>\n", "<svg>2</svg>\n") == [
        ConflictCopy(PICTURE, "", "", "<svg>1</svg>\n")
    ]
    assert copies(base, "<svg>2</svg>\n", "<svg>2</svg>\n") == []
    assert copies(base, "<svg>1</svg>\n", "<svg>3</svg>\n") == []
