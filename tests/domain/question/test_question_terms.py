"""A question in words becomes terms, without the words that every question has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.question.question_terms import question_terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("what did we decide about the redis port?", ["decide", "redis", "port"]),
        ("hey, didn't we say something on node.js v1.2.3", ["hey", "say", "node.js", "v1.2.3"]),
        ("was haben wir zur Sitzungsdauer entschieden", ["Sitzungsdauer", "entschieden"]),
        ("qu'est-ce qu'on avait dit pour l'authentification ?", ["authentification"]),
        ("¿qué puerto usamos para Redis?", ["puerto", "usamos", "Redis"]),
        ("redisのポートは何番に決めましたか", ["ポー", "ート", "何番", "redis"]),
        ('"the redis port" staging', ["the redis port", "staging"]),
        ("what was that", ["what", "was", "that"]),
        ("->", []),
    ],
)
def test_what_is_searched_for(question: str, terms: list[str]) -> None:
    assert [term.text for term in question_terms(question)] == terms


def test_only_quoted_words_are_required() -> None:
    quoted, bare = question_terms('"redis port" staging')
    assert (quoted.is_required, quoted.expression) == (True, '"redis port"')
    assert (bare.is_required, bare.loose) == (False, '"stagin"*')


def test_words_that_belong_together_may_stand_apart() -> None:
    (term,) = question_terms("docker-compose")
    assert (term.expression, term.loose) == ('"docker compose"', '"docker" AND "compose"')
    (name,) = question_terms("parseHTTPBody")
    assert name.expression == '("parsehttpbody" OR "parse http body")'


@given(st.text(max_size=60))
def test_no_term_comes_twice(question: str) -> None:
    expressions = [term.expression for term in question_terms(question)]
    assert len({*expressions}) == len(expressions)
