"""Which entry of a later note is which of an earlier one, and how much work it is to tell."""

from __future__ import annotations

from ctxrepo.domain.entry import entries_of
from ctxrepo.domain.likeness import moved, similarity

PATH = "global/MEMORY.md"


def test_similarity_is_that_of_the_normalised_texts() -> None:
    assert similarity("- one two", "* one  two <!-- ^a -->") == 1.0
    assert similarity("- tests need Postgres 16", "- tests need Postgres 17") > 0.9
    assert similarity("- tests need Postgres", "- an apple") == 0.0


def test_an_edited_entry_moved_from_its_old_id_to_the_new() -> None:
    before = entries_of(PATH, "- tests need Postgres 16\n- use make\n- gone for good\n")
    after = entries_of(PATH, "- use make\n- tests need Postgres 17\n- quite another thing\n")
    assert [(a.text, b.text) for a, b in moved(before, after)] == [
        ("- tests need Postgres 16", "- tests need Postgres 17")
    ]


def test_long_texts_are_compared_by_their_words() -> None:
    words = [f"w{n % 700}" for n in range(40_000)]
    text = " ".join(words)
    assert similarity(text, " ".join(["edited", *words[1:]])) > 0.99
    assert similarity(text, "other " * 40_000) < 0.1
