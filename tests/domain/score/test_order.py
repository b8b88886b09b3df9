"""The profile `ctx`: evidence, use and activity put entries in order; age demotes none."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_facts import TODAY, facts, facts_of, moment, stated

from ctxrepo.domain.records.entry_evidence import EntryEvidence
from ctxrepo.domain.score.order import NEW_DAYS, ctx_standings, reasons
from ctxrepo.domain.score.standing import CAPS, Activity, EntryFacts, until_in


def order(*entries: EntryFacts) -> list[str]:
    return [standing.entry for standing in ctx_standings(entries, TODAY)]


def lifecycle(entry: EntryFacts, *others: EntryFacts) -> str:
    standings = ctx_standings([entry, *others], TODAY)
    return next(standing.lifecycle for standing in standings if standing.entry == entry.id)


OLD = TODAY - 300

LADDER = [
    facts("pinned", day=OLD, is_pinned=True),
    facts(
        "verified",
        evidence=stated("v", OLD, cue="behavioral", verified=moment(TODAY - 40)),
        activity=Activity(0, TODAY - 50),
    ),
    facts("stated", evidence=stated("s", OLD)),
    facts("used", day=OLD, helpful=3, contradicted=1),
    facts("active", day=OLD, activity=Activity(1, TODAY - 3)),
    facts("new", day=TODAY - 1),
    facts("old", day=OLD),
    facts("against", day=TODAY - 1, helpful=3, contradicted=2),
]


def test_each_reason_comes_before_all_below_it() -> None:
    shuffled = [*LADDER]
    Random(4).shuffle(shuffled)
    assert order(*shuffled) == [entry.id for entry in LADDER]


def test_code_that_changed_since_takes_a_verification_away() -> None:
    known = stated("v", OLD, cue="behavioral", verified=moment(TODAY - 40))
    changed = facts("w", evidence=known, activity=Activity(0, TODAY - 39))
    assert order(changed, facts("z", evidence=stated("z", OLD))) == ["z", "w"]


def test_what_an_agent_stated_is_no_word_of_the_user() -> None:
    by_agent = facts("b", evidence=stated("b", TODAY, agent="claude"))
    assert order(by_agent, facts("z", evidence=stated("z", OLD))) == ["z", "b"]


def test_what_changed_more_often_lately_comes_first_then_what_changed_last() -> None:
    often = facts("often", day=OLD, activity=Activity(3, TODAY - 9))
    once = facts("once", day=OLD, activity=Activity(1, TODAY))
    rests = facts("rests", day=OLD, activity=Activity(0, TODAY - 20))
    asleep = facts("asleep", day=OLD, activity=Activity(0, TODAY - 60))
    assert order(asleep, rests, facts("new"), once, often) == ["often", "once", "rests", "asleep", "new"]


def test_a_new_entry_is_active_whatever_the_room() -> None:
    """What was just saved must not vanish before anybody could use it."""
    crowd = [facts(f"c{n}", "lesson", evidence=stated(f"c{n}", OLD)) for n in range(CAPS["lesson"])]
    new = facts("n", "lesson", day=TODAY - NEW_DAYS + 1)
    assert lifecycle(new, *crowd) == "active"
    assert lifecycle(facts("n", "lesson", day=TODAY - NEW_DAYS), *crowd) == "provisional"


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (facts("a", "done", day=TODAY - 14), "active"),
        (facts("a", "done", day=TODAY - 15), "expired"),
        (facts("a", "done", day=OLD, evidence=stated("a", OLD, last=moment(TODAY - 1))), "active"),
        (facts("a", "done", day=OLD, is_pinned=True), "active"),
        (facts("a", "lesson", day=OLD), "active"),
        (facts("a", "lesson", until=TODAY), "active"),
        (facts("a", "lesson", until=TODAY - 1), "expired"),
        (facts("a", is_pinned=True, until=TODAY - 1), "expired"),
        (facts("a", "done", day=OLD, until=TODAY + 9), "active"),
        (facts("a", is_doubtful=True), "doubtful"),
    ],
)
def test_expiry_is_a_matter_of_kind(entry: EntryFacts, name: str) -> None:
    assert lifecycle(entry) == name


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("- Freeze until: 2026-11-20", TODAY),
        ("- [decision] **Until: 2026-11-20** no deploys", TODAY),
        ("- until: 2026-11-18, then until: 2026-11-20", TODAY),
        ("- closed until 2026-11-20", 0),
        ("- say `until: 2026-11-20` in an entry", 0),
        ("- until: 2026-11-200", 0),
        ("- until: 2026-13-01", 0),
    ],
)
def test_the_date_that_an_entry_names(text: str, day: int) -> None:
    assert until_in(text) == day


def test_reasons_are_counted() -> None:
    everything = EntryFacts(
        "a",
        is_pinned=True,
        evidence=EntryEvidence("a", stated=moment(TODAY), cue="explicit", verified=moment(TODAY)),
        helpful=1,
        activity=Activity(1, TODAY),
    )
    assert reasons(everything, TODAY) == 6
    assert reasons(facts("b", day=OLD), TODAY) == 0


@given(st.lists(facts_of(), max_size=80, unique_by=lambda facts: facts.id), st.randoms())
def test_laws(entries: list[EntryFacts], random: Random) -> None:
    standings = ctx_standings(entries, TODAY)
    shuffled = [*entries]
    random.shuffle(shuffled)
    assert ctx_standings(shuffled, TODAY) == standings, "the order of files must not tell"
    assert {standing.entry for standing in standings} == {entry.id for entry in entries}, "nothing is dropped"
    assert [standing.position for standing in standings] == list(range(len(entries)))
    by_id = {entry.id: entry for entry in entries}
    pinned = [by_id[standing.entry].is_pinned for standing in standings]
    assert pinned == sorted(pinned, reverse=True)
    for standing in standings:
        assert standing.lifecycle in ("active", "provisional", "doubtful", "expired")


@given(facts_of(), st.integers(1, 4000))
def test_age_alone_takes_nothing_out(entry: EntryFacts, days: int) -> None:
    """Only what expires by kind or by its own date is ever taken out."""
    (later,) = ctx_standings([entry], TODAY + days)
    assert later.lifecycle != "expired" or entry.until or entry.category == "done"
