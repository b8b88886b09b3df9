"""A prompt is given the few entries that matter, or silence with its reason."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slots import fields

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.words.terms import MAX_WORDS
from ctxrepo.hooks.known.cache import open_cache
from ctxrepo.hooks.recall.recall import (
    CHANCE_HIT,
    ENOUGH_BETTER,
    FAR_BELOW,
    HEADING_ONLY,
    LEFT_OUT,
    NOTHING,
    SAID_BEFORE,
    SOCIAL,
    RecallRequest,
    more_by_chance,
    recall,
)
from ctxrepo.storage.cache.writer import Cache

THINGS = ["river", "mountain", "window", "paper", "garden", "bottle", "orange", "silver", "candle", "button"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_sqlite3.Connection]:
    path = tmp_path_factory.mktemp("recall") / "cache.db"
    lines = [
        f"- the {one} beside the {other} was painted" for one in THINGS for other in THINGS if one != other
    ]
    notes = [Note(f"shop/n{n}.md", f"{line}\n\n- nothing else happened\n") for n, line in enumerate(lines)]
    port = "- The staging port of pgbouncer is 5433\n\n- Staging has pgbouncer behind haproxy\n"
    owner = Cache.open(path)
    owner.apply("c1", [*notes, Note("shop/db.md", f"---\ndescription: pgbouncer\n---\n{port}")], [], Marks())
    found = open_cache(str(path))
    assert found is not None
    yield found
    found.close()
    owner.close()


def test_what_stands_out_is_given(cache: _sqlite3.Connection) -> None:
    found = recall(cache, RecallRequest("which staging port has pgbouncer?", [], ["shop"]))
    assert (found.why, found.hits[0].text) == ("", "- The staging port of pgbouncer is 5433")
    assert {hit.path for hit in found.hits} == {"shop/db.md"}


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
    found = recall(cache, RecallRequest(prompt, [], ["shop"]))
    assert (found.why, found.hits) == (why, [])
    assert all(reason == why for _, reason in found.left_out)


def test_who_asks_without_a_gate_is_told_what_there_is(cache: _sqlite3.Connection) -> None:
    found = recall(cache, RecallRequest("paint the garden", [], ["shop"], 3, is_gated=False))
    assert (found.why, len(found.hits)) == ("", 3)
    assert 0 < len(found.left_out) <= LEFT_OUT
    assert {reason for _, reason in found.left_out} == {ENOUGH_BETTER}


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
    said = {
        "retry": "`src/pay/retry_client.py` is called twice",
        "other": "`src/ship/client.py` is called once by retries",
        "color": "buildColorScale wants two stops",
        "overlap": "Error 23P01 is mapped to SLOT_TAKEN",
        "redis": "When it is full: `OOM command not allowed when used memory > 'maxmemory'`",
        "inc": "INC-41 was a deadlock",
    }
    notes = [Note(f"shop/{name}.md", f"- {text}\n") for name, text in said.items()]
    notes += [Note(f"shop/n{n}.md", f"- the {a} {b}\n") for n, (a, b) in enumerate(combinations(THINGS, 2))]
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", notes, [], Marks())
    db = open_cache(str(owner.path))
    assert db is not None
    found = recall(db, RecallRequest(prompt, [], ["shop"]))
    db.close()
    owner.close()
    assert [hit.path for hit in found.hits][:1] == [path]


def test_the_longer_a_prompt_the_more_it_must_reach(cache: _sqlite3.Connection) -> None:
    def given(fillers: int) -> list[str]:
        prompt = f"does staging have haproxy? {' '.join(f'filler{n}' for n in range(fillers))}"
        return [hit.text for hit in recall(cache, RecallRequest(prompt, [], ["shop"])).hits]

    assert given(0)[0] == given(20)[0] == "- Staging has pgbouncer behind haproxy"
    assert given(60) == []


@given(st.integers(0, 200), st.integers(0, 200))
def test_chance_grows_with_the_words_of_a_prompt_and_is_never_below_the_usual(one: int, other: int) -> None:
    few, many = (more_by_chance(" ".join(f"w{n}" for n in range(k))) for k in sorted((one, other)))
    assert 1.0 <= few <= many <= (MAX_WORDS / 12) ** 0.5


def test_one_word_of_a_heading_brings_one_entry_that_says_nothing_of_it(tmp_path: Path) -> None:
    agenda = "# Agenda\n\n- columns are rooms\n- red is late\n- an agenda can be printed\n"
    others = [
        Note(f"shop/n{n}.md", f"- the {one} {other}\n")
        for n, (one, other) in enumerate(combinations(THINGS, 2))
    ]
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", [*others, Note("shop/web.md", f"{agenda}\n# Bills\n\n- in euros\n")], [], Marks())
    db = open_cache(str(owner.path))
    assert db is not None
    found = recall(db, RecallRequest("receptionists want a shortcut in the agenda", [], ["shop"]))
    db.close()
    owner.close()
    assert {hit.text for hit in found.hits} == {"- an agenda can be printed", "- columns are rooms"}
    assert next((hit.text, why) for hit, why in found.left_out) == ("- red is late", HEADING_ONLY)


@pytest.mark.parametrize("title", ["2026-03-05", "Thursday"])
def test_of_a_day_that_is_asked_for_all_is_given(tmp_path: Path, title: str) -> None:
    others = [
        Note(f"shop/n{n}.md", f"- the {one} {other}\n")
        for n, (one, other) in enumerate(combinations(THINGS, 2))
    ]
    body = f"# {title}\n\n- red is late\n- columns are rooms\n- a fuse blew\n"
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", [*others, Note("shop/daily/2026-03-05.md", body)], [], Marks())
    db = open_cache(str(owner.path))
    assert db is not None
    found = recall(db, RecallRequest("what did we do in march 2026", [], ["shop"]))
    db.close()
    owner.close()
    assert [hit.path for hit in found.hits] == ["shop/daily/2026-03-05.md"] * 3


def test_what_is_left_out_is_told_with_its_reason(cache: _sqlite3.Connection) -> None:
    found = recall(cache, RecallRequest("staging port of pgbouncer beside the garden", [], ["shop"], 1))
    assert len(found.hits) == 1
    (hit, why), *_, (_, last) = found.left_out
    assert (hit.path, why, last) == ("shop/db.md", ENOUGH_BETTER, FAR_BELOW)


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
        found = recall(cache, RecallRequest(f"where is the {' '.join(asked)}?", [], ["shop"]))
        left = [(fields(hit), why) for hit, why in found.left_out]
        answers.append((found.why, [fields(hit) for hit in found.hits], left))
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
    said = ["river", "mountain", "window"]
    others = [f"- {one} {other}\n" for one, other in combinations(THINGS[3:], 2)] * 2
    others += [f"- {one} alone\n\n- nothing\n\n- nothing else\n" for one in said * 32]
    notes = [Note(f"shop/n{n}.md", text) for n, text in enumerate(others)]
    at_once = Note("shop/one.md", "- river mountain window\n\n- nothing\n\n- nothing else\n")
    apart = Note("shop/three.md", "- paper river\n\n- mountain paper\n\n- window paper\n")
    for note, is_given in ((at_once, True), (apart, False)):
        owner = Cache.open(tmp_path / note.path[5:])
        owner.apply("c1", [*notes, note], [], Marks())
        cache = open_cache(str(tmp_path / note.path[5:]))
        assert cache is not None
        found = recall(cache, RecallRequest(" ".join(said), [], ["shop"]))
        assert (found.hits or [hit for hit, _ in found.left_out])[0].path == note.path
        assert (not found.why, bool(found.hits)) == (is_given, is_given)
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
    found = recall(cache, RecallRequest(prompt, before, ["shop", "global"], 4, gated))
    assert bool(found.why) != bool(found.hits)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(found.hits) <= 4
    assert len(found.left_out) <= LEFT_OUT
