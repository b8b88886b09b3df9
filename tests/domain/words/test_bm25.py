"""Texts ranked by BM25, with the figures that pi-memory-md's search gives (D66)."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.words.bm25 import ranked

TEXTS = [["deploy", "staging", "fails"], ["redis", "port", "tests"], ["retry", "payments", "limit"]]


def test_d66_the_score_is_that_of_orama_3() -> None:
    ((score, number),) = ranked(["redis"], TEXTS, 0)
    rarity = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    frequency = 1 / 3
    wanted = rarity * (0.5 + frequency * 2.2) / (frequency + 1.2 * (1 - 0.75 + 0.75 * 3 / 3))
    assert number == 1
    assert math.isclose(score, wanted, rel_tol=1e-12)


def test_the_best_comes_first_and_what_scores_less_stays_out() -> None:
    ranking = ranked(["payments", "limit", "redis"], TEXTS, 0)
    assert [number for _, number in ranking] == [2, 1]
    assert ranked(["payments", "limit", "redis"], TEXTS, ranking[0][0]) == ranking[:1]


def test_a_word_stands_for_those_that_begin_with_it() -> None:
    assert [number for _, number in ranked(["fail"], TEXTS, 0)] == [0]
    assert ranked(["fa"], TEXTS, 0) == []
    assert ranked(["ailing"], TEXTS, 0) == []


def test_without_texts_or_words_nothing_is_found() -> None:
    assert ranked(["a"], [], 0) == []
    assert ranked([], TEXTS, 0) == []
    assert ranked(["redis"], [["redis"], []], 0) != []


_word = st.text("abc", min_size=1, max_size=4)


@given(st.lists(_word, max_size=5), st.lists(st.lists(_word, max_size=6), max_size=6))
def test_only_texts_with_a_word_of_the_query_are_found(query: list[str], texts: list[list[str]]) -> None:
    ranking = ranked(query, texts, 0)
    assert [score for score, _ in ranking] == sorted((score for score, _ in ranking), reverse=True)
    wanted = {n for n, text in enumerate(texts) if _meets(query, text)}
    assert {number for _, number in ranking} == wanted


def _meets(query: list[str], text: list[str]) -> bool:
    return any(w == q or (len(q) > 2 and w.startswith(q)) for q in query for w in text)
