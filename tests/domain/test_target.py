"""What a person names: a note by its path, perhaps with its scope, or an entry by its id."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.paths import unsafe
from ctxrepo.domain.target import Target, parse_id, parse_target
from ctxrepo.errors import UsageError


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("topics/build.md", Target("", "topics/build.md")),
        ("topics/build", Target("", "topics/build.md")),
        (" ./topics//build ", Target("", "topics/build.md")),
        ("global:MEMORY", Target("global", "MEMORY.md")),
        ("git.example.org/ada/shop:x.md", Target("git.example.org/ada/shop", "x.md")),
        ("root:0123456789ab/shop:x.md", Target("root:0123456789ab/shop", "x.md")),
        ("host:8443/a/b:x", Target("host:8443/a/b", "x.md")),
        ("^0123456789ab", Target(entry_id="0123456789ab")),
        ("^my-own_id", Target(entry_id="my-own_id")),
        ("cafe\u0301", Target("", "caf\u00e9.md")),
    ],
)
def test_what_can_be_named(text: str, target: Target) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize(
    "text",
    ["", " ", ":", ":x", "global:", "../x", "a/../b", "/etc/x", "a/", ".git/config", ".hidden", "x.txt",
     "a\0b", "-x", "^", "^UPPER", "^a b", "^a/b", "^" + "a" * 65, "x" * 5000, "con", "a\\b"],
)  # fmt: skip
def test_what_can_not(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_target(text)
    assert caught.value.message
    assert "\0" not in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(("text", "entry_id"), [("^abc", "abc"), ("abc", "abc"), ("0" * 12, "0" * 12)])
def test_an_id_with_and_without_its_mark(text: str, entry_id: str) -> None:
    assert parse_id(text) == entry_id


PARTS = st.text(max_size=20) | st.sampled_from(["..", ".", "a", "x.md", ".git", "^id", "global", "~"])


@given(parts=st.lists(PARTS, max_size=5), between=st.sampled_from(["/", ":", ""]))
def test_whatever_is_named_stays_inside_its_scope(parts: list[str], between: str) -> None:
    text = between.join(parts)
    with suppress(UsageError):
        target = parse_target(text)
        assert bool(target.path) != bool(target.entry_id)
        assert not target.path or unsafe(target.path) is None
        if target.path:
            assert parse_target(target.path) == Target("", target.path)
