"""Records about entries, and what follows from them."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.evidence import Evidence, Kind, Marks, evidence_of, fate, marks, renamed, to_line


def said(number: int, kind: Kind, entry: str, to: str = "") -> Evidence:
    return Evidence(f"e{number}", f"2026-11-{number:02}", kind, entry, "a.md", to)


OF_ENTRIES = [kind for kind in get_args(Kind) if kind != "renamed"]


@given(
    st.builds(Evidence, kind=st.sampled_from(OF_ENTRIES), entry=st.text(min_size=1))
    | st.builds(Evidence, kind=st.just("renamed"), entry=st.just(""))
)
def test_a_record_reads_back_from_its_line(evidence: Evidence) -> None:
    line = to_line(evidence)
    assert "\n" not in line
    assert evidence_of(line + "\n") == [evidence]


def test_what_is_empty_is_left_out() -> None:
    assert json.loads(to_line(said(1, "pinned", "x"))) == {
        "v": 1, "id": "e1", "ts": "2026-11-01", "kind": "pinned", "entry": "x", "path": "a.md",
    }  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        '{"kind": "loved", "entry": "x"}',
        '{"kind": "pinned"}',
        '{"kind": "pinned", "entry": 3}',
        '{"kind": "renamed", "entry": "x"}',
        "x",
    ],
)
def test_lines_that_are_none_are_passed_over(line: str) -> None:
    assert evidence_of(line + "\n") == []


def test_pins_and_strikes_hold_until_they_are_undone() -> None:
    assert marks([said(1, "pinned", "a"), said(2, "pinned", "b"), said(3, "unpinned", "a")]) == Marks(
        frozenset("b")
    )
    assert marks([said(1, "superseded", "a", "b"), said(2, "superseded", "c")]) == Marks(
        struck=frozenset("ac")
    )
    assert marks([said(1, "superseded", "a", "b"), said(2, "stated", "a")]) == Marks()


def test_what_is_struck_is_pinned_no_more() -> None:
    assert marks([said(1, "pinned", "a"), said(2, "superseded", "a")]) == Marks(struck=frozenset("a"))


def test_what_is_forgotten_and_written_again_is_neither_pinned_nor_struck() -> None:
    assert marks([said(1, "pinned", "a"), said(2, "forgotten", "a")]) == Marks()


def test_marks_follow_a_moved_entry() -> None:
    moves = [said(1, "pinned", "a"), said(2, "moved", "a", "b"), said(3, "moved", "b", "c")]
    assert marks(moves) == Marks(frozenset("c"))
    assert marks([said(1, "superseded", "a", "x"), said(2, "moved", "a", "b")]) == Marks(
        struck=frozenset("b")
    )


@given(
    st.permutations(
        [said(1, "pinned", "a"), said(2, "moved", "a", "b"), said(3, "unpinned", "b"), said(4, "pinned", "c")]
    )
)
def test_the_order_of_the_lines_does_not_matter(evidence: list[Evidence]) -> None:
    assert marks(evidence) == Marks(frozenset("c"))


@pytest.mark.parametrize(
    ("records", "kind", "now"),
    [
        ([], None, "a"),
        ([said(1, "pinned", "a")], None, "a"),
        ([said(2, "moved", "b", "c"), said(1, "moved", "a", "b")], "moved", "c"),
        ([said(1, "moved", "b", "c"), said(2, "moved", "a", "b")], "moved", "b"),  # b was another one then
        ([said(1, "superseded", "a", "b"), said(2, "moved", "b", "c")], "superseded", "c"),
        ([said(1, "moved", "a", "b"), said(2, "superseded", "b", "c")], "superseded", "c"),
        ([said(1, "moved", "a", "b"), said(2, "forgotten", "b")], "forgotten", "b"),
        ([said(1, "superseded", "a", "b"), said(2, "stated", "a"), said(3, "moved", "a", "c")], "moved", "c"),
        ([said(1, "moved", "a", "b"), said(2, "superseded", "b", "c"), said(3, "stated", "b")], "moved", "b"),
        ([said(1, "forgotten", "a"), said(2, "stated", "a")], None, "a"),
        ([said(1, "superseded", "a", "b"), said(2, "stated", "b")], "superseded", "b"),
        ([said(1, "superseded", "a", "b"), said(1, "stated", "a")], "superseded", "b"),  # in one moment
    ],
)
def test_what_became_of_an_entry(records: list[Evidence], kind: Kind | None, now: str) -> None:
    assert fate(records, "a") == (kind, now)


def went(number: int, path: str, to: str) -> Evidence:
    return Evidence(f"e{number}", f"2026-11-{number:02}", "renamed", "", path, to)


@pytest.mark.parametrize(
    ("records", "former"),
    [
        ([went(1, "a", "b")], {"b": ["a"]}),
        ([went(2, "b", "c"), went(1, "a", "b")], {"c": ["a", "b"]}),
        ([went(1, "a", "b"), went(2, "a", "c")], {"b": ["a"], "c": ["a"]}),  # another note was at `a` by then
        ([went(1, "a", "b"), went(2, "b", "a"), went(3, "a", "b")], {"b": ["a", "b"]}),
        ([went(1, "a", ""), said(1, "moved", "a", "b")], {}),
    ],
)
def test_which_paths_a_note_had(records: list[Evidence], former: dict[str, list[str]]) -> None:
    assert renamed(records) == former
    assert marks(records) == Marks()
