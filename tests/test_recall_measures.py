"""Measures of a ranking: values worked out by hand, and what holds for every answer."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall.measures import (
    HEADER,
    MEASURES,
    RANKS,
    Piece,
    given_within,
    mean,
    measured,
    piece,
)

TEXTS = {
    "a.md": ["# A", "- alpha is 5 m", "- beta is six", "", "- gamma"],
    "b.md": ["- one", "- two", "- three"],
}
EVIDENCE = frozenset({("a.md", 2), ("b.md", 3)})
PERFECT = [Piece("a.md", 2, 2), Piece("b.md", 3, 3)]

pieces = st.builds(
    lambda path, first, more: Piece(path, first, first + more),
    st.sampled_from(["a.md", "b.md", "gone.md"]),
    st.integers(1, 6),
    st.integers(0, 3),
)
answers = st.lists(st.one_of(pieces, st.sampled_from([Piece("a.md"), Piece("b.md")])), max_size=14)
lines = st.sampled_from([(path, n) for path, text in TEXTS.items() for n, t in enumerate(text, 1) if t])
evidences = st.frozensets(lines, min_size=1)


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("a/b.md#L10", Piece("a/b.md", 10, 10)),
        ("a/b.md#L10-L12", Piece("a/b.md", 10, 12)),
        ("a/b.md", Piece("a/b.md")),
        ("a#Lx.md#L3", Piece("a#Lx.md", 3, 3)),
        ("a.md#L3-L", Piece("a.md#L3-L")),
        ("a\n.md#L3", Piece("a\n.md", 3, 3)),
    ],
)
def test_what_a_place_names(place: str, named: Piece) -> None:
    assert piece(place) == named
    assert piece("a.md").is_whole
    assert not piece("a.md#L1-L99999").is_whole


def test_a_ranking_worked_out_by_hand() -> None:
    # Second and fourth bring a line each; the third repeats the second.
    answer = [Piece("b.md", 1, 1), Piece("a.md", 2, 3), Piece("a.md", 2, 2), Piece("b.md", 3, 3)]
    figures = measured(answer, EVIDENCE, TEXTS)
    assert [figures[f"recall@{rank}"] for rank in RANKS] == [0, 0.5, 1, 1]
    assert figures["mrr"] == 1 / 2
    assert figures["ndcg@10"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)))
    assert figures["hit@5"] == 1
    assert figures["evidence@2500"] == figures["evidence@8000"] == 1


def test_notes_are_ranked_among_notes() -> None:
    """A whole note brings all its lines at once: two notes can bring evidence here, not three lines."""
    evidence = EVIDENCE | {("a.md", 3)}
    assert measured([Piece("a.md"), Piece("b.md")], evidence, TEXTS)["ndcg@10"] == 1
    assert measured([Piece("a.md", 1, 9), Piece("b.md", 1, 9)], evidence, TEXTS)["ndcg@10"] < 1


def test_a_budget_worked_out_by_hand() -> None:
    head = len("a.md") + HEADER
    answer = [Piece("a.md", 2, 2), Piece("a.md", 2, 3)]
    assert given_within(answer, head, TEXTS) == []
    assert given_within(answer, head + 3, TEXTS) == [(("a.md", 2), 3)]
    # The line, its end, and four characters of the next; what was given is not paid for twice.
    assert given_within(answer, head + 14 + 1 + 4, TEXTS) == [(("a.md", 2), 14), (("a.md", 3), 4)]
    assert given_within([Piece("b.md", 0, 1), Piece("gone.md")], 100, TEXTS) == [(("b.md", 1), 5)]


def test_evidence_is_counted_in_characters() -> None:
    long = {"a.md": ["x" * 3000, "y" * 1000]}
    figures = measured(
        [Piece("a.md", 1, 1), Piece("a.md", 2, 2)], frozenset({("a.md", 1), ("a.md", 2)}), long
    )
    assert figures["evidence@2500"] == (2500 - HEADER - 4) / 4000
    assert figures["evidence@8000"] == 1


def test_the_mean_of_nothing_is_nothing() -> None:
    assert mean([]) is None
    assert mean([1, 0, 0, 1]) == 0.5


@given(answers, evidences)
def test_every_measure_is_between_0_and_1(answer: list[Piece], evidence: frozenset[tuple[str, int]]) -> None:
    figures = measured(answer, evidence, TEXTS)
    assert tuple(figures) == MEASURES
    assert all(0 <= value <= 1 for value in figures.values())
    assert figures["recall@1"] <= figures["recall@3"] <= figures["recall@5"] <= figures["recall@10"]
    assert figures["evidence@2500"] <= figures["evidence@8000"]
    assert figures["hit@5"] == (figures["recall@5"] > 0)


@given(evidences)
def test_a_perfect_ranking_has_1_everywhere(evidence: frozenset[tuple[str, int]]) -> None:
    figures = measured([Piece(path, n, n) for path, n in evidence], evidence, TEXTS)
    assert figures["ndcg@10"] == pytest.approx(1)
    assert figures["mrr"] == figures["hit@5"] == figures["evidence@2500"] == figures["recall@10"] == 1


@given(evidences)
def test_silence_has_0_everywhere(evidence: frozenset[tuple[str, int]]) -> None:
    assert set(measured([], evidence, TEXTS).values()) == {0}


@given(answers, evidences, st.integers(0, 12))
def test_evidence_counts_more_the_earlier_it_comes(
    answer: list[Piece], evidence: frozenset[tuple[str, int]], at: int
) -> None:
    """Where a piece with nothing in it changes places with the one behind, nothing gets worse."""
    at = min(at, len(answer))
    nothing = Piece("gone.md", 1, 1)
    late = measured([*answer[:at], nothing, *answer[at:]], evidence, TEXTS)
    early = measured([*answer, nothing], evidence, TEXTS)
    assert all(early[name] >= late[name] for name in MEASURES if name != "ndcg@10")
    if not any(part.is_whole for part in answer):
        assert early["ndcg@10"] >= late["ndcg@10"]


def test_order_matters() -> None:
    first = measured([*PERFECT, Piece("b.md", 1, 1)], EVIDENCE, TEXTS)
    last = measured([Piece("b.md", 1, 1), *PERFECT], EVIDENCE, TEXTS)
    for name in ("recall@1", "mrr", "ndcg@10"):
        assert first[name] > last[name]


@given(answers, evidences)
def test_what_is_said_twice_counts_once(answer: list[Piece], evidence: frozenset[tuple[str, int]]) -> None:
    if not any(part.is_whole for part in answer):
        twice = measured(answer + answer, evidence, TEXTS)
        once = measured(answer, evidence, TEXTS)
        assert twice["evidence@8000"] == once["evidence@8000"]
        assert twice["mrr"] == once["mrr"]


@given(answers, st.integers(0, 300))
def test_no_more_is_given_than_the_budget(answer: list[Piece], budget: int) -> None:
    some, more = given_within(answer, budget, TEXTS), dict(given_within(answer, budget + 1, TEXTS))
    assert sum(count for _, count in some) <= budget
    assert len({line for line, _ in some}) == len(some)
    assert all(count <= more[line] for line, count in some)
