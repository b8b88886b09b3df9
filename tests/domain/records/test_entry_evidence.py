"""What all records about an entry amount to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.records.entry_evidence import by_entry
from ctxrepo.domain.records.evidence import MOST_HEIRS, Evidence, Kind, marks


def said(
    number: int, kind: Kind, entry: str, to: str = "", path: str = "shop/a.md", day: str = ""
) -> Evidence:
    return Evidence(f"e{number}", f"2026-11-{number:02}", kind, entry, path, to, day=day)


def test_what_was_stated_is_known_with_who_and_where_from() -> None:
    first = replace(said(1, "stated", "a"), agent="pi", session="s1", host="desk", code="c" * 40)
    cited = replace(said(2, "verified", "a"), code="d" * 40, cites=("src/a.py@ddd#L1-L2",))
    evidence = by_entry([cited, said(3, "stated", "a"), said(4, "reinforced", "a"), first])["a"]
    assert (evidence.stated, evidence.agent, evidence.session, evidence.host) == (
        first.ts,
        "pi",
        "s1",
        "desk",
    )
    assert (evidence.cue, evidence.reinforced, evidence.last) == ("explicit", 2, "2026-11-04")
    assert (evidence.verified, evidence.verified_code, evidence.code) == (cited.ts, "d" * 40, "d" * 40)
    assert evidence.cites == cited.cites


@pytest.mark.parametrize(
    ("record", "cue"),
    [
        (said(1, "stated", "a"), "explicit"),
        (replace(said(1, "stated", "a"), source="letta"), "structural"),
        (said(1, "pinned", "a"), "behavioral"),
    ],
)
def test_how_an_entry_came_here(record: Evidence, cue: str) -> None:
    assert by_entry([record])["a"].cue == cue


def test_what_is_said_follows_an_entry_through_its_moves() -> None:
    moved = [said(1, "stated", "a"), said(2, "reinforced", "a"), said(3, "moved", "a", "b")]
    unheard = [*moved, said(4, "moved", "b", "c"), said(5, "verified", "a")]
    assert by_entry(unheard).keys() == {"c"}
    assert by_entry(unheard)["c"].reinforced == 1
    assert by_entry(unheard)["c"].verified == "2026-11-05"
    both = by_entry([*moved, said(4, "moved", "a", "c")])
    assert {name: evidence.reinforced for name, evidence in both.items()} == {"b": 1, "c": 1}
    back = [*moved, said(4, "moved", "b", "a"), said(5, "reinforced", "a")]
    assert {name: evidence.reinforced for name, evidence in by_entry(back).items()} == {"a": 2}, (
        "each counts once"
    )


def test_an_entry_begins_anew_after_its_end() -> None:
    before = [said(1, "stated", "a"), said(2, "reinforced", "a"), said(3, "verified", "a")]
    for kind in ("forgotten", "superseded"):
        again = by_entry([*before, said(4, kind, "a"), said(5, "stated", "a")])["a"]
        assert (again.stated, again.reinforced, again.verified) == ("2026-11-05", 0, "")
    assert by_entry([*before, said(4, "forgotten", "a")]) == {}
    split = by_entry([*before, said(4, "moved", "a", "b"), said(5, "stated", "a")])
    assert (split["a"].reinforced, split["b"].reinforced) == (0, 1), "what moved keeps what it had"


def test_what_replaces_an_entry_derives_from_it_and_takes_over_none_of_its_evidence() -> None:
    old = [said(1, "stated", "a"), said(2, "reinforced", "a"), said(3, "stated", "b")]
    known = by_entry([*old, said(3, "superseded", "a", "b"), said(4, "moved", "a", "b")])
    assert known["b"].derived == ("a",)
    assert known["b"].reinforced == 0
    assert known["a"].is_struck


def test_to_verify_settles_what_was_contradicted_before() -> None:
    records = [said(1, "contradicted", "a"), said(2, "verified", "a"), said(3, "contradicted", "a")]
    assert by_entry(records)["a"].contradicted == 1
    assert by_entry(records)["a"].contradicted_at == "2026-11-03"
    assert by_entry(records[:2])["a"].contradicted == 0


def test_the_rule_is_the_newest_one_and_follows_the_entry() -> None:
    first = replace(said(2, "enforced", "a"), rule="block tool x")
    second = replace(said(5, "enforced", "b"), rule="warn tool x")
    records = [second, said(1, "stated", "a"), said(4, "moved", "a", "b"), first]
    assert by_entry(records)["b"].rule == "warn tool x"
    assert by_entry(records[1:])["b"].rule == "block tool x"
    assert by_entry([*records, said(6, "reinforced", "b")])["b"].rule == "warn tool x"
    assert by_entry([*records, said(6, "enforced", "b")])["b"].rule == "", "which says that there is none"
    replaced = by_entry([first, said(3, "superseded", "a", "c"), said(4, "stated", "c")])
    assert (replaced["a"].is_struck, replaced["c"].rule) == (True, "")


def worded(*records: Evidence) -> dict[str, str]:
    return {name: evidence.worded for name, evidence in by_entry(records).items()}


def test_an_entry_is_as_old_as_its_last_statement() -> None:
    assert worded(said(3, "stated", "a"), said(9, "stated", "a"))["a"] == "2026-11-09"
    assert worded(said(3, "stated", "a", day="2024-05-06"))["a"] == "2024-05-06"
    assert worded(said(3, "stated", "a"), said(9, "reinforced", "a"))["a"] == "2026-11-03"
    assert worded(said(2, "pinned", "a"))["a"] == ""


OTHER = "shop/other.md"


def test_an_edit_makes_it_new_and_a_move_does_not() -> None:
    assert worded(said(1, "stated", "a"), said(5, "moved", "a", "b"))["b"] == "2026-11-05"
    moved = said(5, "moved", "a", "b", path=OTHER)
    assert worded(moved, said(1, "stated", "a"))["b"] == "2026-11-01"
    later = [said(6, "reinforced", "a"), said(7, "moved", "b", "c", path=OTHER)]
    assert worded(said(1, "stated", "a"), moved, *later)["c"] == "2026-11-07"
    assert worded(said(5, "moved", "a", "b"))["b"] == "2026-11-05", "nobody had stated it"
    both = [said(1, "stated", "a"), said(2, "stated", "b", path=OTHER)]
    assert worded(*both, said(4, "moved", "a", "c"), said(6, "moved", "b", "c"))["c"] == "2026-11-02"


def test_what_was_verified_and_contradicted_follows_the_entry_to_another_note() -> None:
    records = [said(1, "stated", "a"), said(2, "verified", "a"), said(3, "contradicted", "a")]
    evidence = by_entry([said(5, "moved", "a", "b", path=OTHER), *records])["b"]
    assert (evidence.verified, evidence.contradicted_at) == ("2026-11-02", "2026-11-03")


MOST_ENTRIES = "abcdef"

DAYS = ("", "2024-05-06", "2026-12-01")

RECORDS = st.lists(
    st.builds(
        lambda number, at, kind, entry, to: (
            Evidence(f"e{number}", f"2026-11-{at:02}", kind, "", f"{entry}.md", f"{to}.md")
            if kind == "renamed"
            else replace(
                said(at, kind, entry, to if to != entry else "x", f"{number % 2}.md", DAYS[number % 3]),
                id=f"e{number}",
            )
        ),
        st.integers(0, 99),
        st.integers(1, 12),
        st.sampled_from(get_args(Kind)),
        st.sampled_from(MOST_ENTRIES),
        st.sampled_from(MOST_ENTRIES),
    ),
    max_size=25,
)


@given(RECORDS, st.randoms())
def test_the_marks_are_in_it_and_the_order_of_lines_and_repeats_do_not_matter(
    records: list[Evidence], random: Random
) -> None:
    """Nor does it how often a record is there."""
    known = by_entry(records)
    marked = marks(records)
    assert {name for name, evidence in known.items() if evidence.is_struck} == marked.struck
    assert {
        name: evidence.pinned_at for name, evidence in known.items() if evidence.is_pinned
    } == marked.pinned_at
    shuffled = [*records, *records[:3]]
    random.shuffle(shuffled)
    assert by_entry(shuffled) == known


def test_a_long_chain_of_moves_is_followed_to_the_nearest_only() -> None:
    def chain() -> Iterator[Evidence]:
        for number in range(3000):
            yield Evidence(f"e{number:05}", f"{number:05}", "reinforced", f"n{number}", "a.md")
            yield Evidence(f"f{number:05}", f"{number:05}", "moved", f"n{number}", "a.md", f"n{number + 1}")

    assert by_entry(chain())["n3000"].reinforced == MOST_HEIRS
