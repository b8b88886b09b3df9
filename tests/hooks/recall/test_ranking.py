"""The entries for a text in order, and whether the best one stands out."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from fields import fields
from hypothesis import given
from hypothesis import strategies as st
from recalls import PAIRS, THINGS, cache_of, cache_of_things, recall

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.words.prompt_terms import MAX_WORDS
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.choice import SAID_BEFORE
from ctxrepo.hooks.recall.ranking import (
    FEW_ENTRIES,
    LEFT_OUT,
    LESS_EVERYDAY,
    MORE_BY_LENGTH,
    SURE,
    RecallRequest,
    more_by_chance,
    multiple,
    rank_by_words,
    telling,
)
from ctxrepo.storage.cache.cache import Cache


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_sqlite3.Connection]:
    with cache_of_things(tmp_path_factory.mktemp("recall") / "cache.db") as db:
        yield db


def test_what_stands_out_is_given(cache: _sqlite3.Connection) -> None:
    answer = recall(cache, RecallRequest("which staging port has pgbouncer?", [], ["shop"]))
    assert (answer.why, answer.hits[0].text) == ("", "- The staging port of pgbouncer is 5433")
    assert {hit.path for hit in answer.hits} == {"shop/db.md"}


@pytest.mark.parametrize(
    ("prompt", "path"),
    [
        ("how many lines does src/pay/retry_client.py have", "shop/retry.md"),
        ("what does buildColorScale return", "shop/color.md"),
        ("why is the color scale so wide", "shop/color.md"),
        ("rows are refused with 23P01, map that", "shop/overlap.md"),
        (
            "ReplyError: OOM command not allowed when used memory > 'maxmemory'\n    at a.js:1",
            "shop/redis.md",
        ),
        ("what was INC-41 about", "shop/inc.md"),
    ],
)
def test_a_name_of_code_or_of_an_error_finds_what_names_it(tmp_path: Path, prompt: str, path: str) -> None:
    facts = {
        "retry": "`src/pay/retry_client.py` is called twice",
        "other": "`src/ship/client.py` is called once by retries",
        "color": "buildColorScale wants two stops",
        "overlap": "Error 23P01 is mapped to SLOT_TAKEN",
        "redis": "When it is full: `OOM command not allowed when used memory > 'maxmemory'`",
        "inc": "INC-41 was a deadlock",
    }
    notes = [Note(f"shop/{name}.md", f"- {text}\n") for name, text in facts.items()]
    with cache_of([*notes, *PAIRS], tmp_path / "cache.db") as cache:
        answer = recall(cache, RecallRequest(prompt, [], ["shop"]))
    assert [hit.path for hit in answer.hits][:1] == [path]


def test_the_longer_a_prompt_the_more_it_must_reach(cache: _sqlite3.Connection) -> None:
    def given(fillers: int) -> list[str]:
        prompt = f"does staging have haproxy? {' '.join(f'filler{n}' for n in range(fillers))}"
        return [hit.text for hit in recall(cache, RecallRequest(prompt, [], ["shop"])).hits]

    assert given(0)[0] == given(20)[0] == "- Staging has pgbouncer behind haproxy"
    assert given(60) == []


@given(st.integers(0, 200), st.integers(0, 200))
def test_chance_grows_with_the_words_of_a_prompt_and_is_never_below_the_usual(
    first: int, second: int
) -> None:
    few, many = (more_by_chance(" ".join(f"w{n}" for n in range(k))) for k in sorted((first, second)))
    assert 1.0 <= few <= many <= (MAX_WORDS / 12) ** MORE_BY_LENGTH


ITEMS = st.lists(
    st.tuples(st.sampled_from([" ", "x"]), st.lists(st.sampled_from(THINGS), min_size=1, max_size=4)),
    max_size=6,
)


@given(ITEMS, st.lists(st.sampled_from(THINGS), min_size=1, max_size=5))
def test_a_checklist_changes_nothing_that_is_recalled(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[str, list[str]]], asked: list[str]
) -> None:
    facts = [
        Note(f"shop/n{n}.md", f"- the {a} beside the {b}\n") for n, (a, b) in enumerate(pairwise(THINGS))
    ]
    lines = [f"- [{box}] {' '.join(names)}\n" for box, names in items]
    answers = []
    for pad in ("# Mine\n", f"# Mine\n\n{''.join(lines)}"):
        owner = Cache.open(tmp_path_factory.mktemp("pad") / "cache.db")
        owner.apply("c1", [*facts, Note("shop/SCRATCHPAD.md", pad)], [], Marks())
        cache = open_cache(str(owner.path))
        assert cache is not None
        answer = recall(cache, RecallRequest(f"where is the {' '.join(asked)}?", [], ["shop"]))
        left = [(fields(hit), why) for hit, why in answer.left_out]
        answers.append((answer.why, [fields(hit) for hit in answer.hits], left))
        cache.close()
        owner.close()
    assert answers[0] == answers[1]


def test_a_vague_prompt_brings_what_it_speaks_of_and_no_more_of_the_one_before(
    cache: _sqlite3.Connection,
) -> None:
    before = ["which staging port has pgbouncer behind haproxy?"]
    vague = recall(cache, RecallRequest("and the haproxy?", before, ["shop"]))
    assert vague.hits[0].text.endswith("haproxy")
    other = recall(cache, RecallRequest("run the nice tests again", before, ["shop"]))
    assert (other.why, other.hits) == (SAID_BEFORE, [])


def test_words_that_one_entry_says_together_are_no_chance(tmp_path: Path) -> None:
    """None of the three is rare. Said in one entry they are an answer, in three of one note they aren't."""
    things = ["river", "mountain", "window"]
    others = [f"- {first} {second}\n" for first, second in combinations(THINGS[3:], 2)] * 2
    others += [f"- {thing} alone\n\n- nothing\n\n- nothing else\n" for thing in things * 32]
    notes = [Note(f"shop/n{n}.md", text) for n, text in enumerate(others)]
    at_once = Note("shop/one.md", "- river mountain window\n\n- nothing\n\n- nothing else\n")
    apart = Note("shop/three.md", "- paper river\n\n- mountain paper\n\n- window paper\n")
    for note, is_given in ((at_once, True), (apart, False)):
        owner = Cache.open(tmp_path / note.path[5:])
        owner.apply("c1", [*notes, note], [], Marks())
        cache = open_cache(str(tmp_path / note.path[5:]))
        assert cache is not None
        answer = recall(cache, RecallRequest(" ".join(things), [], ["shop"]))
        assert (answer.hits or [hit for hit, _ in answer.left_out])[0].path == note.path
        assert (not answer.why, bool(answer.hits)) == (is_given, is_given)
        cache.close()
        owner.close()


