"""Entries: one fact each, and what it is known by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.entry import Entry, derived_id, entries_of, explicit_id, normalised

PATH = "shop/topics/build.md"


def only(text: str) -> Entry:
    (entry,) = entries_of(PATH, text)
    return entry


def test_bullets_and_paragraphs_are_entries_and_layout_is_not() -> None:
    text = "---\ntags: [a]\n---\n# T\n\n<!-- c -->\n- one\n  more\n\n---\n\nTwo\n\n-\n"
    assert [(e.text, e.heading, e.at) for e in entries_of(PATH, text)] == [
        ("- one\n  more", ("T",), f"{PATH}#L7-L8"),
        ("Two", ("T",), f"{PATH}#L12"),
    ]


def test_an_id_depends_on_place_text_and_number_but_not_on_white_space_or_marker() -> None:
    assert only("- one  two\n").id == only("*  one\n   two\n").id == derived_id(PATH, (), "one two", 1)
    first, second, elsewhere = entries_of(PATH, "- a\n- a\n# T\n- a\n")
    assert len({first.id, second.id, elsewhere.id, entries_of("x.md", "- a\n")[0].id}) == 4
    assert len(first.id) == 12


@pytest.mark.parametrize(
    "text", ["- a <!-- ^dep-1 -->\n", "- a <!-- ^dep-1 -->\r\n", "- a\n  b <!-- ^dep-1 -->\n"]
)
def test_an_explicit_id_is_the_id_and_no_part_of_the_text(text: str) -> None:
    entry = only(text)
    assert entry.id == explicit_id(text) == "dep-1"
    assert "^" not in entry.plain
    assert "^" not in normalised(text)


def test_a_comment_within_the_line_is_no_id() -> None:
    assert only("- a <!-- ^dep --> b\n").id != "dep"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("- [ ] 3 - 4 is\n  1. less\n", "3 - 4 is 1. less"),
        ("a - b\n", "a - b"),
        ("12) x\n", "x"),
        ("a\n---\n", "a ---"),
        ("- e\u0301\n", "é"),
    ],
)
def test_only_the_first_marker_and_white_space_do_not_count(text: str, plain: str) -> None:
    assert normalised(text) == plain


def test_what_an_entry_says_about_itself() -> None:
    entry = only("- [x] [Decision] db: use #pg/16 not `#c` [[other]] *(pinned)* <!-- ^k -->\n")
    assert (entry.category, entry.key, entry.tags) == ("decision", "db", ("pg/16",))
    assert entry.is_pinned
    assert not only("- [link](https://x.example)\n").category


@given(
    st.lists(st.sampled_from(["- a", "- b", "c", "# T", "- d <!-- ^x -->", "", "```", "---"]), max_size=12)
)
def test_derived_ids_are_unique_and_places_are_true(lines: list[str]) -> None:
    text = "\n".join(lines)
    entries = entries_of(PATH, text)
    derived = [e.id for e in entries if not explicit_id(e.text)]
    assert len(derived) == len(set(derived))
    for entry in entries:
        assert "\n".join(text.split("\n")[entry.first_line - 1 : entry.last_line]) == entry.text


def test_an_anchor_in_a_link_is_no_tag() -> None:
    text = "- see [[#Steps]], [there](#build-it), [page](x.md#two) and (#real) [x]#also\n"
    (entry,) = entries_of("a.md", text)
    assert entry.tags == ("real", "also")
