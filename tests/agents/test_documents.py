"""Records of JSON lines and of indented documents are the same, whichever an agent wrote."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.documents import records_in

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)
RECORDS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, min_size=1, max_size=4), max_size=4)


def indented(value: Any) -> list[str]:
    return json.dumps(value, indent=2).split("\n")


def records(lines: list[str]) -> list[dict[str, Any]]:
    return [fields for _, fields in records_in(lines)]


@given(RECORDS)
def test_lines_a_list_on_one_and_an_indented_list_are_the_same_records(
    items: list[dict[str, Any]],
) -> None:
    assert records([json.dumps(item) for item in items]) == items
    assert records([json.dumps(items)]) == items
    assert records(indented(items)) == items


@given(RECORDS, st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers() | st.text(max_size=9)))
def test_of_an_indented_object_each_field_is_a_record_and_each_item_of_its_list(
    items: list[dict[str, Any]], fields: dict[str, Any]
) -> None:
    document = {**fields, "session": {"id": "s", "in": {"deep": [{}]}}, "items": items}
    expected = [*({name: value} for name, value in fields.items()), {"session": document["session"]}, *items]
    assert [record for record in records(indented(document)) if record != {"items": []}] == expected


@given(RECORDS.filter(bool))
def test_an_item_is_read_again_from_its_line_on_behind_the_first(items: list[dict[str, Any]]) -> None:
    lines = indented({"items": items})
    for number, item in records_in(lines):
        ((at, again), *_) = records_in([lines[0], *lines[number:]])
        assert (at, again) == (1, item)


def test_only_lines_with_one_of_the_words_are_parsed() -> None:
    assert records(['{"a": 1}', '{"b": 1}']) == [{"a": 1}, {"b": 1}]
    assert [*records_in(['{"a": 1}', '{"b": 1}', "torn b"], ("b", "c"))] == [(1, {"b": 1})]


def test_a_torn_first_line_makes_no_document() -> None:
    assert records(["{", '{"a": 1}', "[", '{"b": 2}']) == [{"a": 1}, {"b": 2}]
