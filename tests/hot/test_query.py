"""Prompts become questions that SQLite understands, and answers stay within their scopes."""

from __future__ import annotations

import _sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.evidence import Marks
from ctxrepo.domain.note import Note
from ctxrepo.hot.cache import open_cache
from ctxrepo.hot.query import MAX_WORDS, find, words
from ctxrepo.storage.cache import Cache

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
    found = open_cache(str(path))
    assert found is not None
    yield found
    found.close()
    owner.close()


def texts(cache: _sqlite3.Connection, prompt: str, *scopes: str) -> list[str]:
    return [hit[6] for hit in find(cache, prompt, list(scopes), 4)]


def test_the_best_entry_of_the_scopes_comes_first(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "which port does staging listen on?", "global", "shop")[0] == (
        "- The staging port is 5433"
    )


def test_another_scope_is_never_looked_into(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "staging port", "shop-two") == ["- The staging port of the other shop is 6000"]
    assert texts(cache, "staging port", "global") == []
    assert texts(cache, "staging port", "shop") == ["- The staging port is 5433"]
    assert texts(cache, "staging port") == []


def test_a_hit_says_where_it_stands(cache: _sqlite3.Connection) -> None:
    (hit,) = find(cache, "staging", ["shop"], 4)
    assert hit[1:6] == ("shop/topics/db.md", "Database", 3, 3, "")
    assert hit[8] > 0


def test_a_word_that_stands_everywhere_recalls_nothing(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "common things", "shop") == []
    assert texts(cache, "common candle", "shop") != []


def test_the_description_of_the_note_helps(cache: _sqlite3.Connection) -> None:
    assert texts(cache, "how should code be indented", "global") == ["- Indent python with four spaces"]


def test_at_most_as_many_as_asked_for(cache: _sqlite3.Connection) -> None:
    prompt = " ".join(FILLER)
    assert len(find(cache, prompt, ["shop"], 2)) == 2
    assert find(cache, prompt, ["shop"], 0) == []


def test_a_small_memory_needs_no_rare_word(tmp_path: Path) -> None:
    owner = Cache.open(tmp_path / "cache.db")
    owner.apply("c1", [Note("global/a.md", "- deploy with make ship\n\n- deploy on fridays\n")], [], Marks())
    cache = open_cache(str(tmp_path / "cache.db"))
    assert cache is not None
    assert len(find(cache, "how to deploy", ["global"], 4)) == 2
    cache.close()
    owner.close()


def test_words_keep_identifiers_whole_and_in_parts() -> None:
    assert words("Fix the foo_bar in tests/test_x.py, please: a foo") == (
        ["fix", "foo_bar", "foo", "bar", "tests/test_x.py", "tests", "test", "py"]
    )
    assert words("the of and") == []


@given(st.text())
def test_words_are_few_and_distinct(prompt: str) -> None:
    found = words(prompt)
    assert len(found) == len(set(found)) <= MAX_WORDS


SYNTAX = st.sampled_from(
    ['"', "'", "*", "^", "(", ")", "NEAR(", " AND ", " NOT ", "scope:", "{", "-", "日本語", "\0"]
)


@given(st.lists(st.one_of(SYNTAX, st.text(max_size=5)), max_size=12).map("".join))
def test_no_prompt_raises(cache: _sqlite3.Connection, prompt: str) -> None:
    find(cache, prompt, ["global", "shop"], 4)
