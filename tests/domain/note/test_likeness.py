"""Which entry of a later note is which of an earlier one, and how much work it is to tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note import entry
from ctxrepo.domain.note.entry import SIMILAR, Entry, entries_of, moved, similarity

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


WORDS = st.sampled_from(["make", "test", "port", "red", "5433", "x"])
SAYINGS = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), max_size=6)


@given(SAYINGS, SAYINGS)
def test_the_most_similar_are_paired_first_and_each_once(first: list[str], second: list[str]) -> None:
    before, after = ([*note(PATH, says)] for says in (first, second))
    pairs = list(moved(before, after))
    assert len({a.id for a, _ in pairs}) == len({b.id for _, b in pairs}) == len(pairs)
    scores = [similarity(a.text, b.text) for a, b in pairs]
    assert scores == sorted(scores, reverse=True)
    assert min(scores, default=1.0) >= SIMILAR
    kept = {e.id for e in before} & {e.id for e in after}
    assert not kept & {e.id for pair in pairs for e in pair}


PORTS = ["basket listens on port 8081", "payment listens on port 8082", "search listens on port 8083"]


@pytest.mark.parametrize(
    ("says", "edited"),
    [
        ([PORTS[0], "payment listens on port 9182", PORTS[2]], [1]),
        ([PORTS[0], "billing listens on port 9182", PORTS[2]], [1]),
        (["basket listens on port 9181", "payment listens on port 9182", PORTS[2]], [0, 1]),
        ([PORTS[2], PORTS[0], "payment listens on port 9182"], [1]),
        ([PORTS[0], PORTS[2], "wiki listens on port 8090"], []),
        ([PORTS[0], "wiki listens on port 8090", "chat listens on port 8091", PORTS[2]], []),
    ],
    ids=["reworded", "in its place", "two of them", "moved as well", "another elsewhere", "two in its place"],
)
def test_among_entries_that_are_alike_an_edit_tells_which_it_is_of(
    says: list[str], edited: list[int]
) -> None:
    pairs = moved([*note(PATH, PORTS)], [*note(PATH, says)])
    assert sorted(old.text for old, _ in pairs) == [f"- {PORTS[number]}" for number in edited]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The old texts that were compared letter by letter."""
    seen: list[str] = []

    def count(first: str, second: str) -> float:
        seen.append(first)
        return similarity(first, second)

    monkeypatch.setattr(entry, "similarity", count)
    return seen


def note(path: str, says: list[str]) -> Iterator[Entry]:
    yield from entries_of(path, "".join(f"- {fact}\n\n" for fact in says))


def facts(number: int, end: str = "") -> list[str]:
    return [f"fact {n} about k{n * 7919 % 9973} on shelf {n % 7}{end}" for n in range(number)]


def test_a_note_that_went_elsewhere_needs_no_comparing(compared: list[str]) -> None:
    pairs = moved([*note("shop/a.md", facts(600))], [*note("shop/b.md", facts(600))])
    assert [(a.text, b.text) for a, b in pairs] == [(f"- {fact}", f"- {fact}") for fact in facts(600)]
    assert compared == []


@pytest.mark.parametrize("number", [100, 600])
def test_of_many_that_were_edited_each_is_compared_with_few(compared: list[str], number: int) -> None:
    after = facts(number, " now")
    pairs = list(moved([*note(PATH, facts(number))], [*note(PATH, after)]))
    assert sum(new.text == f"{old.text} now" for old, new in pairs) == len(pairs) == number
    assert len(compared) <= number * entry.NEAREST


def test_of_many_that_were_edited_and_put_in_another_order_too(compared: list[str]) -> None:
    after = facts(100, " now")[::-1]
    pairs = list(moved([*note(PATH, facts(100))], [*note(PATH, after)]))
    assert sum(new.text == f"{old.text} now" for old, new in pairs) == 100
    assert len(compared) <= 100 * entry.NEAREST
