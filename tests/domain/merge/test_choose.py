"""What both machines decide alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.merge.choose import Key, choose, order, said_again

texts = st.one_of(st.none(), st.sampled_from(["a", "b", "c\n", "c\r\n", "on 2026-01-01", "on 2026-02-01"]))
sequences = st.lists(st.sampled_from("abcdefg"), unique=True).map(lambda names: [(name,) for name in names])


def ordered(base: str, ours: str, theirs: str) -> str:
    return "".join(name for (name,) in order(keys(base), keys(ours), keys(theirs)))


def keys(names: str) -> list[Key]:
    return [(name,) for name in names]


@given(texts, texts, texts)
def test_a_choice_is_the_same_from_either_side_and_stands_when_made_again(
    base: str | None, ours: str | None, theirs: str | None
) -> None:
    stays, lost = choose(base, ours, theirs)
    assert choose(base, theirs, ours) == (stays, lost)
    assert choose(base, stays, ours)[0] == choose(base, stays, theirs)[0] == stays
    assert lost in (None, ours, theirs)


def test_the_later_date_stays_then_the_greater_text() -> None:
    assert choose("x", "on 2026-02-01", "z") == ("on 2026-02-01", "z")
    assert choose("x", "y", "z") == ("z", "y")


def test_line_ends_are_no_edit() -> None:
    assert choose("c\n", "c\r\n", "d\n") == ("d\n", None)
    assert choose("c\n", "c\r\n", None) == (None, None)
    assert choose("c\n", "c\r\n", "c\n") == ("c\r\n", None)


@given(sequences, sequences, sequences)
def test_an_order_holds_everything_once_and_is_the_same_from_either_side(
    base: list[Key], ours: list[Key], theirs: list[Key]
) -> None:
    merged = order(base, ours, theirs)
    assert merged == order(base, theirs, ours)
    assert sorted(merged) == sorted({*ours, *theirs})


def test_the_side_that_moved_something_is_followed() -> None:
    assert ordered("abc", "cab", "abcd") == "cdab"
    assert ordered("abcd", "abcd", "dabc") == "dabc"


def test_what_one_side_added_follows_what_it_stood_behind() -> None:
    assert ordered("abc", "axbc", "abcy") == "axbcy"
    assert ordered("ab", "xab", "ab") == "xab"


def test_what_was_there_before_does_not_follow_what_is_new_elsewhere() -> None:
    assert ordered("kyab", "xyab", "abxzw") == "yabxzw"


def test_a_side_that_says_a_thing_again_did_not_leave_it_alone() -> None:
    assert said_again(["s"], ["s", "s"], []) == {"s"}
    assert said_again(["s", "s"], ["s"], ["s", "s"]) == set()
