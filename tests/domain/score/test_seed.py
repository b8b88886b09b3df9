"""The profile `seed`: the other design's score, lifecycle and caps, to the digit."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_facts import TODAY, facts, facts_of, moment

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.score.seed import (
    HORIZONS,
    OVERFLOW,
    PINNED_SCORE,
    WEIGHTS,
    lifecycle_of,
    seed_score,
    seed_standings,
    stability,
)
from ctxrepo.domain.score.standing import CAPS, MOST_ACTIVE, EntryFacts

VECTORS = [
    ("explicit", 1, 0, 90, 0.6931, "candidate"),
    ("explicit", 2, 0, 90, 1.0986, "provisional"),
    ("explicit", 4, 0, 90, 1.6094, "active"),
    ("explicit", 4, 30, 90, 1.1532, "provisional"),
    ("explicit", 10, 90, 90, 0.8821, "provisional"),
    ("behavioral", 1, 0, 90, 0.4852, "candidate"),
    ("behavioral", 8, 0, 60, 1.5381, "active"),
    ("recurrence", 3, 10, 30, 0.5960, "candidate"),
    ("structural", 5, 14, 14, 0.5932, "candidate"),
    ("explicit", 1, 60, 60, 0.2550, "dropped"),
]


@pytest.mark.parametrize(("cue", "evidence", "days", "horizon", "score", "lifecycle"), VECTORS)
def test_the_vectors(cue: str, evidence: int, days: int, horizon: int, score: float, lifecycle: str) -> None:
    computed = stability(cue, evidence, days, horizon)
    assert f"{computed:.4f}" == f"{score:.4f}"
    assert lifecycle_of(computed) == lifecycle


@pytest.mark.parametrize(
    ("cue", "active", "provisional"),
    [("explicit", 4, 2), ("structural", 5, 2), ("behavioral", 8, 2), ("recurrence", 12, 3)],
)
def test_how_often_an_entry_must_be_said(cue: str, active: int, provisional: int) -> None:
    by_times = {times: lifecycle_of(stability(cue, times, 0, 90)) for times in range(1, 20)}
    assert min(times for times, name in by_times.items() if name == "active") == active
    assert min(times for times, name in by_times.items() if name == "provisional") == provisional
    assert by_times[1] == "candidate"


def test_the_numbers_of_the_design() -> None:
    assert HORIZONS == {
        "preference": 90,
        "lesson": 60,
        "pattern": 30,
        "decision": 30,
        "done": 14,
        "mistake": 14,
    }
    assert CAPS == {"preference": 8, "lesson": 8, "pattern": 6, "decision": 4, "done": 4, "mistake": 4}
    assert (OVERFLOW, MOST_ACTIVE) == (6, 40)


def test_a_line_of_which_nothing_is_recorded_was_seen_once_and_not_said() -> None:
    assert f"{seed_score(facts('a', 'lesson'), TODAY):.4f}" == "0.4852"
    assert seed_score(facts("a", "lesson", is_pinned=True), TODAY) == PINNED_SCORE
    assert seed_score(facts("a", ""), TODAY) == 0.0


def test_what_is_reinforced_counts_from_the_last_time() -> None:
    known = EntryEvidence(
        "a", stated=moment(TODAY - 200), cue="explicit", reinforced=3, last=moment(TODAY - 30)
    )
    entry = facts("a", "preference", evidence=known)
    assert f"{seed_score(entry, TODAY):.4f}" == "1.1532"
    (standing,) = seed_standings([entry], TODAY)
    assert (standing.lifecycle, standing.day) == ("provisional", TODAY - 30)


def said(entry: str, category: str, times: int) -> EntryEvidence:
    known = EntryEvidence(
        entry, stated=moment(TODAY), cue="explicit", reinforced=times - 1, last=moment(TODAY)
    )
    assert category
    return known


def test_what_its_category_has_no_room_for_is_demoted_and_the_best_of_that_stay_in_the_report() -> None:
    entries = [
        facts(f"{category}{n:02}", category, evidence=said(f"{category}{n:02}", category, 30 - n))
        for category in ("decision", "lesson")
        for n in range(12)
    ]
    standings = seed_standings(entries, TODAY)
    states = {standing.entry: standing.lifecycle for standing in standings}
    active = sorted(entry for entry, name in states.items() if name == "active")
    assert active == [*(f"decision{n:02}" for n in range(4)), *(f"lesson{n:02}" for n in range(8))]
    # Twelve were demoted, and the six with the best scores of both categories are provisional.
    provisional = sorted(entry for entry, name in states.items() if name == "provisional")
    assert provisional == [*(f"decision{n:02}" for n in range(4, 9)), "lesson08"]
    assert sum(name == "candidate" for name in states.values()) == 6


def test_the_caps_of_the_categories_leave_room_below_the_cap_of_all() -> None:
    """So that one bites only where somebody raises the others; it is applied after them all the same."""
    assert sum(CAPS.values()) == 34 < MOST_ACTIVE
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ctxrepo.domain.score.seed.MOST_ACTIVE", 3)
        entries = [facts(f"e{n}", "lesson", evidence=said(f"e{n}", "lesson", 20 - n)) for n in range(5)]
        states = [standing.lifecycle for standing in seed_standings(entries, TODAY)]
    assert states == ["active", "active", "active", "provisional", "provisional"]


def test_pinned_entries_take_no_room() -> None:
    pins = [facts(f"p{n}", "decision", is_pinned=True) for n in range(9)]
    entry = facts("z", "decision", evidence=said("z", "decision", 9))
    assert {standing.lifecycle for standing in seed_standings([*pins, entry], TODAY)} == {"active"}


def test_a_line_without_its_file_has_no_standing() -> None:
    assert seed_standings([], TODAY) == []


@given(
    st.sampled_from(sorted(WEIGHTS)),
    st.integers(1, 99),
    st.integers(0, 999),
    st.sampled_from([14, 30, 60, 90]),
)
def test_saying_it_again_raises_a_score_and_time_lowers_it(
    cue: str, evidence: int, days: int, horizon: int
) -> None:
    score = stability(cue, evidence, days, horizon)
    assert stability(cue, evidence + 1, days, horizon) > score
    assert stability(cue, evidence, days + 1, horizon) < score


@given(st.lists(facts_of(), max_size=80, unique_by=lambda facts: facts.id), st.randoms())
def test_laws_of_a_rebuild(entries: list[EntryFacts], random: Random) -> None:
    standings = seed_standings(entries, TODAY)
    shuffled = [*entries]
    random.shuffle(shuffled)
    assert seed_standings(shuffled, TODAY) == standings, "the order of files must not tell"
    assert [standing.position for standing in standings] == list(range(len(entries)))
    assert {standing.entry for standing in standings} == {entry.id for entry in entries}, (
        "nothing is dropped for good"
    )
    assert [standing.score for standing in standings] == sorted(
        (standing.score for standing in standings), reverse=True
    )
    by_id = {entry.id: entry for entry in entries}
    for scope, category in product(("global", "shop"), CAPS):
        active = [standing for standing in standings if standing.lifecycle == "active"]
        capped = [standing for standing in active if not by_id[standing.entry].is_pinned]
        places = [(by_id[standing.entry].scope, by_id[standing.entry].category) for standing in capped]
        assert places.count((scope, category)) <= CAPS[category]
