"""Texts become words that the full-text index knows."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxrepo.domain.words.prompt_terms import (
    MAX_WORDS,
    is_of_word,
    is_unspaced,
    numbered_items,
    runs,
    spelled,
    words,
)


def test_words_are_the_telling_ones_in_their_parts() -> None:
    assert words("Fix the foo_bar in tests/test_x.py, please: a foo") == [
        "fix",
        "foo",
        "bar",
        "tests",
        "test",
        "py",
    ]
    assert words("the of and") == []


@pytest.mark.parametrize(
    ("run", "parts"),
    [
        ("parseHTTPBody", ["parse", "HTTP", "Body"]),
        ("maxRetryDelay2", ["max", "Retry", "Delay2"]),
        ("GitHub", ["Git", "Hub"]),
        ("plain", []),
        ("Plain", []),
        ("HTTP", []),
        ("北斗製粉", ["北斗", "斗製", "製粉"]),
        ("Textaroの値", ["Textaro", "の値"]),
        ("水", ["水"]),
        ("备份", ["备份"]),
        ("C盘", ["C", "盘"]),
        ("รหัสผาน", ["รหั", "หัส", "ัสผ", "สผา", "ผาน"]),
        ("בשרת", ["שרת"]),
        ("והשרת", ["השרת", "שרת"]),
        ("والخادم", ["خادم"]),
        ("الخادم", ["خادم"]),
        ("של", []),
        ("किताब", []),
        ("Straße", []),
    ],
)
def test_what_a_person_reads_as_several_words_is_spelled_out(run: str, parts: list[str]) -> None:
    assert spelled(run) == parts


def test_a_prompt_without_spaces_is_asked_in_pairs() -> None:
    assert words("在庫はいつ？ maxDelay") == ["在庫", "庫は", "はい", "いつ", "maxdelay", "max", "delay"]


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("备份", ["备份"]),
        ("게임 서버", ["게임", "서버"]),
        ("C盘", ["盘"]),
        ("Ｃ盘 ＡＰＩ", ["盘", "api"]),
        ("GRÖSSE für Straße", ["grosse", "strasse"]),
        ("किताब", ["किताब"]),
        ("INC-４５", ["inc", "45"]),
    ],
)
def test_how_long_a_word_must_be_depends_on_its_script(prompt: str, asked: list[str]) -> None:
    assert words(prompt) == asked


@given(st.text())
def test_words_are_few_and_distinct(prompt: str) -> None:
    terms = words(prompt)
    assert len(terms) == len(set(terms)) <= MAX_WORDS


@given(st.text())
@example("ال000")
def test_nothing_of_a_run_is_lost_when_it_is_spelled_out(text: str) -> None:
    for run in runs(text):
        assert all(map(is_of_word, run))
        parts = spelled(run)
        if parts and run.isascii():
            assert "".join(parts) == run
        assert all(part in run for part in parts)
        if is_unspaced(run):
            assert set("".join(parts)) == set(run)
        elif not run.isascii():  # what a prefix is left of is an ending; the index has the run itself beside
            assert all(run.endswith(part) for part in parts)


def test_a_long_prompt_is_bounded() -> None:
    assert len(words(" ".join(f"word{n}" for n in range(5000)))) == MAX_WORDS
    assert words("x" * 1_000_000) == ["x" * 64]


@pytest.mark.parametrize(
    ("prompt", "items"),
    [
        ("what was INC-45 about?", [("inc", "45")]),
        ("pick up GRN-1177, and VF-2330.", [("grn", "1177"), ("vf", "2330")]),
        ("fix-INC-45", [("inc", "45")]),
        ("INC-45を調べて, 障害INC-46, INC-45", [("inc", "45"), ("inc", "46")]),
        ("in UTF-8, lines 40-72, a B-tree, on 2026-11-24, X-1a2", []),
        ("upgrade postgres-15, port-8080", []),
        ("-45 INC- 45 INC-", []),
        ("", []),
    ],
)
def test_items_that_are_named_by_a_number(prompt: str, items: list[tuple[str, str]]) -> None:
    assert numbered_items(prompt) == items
