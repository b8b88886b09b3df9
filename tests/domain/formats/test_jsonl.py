"""JSON lines read tolerantly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.formats.jsonl import MAX_FILE, MAX_LINE, record, records, render, text_of, with_room

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v, max_size=3), max_leaves=5
)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        '{"a": 1',
        "[1]",
        "3",
        "nothing",
        '{"a": NaN}',
        '{"a": Infinity}',
        "[" * 100_000,
        '{"a": ' * 50_000,
    ],
)
def test_a_line_that_is_no_object_is_none(line: str) -> None:
    assert record(line) is None


def test_a_line_that_is_too_long_is_none() -> None:
    assert record('{"a": "' + "x" * MAX_LINE + '"}') is None


def test_what_cannot_be_read_is_passed_over() -> None:
    assert records('{"id": "a"}\r\ntorn {\n\n{"id": "b"}') == [{"id": "a"}, {"id": "b"}]


def test_lines_are_cut_at_newlines_only() -> None:
    assert records('{"id": "a\u2028b"}\n') == [{"id": "a\u2028b"}]


def test_a_tombstone_takes_its_line_back_wherever_it_stands() -> None:
    text = '{"id": "a", "deleted": "x"}\n{"id": "a"}\n{"id": "b"}\n{"deleted": "x"}\n{"x": 1}\n'
    assert records(text) == [{"id": "b"}, {"x": 1}]


@given(st.dictionaries(st.text(), values))
def test_what_was_rendered_reads_back(fields: dict[str, object]) -> None:
    line = render(fields)
    assert "\n" not in line
    assert record(line) == fields
    assert list(record(line) or {}) == list(fields)


def test_no_number_that_is_no_json_is_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        render({"a": float("nan")})


def test_a_field_of_another_kind_is_no_text() -> None:
    assert (text_of({"a": "x"}, "a"), text_of({"a": 1}, "a"), text_of({}, "a")) == ("x", "", "")


@given(st.lists(st.integers(0, 2 * MAX_FILE), max_size=6))
def test_records_go_on_in_the_first_file_that_has_room(sizes: list[int]) -> None:
    there = {f"x{f'-{n}' if n > 1 else ''}.jsonl": bytes(size) for n, size in enumerate(sizes, 1)}
    path = with_room("x", there.get)
    assert len(there.get(path, b"")) <= MAX_FILE
    before = list(there)[: list(there).index(path)] if path in there else list(there)
    assert all(len(there[full]) > MAX_FILE for full in before)
