"""Prompts become questions that SQLite understands, and answers stay within their scopes."""

from __future__ import annotations

import _sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fields import fields
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.prompt_query import find, score_by_words, weighted_words
from ctxrepo.storage.cache.cache import Cache

FILLER = ["river", "mountain", "window", "paper", "garden", "bottle", "orange", "silver", "candle", "button"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_sqlite3.Connection]:
    path = tmp_path_factory.mktemp("query") / "cache.db"
    notes = [
        Note("global/style.md", "---\ndescription: how I like code\n---\n- Indent python with four spaces\n"),
        Note(
            "shop/topics/db.md",
            "# Database\n\n- The staging port is 5433\n- Run migrations by `make migrate`\n",
        ),
        Note("shop-two/db.md", "- The staging port of the other shop is 6000\n"),
        Note("shop/archive/old.md", "- The staging port was 1111 once\n"),
        *(Note(f"shop/f{n}.md", f"- common {word} {FILLER[n - 1]}\n") for n, word in enumerate(FILLER)),
    ]
    owner = Cache.open(path)
    owner.apply("c1", notes, [], Marks())
    db = open_cache(str(path))
    assert db is not None
    yield db
    db.close()
    owner.close()


def texts(cache: _sqlite3.Connection, prompt: str, *scopes: str) -> list[str]:
    return [hit.text for hit in find(cache, prompt, list(scopes), 4)]


def test_the_best_entry_of_the_scopes_comes_first(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "which port does staging listen on?", "global", "shop")[0] == (
        "- The staging port is 5433"
    )


def test_another_scope_is_never_looked_into(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "staging port", "shop-two") == ["- The staging port of the other shop is 6000"]
    assert texts(cache, "staging port", "global") == []
    assert texts(cache, "staging port", "shop")[0] == "- The staging port is 5433"
    assert texts(cache, "staging port") == []


def test_a_hit_says_where_it_stands(cache: _sqlite3.Connection) -> None:
    hit = find(cache, "staging", ["shop"], 4)[0]
    assert (hit.path, hit.heading) == ("shop/topics/db.md", "Database")
    assert (hit.first_line, hit.last_line, hit.updated) == (3, 3, "")
    assert hit.score > 0


def test_the_rarer_word_counts_more(cache: _sqlite3.Connection) -> None:
    best = texts(cache, "common bottle", "shop")[:2]
    assert best == ["- common bottle garden", "- common orange bottle"]


def test_the_description_of_the_note_helps(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "how should code be indented", "global") == ["- Indent python with four spaces"]


def test_at_most_as_many_as_asked_for(cache: _sqlite3.Connection) -> None:
    prompt = " ".join(FILLER)
    assert len(find(cache, prompt, ["shop"], 2)) == 2
    assert find(cache, prompt, ["shop"], 0) == []


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Callable[..., Callable[..., list[str]]]]:
    """Notes by path, and then the paths of what a prompt finds in them, best first."""
    owner = Cache.open(tmp_path / "cache.db")
    opened = []

    def fill(**notes: str) -> Callable[..., list[str]]:
        owner.apply("c1", [Note(f"shop/{path}.md", text) for path, text in notes.items()], [], Marks())
        db = open_cache(str(tmp_path / "cache.db"))
        assert db is not None
        opened.append(db)

        def ask(prompt: str, *before: str) -> list[str]:
            return [
                f"{hit.path[5:-3]}#{hit.first_line}" for hit in find(db, prompt, ["shop"], 9, list(before))
            ]

        return ask

    yield fill
    for cache in opened:
        cache.close()
    owner.close()


Fill = Callable[..., Callable[..., list[str]]]
OTHERS = {f"other{n}": f"- the {word} has a lid\n\n- and a handle\n" for n, word in enumerate(FILLER)}


def test_what_the_note_is_about_counts_for_each_of_its_entries(memory: Fill) -> None:
    alone, among = "- restart it twice\n", "- kafka broker\n\n- kafka topic\n\n- restart it twice\n"
    ask = memory(alone=alone, among=among, **OTHERS)
    assert ask("restart kafka twice")[0] == "among#5"


def test_in_a_log_an_entry_counts_for_those_beside_it(memory: Fill) -> None:
    log = "- came to the pier\n\n- {}\n\n- went home\n"
    ask = memory(
        **{"2026-05-01": log.format("saw a heron there"), "birds": log.format("fed a duck there")}, **OTHERS
    )
    assert ask("heron")[:3] == ["2026-05-01#3", "2026-05-01#5", "2026-05-01#1"]
    assert ask("duck")[0] == "birds#3"


def test_the_day_that_a_prompt_names_comes_first(memory: Fill) -> None:
    ask = memory(**{f"daily/2026-0{n}-07": "- the disk was full\n" for n in range(1, 10)}, **OTHERS)
    assert ask("what did we do about the disk in may 2026?")[0] == "daily/2026-05-07#1"
    assert ask("the disk on 2026-08-07")[0] == "daily/2026-08-07#1"
    assert ask("the disk in august")[0] == "daily/2026-08-07#1"


def test_a_day_without_a_year_comes_before_others_of_its_month(memory: Fill) -> None:
    ask = memory(**{f"daily/2026-05-{day}": "- the disk was full\n" for day in ("03", "07", "20")}, **OTHERS)
    assert ask("the disk on 7 may")[0] == "daily/2026-05-07#1"
    assert ask("the disk on 3 may")[0] == "daily/2026-05-03#1"


