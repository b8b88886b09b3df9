"""Records about entries, and what follows from them."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.records.evidence import (
    Evidence,
    Kind,
    Marks,
    closure,
    evidence_of,
    fate,
    latest_successors,
    marks,
    renamed,
    to_line,
)


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
        '{"kind": "moved", "entry": "x", "to": "x"}',
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


def test_of_entries_that_supersede_each_other_the_last_one_to_do_so_holds() -> None:
    both = [said(1, "superseded", "a", "b"), said(2, "superseded", "b", "a")]
    assert marks(both).struck == {"b"}
    edited = [both[0], said(2, "moved", "b", "c"), said(3, "superseded", "c", "a")]
    assert marks(edited).struck == {"c"}
    three = [*both, said(3, "superseded", "a", "c"), said(4, "superseded", "c", "b")]
    assert marks(three).struck == {"a", "c"}
    unheard = [
        said(1, "superseded", "a", "b"),
        said(2, "superseded", "b", "c"),
        said(3, "superseded", "a", "b"),
    ]
    assert marks(unheard).struck == {"a", "b"}


def test_marks_follow_a_moved_entry() -> None:
    moves = [said(1, "pinned", "a"), said(2, "moved", "a", "b"), said(3, "moved", "b", "c")]
    assert marks(moves) == Marks(frozenset("c"))
    assert marks([said(1, "superseded", "a", "x"), said(2, "moved", "a", "b")]) == Marks(
        struck=frozenset("b")
    )


def test_a_value_that_took_the_place_of_another_one_is_not_struck_by_being_told_as_its_move() -> None:
    replaced = [said(1, "stated", "a"), said(2, "superseded", "a", "b"), said(2, "stated", "b")]
    assert marks([*replaced, said(3, "moved", "a", "b")]) == Marks(struck=frozenset("a"))


def test_an_entry_that_is_struck_stays_so_however_it_is_edited() -> None:
    old = [said(1, "stated", "a"), said(2, "superseded", "a", "x"), said(2, "stated", "x")]
    edited = [*old, said(3, "moved", "a", "b"), said(4, "moved", "b", "a")]
    assert marks(edited[:-1]) == Marks(struck=frozenset("b"))
    assert marks(edited) == Marks(struck=frozenset("a"))
    under_another_name = [said(1, "stated", "a"), said(2, "moved", "a", "b"), said(3, "superseded", "b", "x")]
    assert marks([*under_another_name, said(4, "moved", "b", "a")]) == Marks(struck=frozenset("a"))


def test_marks_made_by_who_did_not_know_of_the_move_follow_it_too() -> None:
    way = [said(1, "moved", "x", "y"), said(2, "moved", "y", "z")]
    assert marks([*way, said(3, "superseded", "x", "n")]).struck == {"x", "y", "z"}
    assert "z" in marks([*way, said(3, "pinned", "x")]).pinned
    assert marks([*way, said(3, "pinned", "x"), said(4, "unpinned", "x")]).pinned == set()
    again = [*way, said(3, "stated", "x"), said(4, "superseded", "x", "n")]
    assert marks(again).struck == {"x"}, "the same words stated anew are another entry"
    assert "z" not in marks([*way, said(3, "stated", "z"), said(4, "superseded", "x", "z")]).struck


def test_marks_on_what_has_its_former_id_again_reach_it() -> None:
    back = [said(1, "stated", "a"), said(2, "moved", "a", "b"), said(3, "moved", "b", "a")]
    assert "a" in marks([*back, said(4, "superseded", "b", "n")]).struck
    assert "a" in marks([*back, said(4, "pinned", "b")]).pinned
    assert marks([*back, said(4, "pinned", "a"), said(5, "unpinned", "b")]).pinned == set()


@pytest.mark.parametrize("when", [2, 4], ids=["before", "after"])
def test_what_another_machine_made_of_an_entry_is_superseded_with_it(when: int) -> None:
    here = [said(0, "stated", "a"), said(1, "moved", "a", "b"), said(3, "superseded", "b", "n")]
    assert {"b", "c"} <= marks([*here, said(when, "moved", "a", "c")]).struck
    assert "a" not in marks([*here, said(4, "stated", "a"), said(5, "moved", "a", "c")]).struck
    assert "c" not in marks([*here, said(4, "stated", "a"), said(5, "moved", "a", "c")]).struck


def test_marks_on_a_long_chain_of_moves_cost_no_more_than_its_length() -> None:
    """Followed to its end for each mark, this one would take minutes."""
    chain = [
        Evidence(f"m{n}", f"2026-11-{n:06}", "moved", f"x{n}", "a.md", f"x{n + 1}") for n in range(9_000)
    ]
    pins = [Evidence(f"p{n}", "2026-12-01", "pinned", "x0", "a.md") for n in range(9_000)]
    pinned = marks([*chain, *pins]).pinned
    assert {"x0", "x100"} <= pinned
    assert "x101" not in pinned


def test_of_many_heirs_the_nearest_and_first_are_reached() -> None:
    edits = {"a": ["b", "c"], "b": ["d"], "d": ["a"]}
    assert closure(edits, "a") == {"a", "b", "c", "d"}
    assert [closure(edits, "a", most) for most in (1, 2, 3)] == [{"b"}, {"b", "c"}, {"b", "c", "d"}]


def test_what_moved_is_superseded_with_what_it_was_whichever_was_recorded_first() -> None:
    stated, moved = said(1, "stated", "x"), said(2, "moved", "x", "y")
    for number in (1, 3):
        records = [stated, moved, said(number, "superseded", "x", "z"), said(number, "stated", "z")]
        assert marks(records).struck == {"y", *("x" for _ in range(number == 3))}
    # Somebody stated it under the id that it has by now: that holds.
    assert marks([stated, moved, said(2, "stated", "y"), said(3, "superseded", "x", "z")]).struck == {"x"}


def test_what_supersedes_a_pinned_entry_is_pinned_in_its_stead() -> None:
    assert marks([said(1, "pinned", "a"), said(2, "superseded", "a", "b")]) == Marks(
        frozenset("b"), frozenset("a")
    )


def test_of_two_machines_that_replace_a_pinned_entry_neither_loses_the_pin() -> None:
    records = [said(1, "pinned", "a"), said(2, "superseded", "a", "b"), said(3, "superseded", "a", "c")]
    assert marks(records).pinned == frozenset("bc")


VALUES = st.lists(st.sampled_from("abcd"), min_size=2, max_size=8)


@given(VALUES, st.data())
def test_of_values_that_replaced_one_another_the_last_is_live_and_has_the_pin(
    values: list[str], data: st.DataObject
) -> None:
    values = [v for n, v in enumerate(values) if n == 0 or v != values[n - 1]]
    pin = data.draw(st.none() | st.integers(0, len(values) - 1))
    records = []
    for n, value in enumerate(values):
        at = 2 * n + 1
        records.append(said(at, "stated", value))
        if n:
            records.append(said(at, "superseded", values[n - 1], value))
        if n == pin:
            records.append(said(at, "pinned", value))
        # A commit may come behind each, see any earlier one in what it goes on from, and share the moment.
        before = data.draw(st.none() | st.sampled_from(values[: n + 1]))
        if before is not None and before != value:
            records.append(said(at + data.draw(st.integers(0, 1)), "moved", before, value))
    outcome = marks(data.draw(st.permutations(records)))
    assert outcome.struck == set(values) - {values[-1]}
    assert outcome.pinned == (set() if pin is None else {values[-1]})


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([], {}),
        ([said(1, "superseded", "a", "b"), said(2, "superseded", "b", "c")], {"a": "c", "b": "c"}),
        (
            [said(1, "superseded", "a", "b"), said(2, "superseded", "b", "a"), said(2, "stated", "a")],
            {"b": "a"},
        ),
        ([said(1, "superseded", "a", "b"), said(2, "superseded", "b", "a")], {"b": "a"}),
        ([said(1, "superseded", "a", ""), said(2, "moved", "c", "d")], {}),
    ],
)
def test_which_entry_stands_for_another_one_by_now(records: list[Evidence], expected: dict[str, str]) -> None:
    assert latest_successors(records) == expected


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
