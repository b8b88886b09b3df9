"""The keys of config.toml: what each takes, and which one a mistyped name means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.settings.keys import (
    Key,
    accepted,
    key_named,
    keys,
    nearest_key,
    sections,
    spelled,
    understood,
)
from ctxrepo.errors import ConfigError


def test_every_key_has_a_sentence_and_takes_its_default() -> None:
    assert [k.name for k in keys()][:2] == ["repository.path", "repository.remote"]
    for key in keys():
        assert key.sentence.endswith("."), key.name
        if key.default != "":
            value = understood(spelled(key.default), key)
            assert accepted(value, key.hint) == key.default, key.name


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("sync.timeout", "20", 20),
        ("sync.timeout", "0.5", 0.5),
        ("recall.limit", "0", 0),
        ("recall.enabled", "False", False),
        ("repository.review", "branch", "branch"),
        ("hooks.session_end", "commit, push", ["commit", "push"]),
        ("hooks.session_end", "", []),
        ("secrets.allow_secret", "a", ["a"]),
        ("repository.remote", "", ""),
    ],
)
def test_what_a_person_types(name: str, words: str, value: object) -> None:
    assert understood(words, key_named(name)) == value


@pytest.mark.parametrize(
    ("name", "words", "allowed"),
    [
        ("sync.timeout", "soon", "a number"),
        ("sync.timeout", "-1", "a number"),
        ("sync.timeout", "nan", "a number"),
        ("sync.timeout", "inf", "a number"),
        ("sync.timeout", "1" + "0" * 400, "a number"),
        ("sync.retries", "1.5", "a whole number"),
        ("recall.limit", "99999", "a whole number up to 100"),
        ("sync.timeout", "3601", "a number up to 3600"),
        ("sync.retries", "true", "a whole number"),
        ("recall.enabled", "1", "true or false"),
        ("repository.review", "brunch", "direct or branch"),
        ("hooks.session_end", "comit", "a list of commit and push; commas between the items"),
        ("hooks.session_end", "commit,,push", "commas between the items"),
    ],
)
def test_what_it_can_not_be_is_refused_with_what_it_takes(name: str, words: str, allowed: str) -> None:
    with pytest.raises(ConfigError) as refused:
        understood(words, key_named(name))
    assert name in refused.value.message
    assert allowed in refused.value.hint


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("sync.timeuot", "sync.timeout"),
        ("synk.timeout", "sync.timeout"),
        ("timeout", "sync.timeout"),
        ("recall.ttl", "sync.ttl"),
        ("delivry.budget_bytes", "delivery.budget_bytes"),
        ("recall.budget", "recall.budget_bytes"),
        ("nothing.like.it", ""),
    ],
)
def test_the_nearest_key(typed: str, meant: str) -> None:
    assert nearest_key(typed) == meant
    with pytest.raises(ConfigError, match=typed) as unknown:
        key_named(typed)
    assert (meant or "config list") in unknown.value.hint


def test_a_section_is_told_with_its_keys() -> None:
    for section in sections():
        with pytest.raises(ConfigError) as error:
            key_named(section)
        assert f"{section}." in error.value.hint


@given(st.sampled_from(keys()), st.text(max_size=12))
def test_what_is_understood_is_accepted_and_spelled_back(key: Key, words: str) -> None:
    try:
        value = understood(words, key)
    except ConfigError:
        return
    held = accepted(value, key.hint)
    assert held is not None
    assert accepted(understood(spelled(held), key), key.hint) == held
