"""What a person names: a note by its path, perhaps with its scope, or an entry by its id."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.entry import Entry
from ctxrepo.domain.project.layout import unsafe
from ctxrepo.domain.project.target import (
    TOO_SHORT,
    Target,
    id_meant,
    ids_meant,
    parse_entry,
    parse_id,
    parse_target,
    resolve_id,
)
from ctxrepo.errors import NotFound, UsageError


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
        ("^1a2b", Target(entry_id="1a2b")),
        ("shop/topics/gotcha.md#L8", Target("", "shop/topics/gotcha.md", lines=(8, 8))),
        ("topics/gotcha#L9-L11", Target("", "topics/gotcha.md", lines=(9, 11))),
        ("global:MEMORY.md#L9-11", Target("global", "MEMORY.md", lines=(9, 11))),
        ("topics/C#.md", Target("", "topics/C#.md")),
        ("topics/x#Later.md", Target("", "topics/x#Later.md")),
    ],
)
def test_what_can_be_named(text: str, target: Target) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize(
    "text",
    ["", " ", ":", ":x", "global:", "../x", "a/../b", "/etc/x", "a/", ".git/config", ".hidden", "x.txt",
     "a\0b", "-x", "#L8", "x#L9-L8",
     "^", "^UPPER", "^a b", "^a/b", "^" + "a" * 65, "x" * 5000, "con", "a\\b"],
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


@pytest.mark.parametrize(
    ("text", "word"),
    [("1a2b3c", "1a2b3c"), ("1a2", ""), ("1a2b.md", ""), ("gotcha", ""), ("global:1a2b", "")],
)
def test_a_bare_word_of_hex_digits_may_be_an_id(text: str, word: str) -> None:
    target = parse_target(text)
    assert (target.word, bool(target.path)) == (word, True)


def test_an_entry_is_named_by_its_id_or_its_place() -> None:
    assert parse_entry("my-id") == parse_entry("^my-id") == Target(entry_id="my-id")
    assert parse_entry("topics/x.md#L8") == Target("", "topics/x.md", lines=(8, 8))
    with pytest.raises(UsageError, match="not an entry id"):
        parse_entry("topics/x.md")


def test_the_beginning_of_an_id_does_while_no_other_has_it() -> None:
    ids = ["1a2b3c", "1a2bff", "1a2b", "99"]
    assert ids_meant("1a2b3", ids) == ["1a2b3c"]
    assert ids_meant("1a2b", ids) == ["1a2b"]
    assert ids_meant("1a2b", ids[:2]) == ids[:2]
    assert ids_meant("1a2", ids) == ids_meant("9", ids) == []
    assert id_meant("1a2b3", ids) == "1a2b3c"
    assert id_meant("none", ids) == "none"
    with pytest.raises(UsageError, match="1a2b begins 2 ids") as caught:
        id_meant("1a2b", ids[:2])
    assert caught.value.hint == "They are ^1a2b3c, ^1a2bff."


def test_one_id_is_meant_by_itself_or_by_four_characters_of_it() -> None:
    ids = ["1a2b3c", "1a2bff", "99"]
    assert resolve_id("1a2bf", ids, "none", "look") == "1a2bff"
    assert resolve_id("99", ids, "none", "look") == "99"
    with pytest.raises(UsageError, match="1a2b begins 2 ids") as several:
        resolve_id("1a2b", ids, "none", "look")
    assert several.value.hint == "They are 1a2b3c, 1a2bff."
    for name, hint in (("1a2", "Give at least 4 characters of an id."), ("", TOO_SHORT), ("ffff", "look")):
        with pytest.raises(NotFound, match="there is none") as missing:
            resolve_id(name, ids, "there is none", hint)
        assert missing.value.hint == hint


PARTS = st.text(max_size=20) | st.sampled_from(
    ["..", ".", "a", "x.md", ".git", "^id", "global", "~", "#L3", "#L4-L9"]
)


@given(parts=st.lists(PARTS, max_size=5), between=st.sampled_from(["/", ":", ""]))
def test_whatever_is_named_stays_inside_its_scope(parts: list[str], between: str) -> None:
    text = between.join(parts)
    with suppress(UsageError):
        target = parse_target(text)
        assert bool(target.path) != bool(target.entry_id)
        assert not target.path or unsafe(target.path) is None
        if target.path:
            first, last = target.lines or (1, 1)
            assert 0 < first <= last
            bare = parse_target(f"{target.path}#L1")
            assert (bare.path, bare.lines) == (target.path, (1, 1))


@given(
    path=st.sampled_from(["shop/topics/x.md", "global/C#.md"]),
    first=st.integers(1, 9**8),
    more=st.integers(0, 9),
)
def test_a_place_as_we_print_it_is_read_back(path: str, first: int, more: int) -> None:
    entry = Entry("0" * 12, path, "", (), first, first + more)
    assert parse_target(entry.at) == Target("", path, lines=(first, first + more))
