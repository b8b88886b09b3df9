"""Which files matter, and which of their lines: as pi-memory-md says it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.tape.touched_files import MOST_SPANS, Touch, focus, kind_of


def touches(*uses: str) -> list[Touch]:
    """From `read 10-20`."""
    steps = []
    for at, words in enumerate(uses):
        kind, _, lines = words.partition(" ")
        first, _, last = lines.partition("-")
        steps.append(
            Touch(
                at, "a.py", "edit" if kind == "edit" else "read", ((int(first), int(last)),) if lines else ()
            )
        )
    return steps


def test_w20_what_follows_on_its_like_is_one_with_it_and_the_newest_is_first() -> None:
    done = touches("read 10-20", "read 21-30", "edit 5-6", "read 1-3")
    assert focus(done) == ["read 1-3", "edit 5-6", "read 10-30"]


def test_w20_what_is_apart_stays_apart() -> None:
    assert focus(touches("read 340-420", "read 100-150")) == ["read 100-150", "read 340-420"]
    assert focus(touches("read 340-420", "read 1-50")) == ["read 1-50", "read 340-420"]
    assert focus(touches("edit 12-14", "edit 90-90")) == ["edit 90-90", "edit 12-14"]
    assert focus(touches("read 10-20", "read 12-15", "read 8-9")) == ["read 8-20"]


def test_a_whole_file_has_no_focus() -> None:
    assert focus(touches("read")) == []


def test_a_few_are_enough() -> None:
    done = touches(*(f"edit {n}-{n}" for n in range(1, 99, 5)))
    assert focus(done) == ["edit 96-96", "edit 91-91", "edit 86-86", "edit 81-81"]
    assert focus(done, 5)[4:] == ["edit 76-76"]


SPAN = st.tuples(st.integers(1, 50), st.integers(0, 9)).map(lambda span: (span[0], span[0] + span[1]))


@given(st.lists(st.tuples(st.booleans(), st.lists(SPAN, max_size=3)), max_size=9))
def test_every_line_touched_last_is_told(uses: list[tuple[bool, list[tuple[int, int]]]]) -> None:
    done = [
        Touch(n, "a", "edit" if is_edit else "read", tuple(spans)) for n, (is_edit, spans) in enumerate(uses)
    ]
    summary = focus(done)
    assert len(summary) <= MOST_SPANS
    flat = [("edit" if is_edit else "read", span) for is_edit, spans in uses for span in spans]
    assert bool(summary) is bool(flat)
    if flat:
        kind, (first, last) = flat[-1]
        word, _, lines = summary[0].partition(" ")
        low, _, high = lines.partition("-")
        assert word == kind
        assert int(low) <= first <= last <= int(high)


@pytest.mark.parametrize(
    ("tool", "is_reader", "kind"),
    [
        *(("Read", True, "read"), ("grep_search", True, "read"), ("read", False, "read")),
        *(("Edit", False, "edit"), ("MultiEdit", False, "edit"), ("apply_patch", False, "edit")),
        *(("Write", False, "write"), ("write_file", False, "write"), ("create", False, "write")),
        ("memory_write", False, "memory_write"),
    ],
)
def test_what_a_tool_does_with_files(tool: str, is_reader: bool, kind: str) -> None:
    assert kind_of(tool, is_reader) == kind