def test_a_small_memory_needs_no_rare_word(tmp_path: Path) -> None:
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", [Note("global/a.md", "- deploy with make ship\n\n- deploy on fridays\n")], [], Marks())
    small = open_cache(str(tmp_path / "cache.db"))
    assert small is not None
    assert len(recall(small, RecallRequest("how to deploy this thing", [], ["global"])).hits) == 2
    small.close()
    owner.apply("c2", [Note(f"global/{n}.md", f"- we deploy it {n}\n") for n in "bcd"], [], Marks())
    few = open_cache(str(tmp_path / "cache.db"))
    assert few is not None
    assert recall(few, RecallRequest("how do we deploy the service", [], ["global"])).hits
    few.close()
    owner.close()


@given(st.text(max_size=300), st.lists(st.text(max_size=50), max_size=2), st.booleans())
def test_no_prompt_raises_and_the_best_come_first(
    cache: _sqlite3.Connection, prompt: str, before: list[str], gated: bool
) -> None:
    answer = recall(cache, RecallRequest(prompt, before, ["shop", "global"], 4), gated)
    assert bool(answer.why) != bool(answer.hits)
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(answer.hits) <= 4
    assert len(answer.left_out) <= LEFT_OUT


@given(st.floats(-10, 1000), st.floats(-10, 1000))
def test_a_multiple_of_chance_is_below_one_for_less_and_for_less_only(
    reached: float, by_chance: float
) -> None:
    assert (multiple(reached, by_chance) < 1) == (reached < by_chance)
    if by_chance < FEW_ENTRIES:
        assert multiple(reached, by_chance) in (0.0, SURE)


def test_a_ranking_tells_how_far_its_best_stands_out_for_any_length(cache: _sqlite3.Connection) -> None:
    words = " ".join(f"filler{n}" for n in range(44))
    short, long = (
        rank_by_words(cache, RecallRequest(prompt, [], ["shop"], 3))
        for prompt in ("which staging has haproxy?", f"which staging has haproxy? {words}")
    )
    assert [hit.id for hit in short.hits] == [hit.id for hit in long.hits]
    assert len(short.hits) <= 3 + LEFT_OUT
    assert short.margin == short.margin_of_edit == long.margin_of_edit
    assert long.margin == pytest.approx(short.margin / more_by_chance(long.request.prompt))
    assert long.margin < short.margin


def test_everyday_words_lower_the_margin_of_a_prompt_and_none_of_an_edit(cache: _sqlite3.Connection) -> None:
    plain, everyday = (
        rank_by_words(cache, RecallRequest(prompt, [], ["shop"]))
        for prompt in ("haproxy", "fix the haproxy test")
    )
    assert plain.margin_of_edit == plain.margin == everyday.margin_of_edit
    assert everyday.margin == pytest.approx(plain.margin * (1 - LESS_EVERYDAY * 2 / 3))
    assert everyday.margin < 0.7 * plain.margin


@given(st.text(max_size=80))
def test_at_most_half_of_a_margin_is_lost_to_everyday_words(prompt: str) -> None:
    assert 1 - LESS_EVERYDAY <= telling(prompt) <= 1


def test_a_vague_prompt_has_a_margin_of_its_own(cache: _sqlite3.Connection) -> None:
    before = ["which staging port has pgbouncer behind haproxy?"]
    for prompt, is_enough in (("and the haproxy?", True), ("run the nice tests again", False)):
        ranking = rank_by_words(cache, RecallRequest(prompt, before, ["shop"]))
        assert ranking.hits[0].path == "shop/db.md"
        assert (ranking.alone >= 1) == is_enough
        assert rank_by_words(cache, RecallRequest(prompt, [], ["shop"])).alone == SURE