def test_a_vague_prompt_goes_on_with_the_one_before(memory: Fill) -> None:
    ask = memory(ports="- staging port is 5433\n\n- production port is 6000\n", **OTHERS)
    assert ask("and for production?")[0] == "ports#3"
    assert ask("and the other one?") == []
    assert ask("and the other one?", "which port has staging")[0] == "ports#1"
    long = "please sort the candle and the bottle list by weight and colour, then print both"
    assert weighted_words(long, ["which port has staging"]) == weighted_words(long, [])


@pytest.mark.parametrize(
    ("text", "prompt"),
    [
        ("- 北斗製粉の在庫データは毎営業日に届く", "製粉の在庫はいつ届く？"),
        ("- 部署前必须备份数据库", "数据库怎么备份"),
        ("- 배포 전에 데이터베이스를 백업한다", "데이터베이스 백업"),
        ("- the value of maxRetryDelay is wrong", "what is the retry delay?"),
        ("- `parse_http_body` eats the newline", "why does parseHttpBody fail"),
        ("- Straßen heißen in München anders", "wie heissen strassen in munchen"),
    ],
)
def test_scripts_without_spaces_and_names_in_code(memory: Fill, text: str, prompt: str) -> None:
    ask = memory(note=text, **OTHERS, andere="- 別の話です。天気がいい。", code="- someOtherName is fine")
    assert ask(prompt)[0] == "note#1"


def test_what_is_superseded_or_archived_is_not_found(tmp_path: Path) -> None:
    owner = Cache.open(tmp_path / "cache.db")
    old, new = "- walnut oil costs four", "- walnut oil costs five"
    note = Note("shop/a.md", f"{old}\n\n{new}\n")
    owner.apply(
        "c1", [note, Note("shop/archive/b.md", old)], [], Marks(struck=frozenset({note.entries[0].id}))
    )
    cache = open_cache(str(tmp_path / "cache.db"))
    assert cache is not None
    assert [hit.text for hit in find(cache, "walnut oil", ["shop"], 9)] == [new]
    cache.close()
    owner.close()


def test_how_many_words_one_entry_says(tmp_path: Path) -> None:
    """What its note's head says or an entry beside it, it doesn't say itself; earlier prompts count less."""
    text = "---\ndescription: a lid\n---\n- brass hinge and copper pipe\n\n- a valve\n"
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", [Note("shop/a.md", text)], [], Marks())
    cache = open_cache(str(tmp_path / "cache.db"))
    assert cache is not None
    counts = [
        score_by_words(cache, prompt, [], ["shop"])[1] for prompt in ("brass hinge valve lid", "lid", "whale")
    ]
    assert counts == [2.0, 0.0, 0.0]
    assert score_by_words(cache, "brass hinge", ["and the copper pipe?"], ["shop"])[1] == 3.0
    cache.close()
    owner.close()


@given(st.lists(st.sampled_from(FILLER), min_size=1, max_size=6), st.integers(0, 9))
def test_fewer_are_the_first_of_more(cache: _sqlite3.Connection, words: list[str], limit: int) -> None:
    prompt = " ".join(words)
    few, many = (find(cache, prompt, ["shop"], most) for most in (limit, 50))
    assert [fields(hit) for hit in few] == [fields(hit) for hit in many[:limit]]
    scores = list(score_by_words(cache, prompt, [], ["shop"])[0].values())
    assert all(score >= 0 for score in scores)


SYNTAX = st.sampled_from(
    ['"', "'", "*", "^", "(", ")", "NEAR(", " AND ", " NOT ", "scope:", "{", "-", "日本語", "\0"]
)


@given(st.lists(st.one_of(SYNTAX, st.text(max_size=5)), max_size=12).map("".join))
def test_no_prompt_raises(cache: _sqlite3.Connection, prompt: str) -> None:
    find(cache, prompt, ["global", "shop"], 4)


@pytest.fixture(scope="module")
def incidents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_sqlite3.Connection]:
    owner = Cache.open(tmp_path_factory.mktemp("incidents") / "cache.db")
    notes = [Note("shop/inc.md", "- INC-41 was a deadlock\n"), Note("shop/a.md", "- keep logs for 45 days\n")]
    notes += [Note(f"many/n{n}.md", f"- CD-{n} is done\n") for n in range(1000, 3300)]
    notes += [Note("shop/pg.md", "- postgres wants a restart\n")]
    owner.apply("c1", notes, [], Marks())
    db = open_cache(str(owner.path))
    assert db is not None
    yield db
    db.close()
    owner.close()


@pytest.mark.parametrize(
    ("prompt", "before", "paths"),
    [
        ("what was INC-45 about?", [], set()),
        ("what was INC-45 about?", ["fix the slow and flaky upload of large invoices"], set()),
        ("what was INC-41 about?", [], {"shop/inc.md"}),
        ("what was INC 45 about?", [], {"shop/inc.md", "shop/a.md"}),
        ("what was CD-2345 about?", [], {"many/n2345.md"}),
        ("what does postgres-15 want?", [], {"shop/pg.md"}),
    ],
)
def test_an_item_that_no_entry_names_brings_neither_its_like_nor_its_number(
    incidents: _sqlite3.Connection, prompt: str, before: list[str], paths: set[str]
) -> None:
    assert {hit.path for hit in find(incidents, prompt, ["shop", "many"], 5, before)} == paths
