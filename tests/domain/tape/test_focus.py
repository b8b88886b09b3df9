"""Which files matter, and which of their lines: as pi-memory-md says it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.focus import MOST_SPANS, Touch, focus, ranked

DAY = 86400.0


def touches(*said: str) -> list[Touch]:
    """From `read 10-20`."""
    found = []
    for at, words in enumerate(said):
        kind, _, lines = words.partition(" ")
        first, _, last = lines.partition("-")
        found.append(Touch(at, "a.py", kind == "edit", ((int(first), int(last)),) if lines else ()))
    return found


def test_what_follows_on_its_like_is_one_with_it_and_the_newest_is_first() -> None:
    done = touches("read 10-20", "read 21-30", "edit 5-6", "read 1-3")
    assert focus(done) == ["read 1-3", "edit 5-6", "read 10-30"]


def test_what_is_apart_stays_apart() -> None:
    assert focus(touches("read 340-420", "read 1-50")) == ["read 1-50", "read 340-420"]
    assert focus(touches("edit 12-14", "edit 90-90")) == ["edit 90-90", "edit 12-14"]
    assert focus(touches("read 10-20", "read 12-15", "read 8-9")) == ["read 8-20"]


def test_a_whole_file_has_no_focus() -> None:
    assert focus(touches("read")) == []


def test_a_few_are_enough() -> None:
    done = touches(*(f"edit {n}-{n}" for n in range(1, 99, 5)))
    assert focus(done) == ["edit 96-96", "edit 91-91", "edit 86-86", "edit 81-81"]


SPAN = st.tuples(st.integers(1, 50), st.integers(0, 9)).map(lambda one: (one[0], one[0] + one[1]))


@given(st.lists(st.tuples(st.booleans(), st.lists(SPAN, max_size=3)), max_size=9))
def test_every_line_touched_last_is_told(said: list[tuple[bool, list[tuple[int, int]]]]) -> None:
    done = [Touch(n, "a", is_edit, tuple(spans)) for n, (is_edit, spans) in enumerate(said)]
    told = focus(done)
    assert len(told) <= MOST_SPANS
    flat = [("edit" if is_edit else "read", span) for is_edit, spans in said for span in spans]
    assert bool(told) is bool(flat)
    if flat:
        kind, (first, last) = flat[-1]
        word, _, lines = told[0].partition(" ")
        low, _, high = lines.partition("-")
        assert word == kind
        assert int(low) <= first <= last <= int(high)


def test_of_one_age_an_edited_file_is_before_one_only_read() -> None:
    done = [
        Touch(0, "old-edit", True),
        Touch(1, "old-read", False),
        Touch(9 * DAY, "edit", True),
        Touch(9 * DAY + 1, "read", False),
        Touch(9 * DAY + 2, "later", False),
        Touch(6 * DAY, "days-ago", True),
    ]
    assert ranked(done) == ["edit", "later", "read", "days-ago", "old-edit", "old-read"]
    assert ranked([]) == []


def test_a_file_stays_edited_when_it_is_read_again() -> None:
    assert ranked([Touch(0, "a", True), Touch(2, "a", False), Touch(1, "b", True)]) == ["a", "b"]
