"""What is given of a ranking: for a prompt, for a person's query, for an edit, and all of it."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalls import PAIRS, cache_of, cache_of_things, recall

from ctxrepo.domain.note.note import Note
from ctxrepo.hooks.known.cached import EntryHit
from ctxrepo.hooks.recall.choice import (
    BEYOND_DOSE,
    ENOUGH_BETTER,
    FAR_BELOW,
    HEADING_ONLY,
    NEAR_BEST,
    NEVER_USED,
    NOT_BY_ITSELF,
    SAID_BEFORE,
    SOCIAL,
    choose_all,
    choose_dose,
    choose_for_edit,
    choose_for_prompt,
    choose_for_query,
)
from ctxrepo.hooks.recall.ranking import (
    BY_MEANING,
    BY_WORDS,
    CHANCE_HIT,
    LEFT_OUT,
    NOTHING,
    SURE,
    Dose,
    Ranking,
    RecallRequest,
)

DOSE = Dose(least=0.8, per_margin=10.0, share=0.5)


def hits(*scores: float) -> list[EntryHit]:
    return [EntryHit((f"e{n}", "a.md", "", n, n, "", "text", "h"), s) for n, s in enumerate(scores, 1)]


def ranking(*scores: float, limit: int = 24, margin: float = SURE, dose: Dose = BY_MEANING) -> Ranking:
    made = Ranking(RecallRequest("", [], ["shop"], limit), hits(*scores), CHANCE_HIT, dose)
    made.margin = margin
    return made


def ids(hits: list[EntryHit]) -> list[str]:
    return [hit.id for hit in hits]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_sqlite3.Connection]:
    with cache_of_things(tmp_path_factory.mktemp("choice") / "cache.db") as db:
        yield db


@pytest.mark.parametrize(
    ("margin", "entries"),
    [(0.0, 0), (0.79, 0), (0.8, 1), (0.84, 1), (0.86, 2), (1.0, 3), (1.8, 11), (9.0, 24)],
)
def test_more_is_given_the_more_the_best_stands_out(margin: float, entries: int) -> None:
    assert DOSE.entries(margin, 24) == entries


@given(st.sampled_from([BY_WORDS, BY_MEANING]), st.floats(0, 50), st.floats(0, 50), st.integers(0, 100))
def test_a_larger_margin_never_gives_less_and_the_limit_holds(
    dose: Dose, first: float, second: float, most: int
) -> None:
    low, high = sorted((first, second))
    assert dose.entries(low, most) <= dose.entries(high, most) <= most


def test_what_is_left_out_says_why() -> None:
    answer = choose_dose(ranking(10, 9, 8, 4, 3, margin=0.9, dose=DOSE))
    assert [hit.id for hit in answer.hits] == ["e1", "e2"]
    whys = [why for _, why in answer.left_out]
    assert whys == [BEYOND_DOSE.format(2, 0.9), FAR_BELOW, FAR_BELOW]
    assert whys[0].startswith("beyond the dose of 2, as the best entry reaches 0.90 times")
    at_limit = choose_dose(ranking(10, 9, 8, limit=2, margin=5.0, dose=DOSE))
    assert [why for _, why in at_limit.left_out] == [ENOUGH_BETTER]


def test_an_entry_that_hardly_stands_out_by_itself_is_left_out() -> None:
    made = ranking(10, 9, 8, 7, margin=3.0, dose=Dose(least=0.6, per_margin=10.0, share=0.1))
    for hit, own in zip(made.hits, (0.1, 0.9, 0.6, 0.59), strict=True):
        hit.own = own
    answer = choose_dose(made)
    assert ids(answer.hits) == ["e2", "e3"]
    assert [(hit.id, why) for hit, why in answer.left_out] == [("e1", NOT_BY_ITSELF), ("e4", NOT_BY_ITSELF)]
    assert len(choose_all(made).hits) == 4


def test_where_no_entry_stands_out_by_itself_there_is_silence() -> None:
    made = ranking(10, 9, margin=3.0, dose=DOSE)
    for hit in made.hits:
        hit.own = 0.79
    answer = choose_dose(made)
    assert (answer.why, answer.hits) == (CHANCE_HIT, [])
    assert [why for _, why in answer.left_out] == [NOT_BY_ITSELF, NOT_BY_ITSELF]


def test_below_the_least_margin_there_is_silence() -> None:
    answer = choose_dose(ranking(*range(30, 0, -1), margin=0.5, dose=DOSE))
    assert (answer.why, answer.hits, len(answer.left_out)) == (CHANCE_HIT, [], LEFT_OUT)


def test_the_usual_dose_is_that_of_the_ranking() -> None:
    given = choose_for_prompt(ranking(10, 4, 2, margin=2.0)).hits
    assert ids(given) == ["e1", "e2"]
    assert ids(choose_for_prompt(ranking(10, 4, 2, margin=2.0, dose=BY_WORDS)).hits) == ["e1"]


def test_what_only_the_prompts_before_found_is_not_given() -> None:
    made = ranking(10, 9)
    made.alone = 0.99
    answer = choose_for_prompt(made)
    assert (answer.why, answer.hits, ids([hit for hit, _ in answer.left_out])) == (
        SAID_BEFORE,
        [],
        ["e1", "e2"],
    )
    assert ids(choose_for_query(made).hits) == ids(choose_all(made).hits) == ["e1", "e2"]


def test_a_person_is_given_what_comes_near_the_best_whatever_the_margin() -> None:
    answer = choose_for_query(ranking(10, 9, 10 * NEAR_BEST, 3.9, 1, margin=0.0, limit=4))
    assert (answer.why, ids(answer.hits)) == ("", ["e1", "e2", "e3"])
    assert [(hit.id, why) for hit, why in answer.left_out] == [("e4", FAR_BELOW), ("e5", FAR_BELOW)]
    answer = choose_for_query(ranking(10, 9, 1, margin=0.0, limit=2))
    assert (ids(answer.hits), [why for _, why in answer.left_out]) == (["e1", "e2"], [ENOUGH_BETTER])
    nothing = choose_for_query(ranking())
    assert (nothing.why, nothing.hits, nothing.left_out) == (CHANCE_HIT, [], [])


@pytest.mark.parametrize(("margin", "given"), [(1.74, 0), (1.75, 1), (9.0, 1)])
def test_an_edit_brings_one_entry_by_a_margin_of_its_own(margin: float, given: int) -> None:
    made = ranking(9, 8, 7, margin=0.1, limit=1)
    made.margin_of_edit = margin
    answer = choose_for_edit(made)
    assert ids(answer.hits) == ["e1"][:given]
    assert (answer.why, choose_for_prompt(made).why) == ("" if given else CHANCE_HIT, CHANCE_HIT)


def test_of_a_heading_with_a_word_of_the_prompt_one_entry_is_given_where_the_ranking_says_so() -> None:
    made = ranking(10, 9)
    for hit in made.hits:
        hit.heading = "Agenda"
    assert ids(choose_for_prompt(made).hits) == ["e1", "e2"]
    made.heading_words = ["agenda"]
    assert ids(choose_for_prompt(made).hits) == ["e1"]


def test_where_the_model_cannot_read_the_text_words_go_first_if_they_give_anything() -> None:
    made = ranking(10, 9)
    words = made.by_words = ranking(3, 2, 1, margin=0.5, dose=BY_WORDS)
    assert ids(choose_for_prompt(made).hits) == ["e1", "e2"]
    assert len(choose_all(made).hits) == 3
    assert ids(choose_for_query(made).hits) == ["e1", "e2"]
    assert [hit.score for hit in choose_for_query(made).hits] == [3, 2]
    words.margin = BY_WORDS.least
    assert [hit.score for hit in choose_for_prompt(made).hits] == [3]
    made.by_words = ranking()
    assert [hit.score for hit in choose_all(made).hits] == [10, 9]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("thanks, looks good!", SOCIAL),
        ("ok", SOCIAL),
        ("summarize quarterly revenue figures", NOTHING),
        ("paint the garden wall and open every door again", CHANCE_HIT),
        ("", SOCIAL),
    ],
)
def test_silence_has_a_reason(cache: _sqlite3.Connection, prompt: str, why: str) -> None:
    answer = recall(cache, RecallRequest(prompt, [], ["shop"]))
    assert (answer.why, answer.hits) == (why, [])
    assert all(reason == why for _, reason in answer.left_out)


def test_who_asks_without_a_gate_is_told_what_there_is(cache: _sqlite3.Connection) -> None:
    answer = recall(cache, RecallRequest("paint the garden", [], ["shop"], 3), is_gated=False)
    assert (answer.why, len(answer.hits)) == ("", 3)
    assert 0 < len(answer.left_out) <= LEFT_OUT
    assert {reason for _, reason in answer.left_out} == {ENOUGH_BETTER}


def test_one_word_of_a_heading_brings_one_entry_that_says_nothing_of_it(tmp_path: Path) -> None:
    agenda = "# Agenda\n\n- columns are rooms\n- red is late\n- an agenda can be printed\n"
    note = Note("shop/web.md", f"{agenda}\n# Bills\n\n- in euros\n")
    with cache_of([*PAIRS, note], tmp_path / "cache.db") as cache:
        answer = recall(cache, RecallRequest("receptionists want a shortcut in the agenda", [], ["shop"]))
    below = {hit.text for hit in answer.hits if hit.heading == "Agenda"}
    assert below == {"- an agenda can be printed", "- columns are rooms"}
    assert next((hit.text, why) for hit, why in answer.left_out) == ("- red is late", HEADING_ONLY)


@pytest.mark.parametrize("title", ["2026-03-05", "Thursday"])
def test_of_a_day_that_is_asked_for_all_is_given(tmp_path: Path, title: str) -> None:
    body = f"# {title}\n\n- red is late\n- columns are rooms\n- a fuse blew\n"
    note = Note("shop/daily/2026-03-05.md", body)
    with cache_of([*PAIRS, note], tmp_path / "cache.db") as cache:
        answer = recall(cache, RecallRequest("what did we do in march 2026", [], ["shop"]))
    assert [hit.path for hit in answer.hits] == ["shop/daily/2026-03-05.md"] * 3


def test_what_is_left_out_is_told_with_its_reason(cache: _sqlite3.Connection) -> None:
    answer = recall(cache, RecallRequest("staging port of pgbouncer beside the garden", [], ["shop"], 1))
    assert len(answer.hits) == 1
    (hit, why), *_, (_, last) = answer.left_out
    assert (hit.path, why, last) == ("shop/db.md", ENOUGH_BETTER, FAR_BELOW)


def test_what_no_session_used_steps_back_behind_a_better_entry_and_comes_alone() -> None:
    idle = ranking(10.0, 9.9, 9.8)
    for hit in idle.hits[1:2]:
        hit.is_idle = True
    answer = choose_for_prompt(idle)
    assert ids(answer.hits) == ["e1", "e3"]
    assert [(hit.id, why) for hit, why in answer.left_out] == [("e2", NEVER_USED)]
    alone = ranking(10.0)
    alone.hits[0].is_idle = True
    assert ids(choose_for_prompt(alone).hits) == ["e1"]
