from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxrepo.domain.formats.jsontext import (
    MAX_DEPTH,
    Malformed,
    append,
    blank_comments,
    comments,
    cut,
    find,
    index,
    parse,
    replace,
)

TWO = '{\n  "a": [\n    1,\n    2\n  ],\n  "b": {}\n}\n'


def test_append_follows_the_indentation_of_its_neighbours() -> None:
    assert append(TWO, ("a",), {"x": 3}) == TWO.replace("    2\n", '    2,\n    {\n      "x": 3\n    }\n')


def test_append_follows_tabs_and_carriage_returns() -> None:
    text = '{\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}'
    assert append(text, ("a",), [2]) == '{\r\n\t"a": [\r\n\t\t1,\r\n\t\t[\r\n\t\t\t2\r\n\t\t]\r\n\t]\r\n}'


def test_append_to_a_minified_document_adds_no_white_space() -> None:
    assert append('{"a":[{"b":1}]}', ("a",), {"c": [1, 2]}) == '{"a":[{"b":1},{"c":[1,2]}]}'


def test_append_to_one_line_with_spaces_has_spaces() -> None:
    assert append('{"a": [1]}', (), [1, 2], key="b") == '{"a": [1], "b": [1, 2]}'


def test_append_to_brackets_that_hug_stays_readable() -> None:
    text = '{\n  "a": [{\n    "b": 1\n  }]\n}'
    assert append(text, ("a",), {"c": 2}) == '{\n  "a": [{\n    "b": 1\n  }, {\n    "c": 2\n  }]\n}'


def test_append_fills_what_is_empty() -> None:
    assert append("{}", (), 1, key="a") == '{\n  "a": 1\n}'
    assert append(TWO, ("b",), 1, key="c") == TWO.replace("{}", '{\n    "c": 1\n  }')


@pytest.mark.parametrize(
    "text", ['{\n"a": []\n}', '{\n"a": [\n]\n}', '{"a":[ ]}', '{\n "a": [ ]\n}', '{\n\t"a": []\n}']
)
def test_an_empty_list_is_as_it_was_when_filled_and_cut(text: str) -> None:
    assert cut(append(text, ("a",), [1]), ("a", 0)) == text


def test_replace_keeps_one_line_on_one_line() -> None:
    text = '{\n  "a": {"b": 1},\n  "c": 2\n}'
    assert replace(text, ("a",), {"b": 2}) == text.replace('{"b": 1}', '{"b": 2}')
    assert replace(text, ("c",), "x") == text.replace("2", '"x"')


def test_cut_takes_its_comma_along() -> None:
    text = '{"a": 1, "b": 2 , "c": 3}'
    assert cut(text, ("a",)) == '{"b": 2 , "c": 3}'
    assert cut(text, ("b",)) == '{"a": 1 , "c": 3}'
    assert cut(text, ("c",)) == '{"a": 1, "b": 2}'


def test_the_last_of_equal_keys_counts() -> None:
    text = '{"a": 1, "a": [2]}'
    assert append(text, ("a",), 3) == '{"a": 1, "a": [2, 3]}'
    assert cut(text, ("a",)) == '{"a": 1}'


def test_escapes_and_other_scripts_stay_as_written() -> None:
    text = '{"caf\\u00e9": "\\ud83d\\ude00 é 支付 \\/"}'
    assert append(text, (), "é", key="x") == text[:-1] + ', "x": "é"}'
    assert find(parse(text), ("café",)) is not None


@pytest.mark.parametrize("path", [("b",), ("a", 1), ("a", "b"), (0,)])
def test_a_path_that_is_not_there_is_a_key_error(path: tuple[str | int, ...]) -> None:
    with pytest.raises(KeyError):
        cut('{"a": [1]}', path)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{\n  // why\n  "a": 1\n}', 2, 3, "comment"),
        ('{"a": 1 /* why */}', 1, 9, "comment"),
        ('{\r\n  "a": [1,\r\n  ],\r\n}', 3, 3, "comma"),
        ('{"a": 1,}', 1, 9, "comma"),
        ("\ufeff{'a': 1}", 1, 2, "double quotes"),
        ('{"a" 1}', 1, 6, "':'"),
        ('{"a": 01}', 1, 8, "',' or '}'"),
        ('{"a": NaN}', 1, 7, "a value"),
        ('{"a": "\t"}', 1, 7, "a value"),
        ('{"a": 1} x', 1, 10, "nothing after"),
        ('{"a": [1', 1, 9, "the file ends"),
        ("", 1, 1, "the file ends"),
        ("[" * 5000, 1, MAX_DEPTH + 2, "nested deeper"),
    ],
)
def test_what_is_not_json_is_told_by_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(Malformed, match=message) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)


class TestComments:
    def test_they_are_blanked_where_they_stand(self) -> None:
        text = '{ // "a": 1\r\n  "b": "// no", /* x\n y */ "c\\"/*": 2 } // end'
        blank = blank_comments(text)
        assert len(blank) == len(text)
        assert parse(blank).value == {"b": "// no", 'c"/*': 2}
        assert [line.rstrip() for line in blank.split("\n")] == [
            "{",
            '  "b": "// no",',
            '      "c\\"/*": 2 }',
        ]

    def test_one_that_never_ends_is_the_end_of_the_document(self) -> None:
        with pytest.raises(Malformed, match=r"line 1, column 25: .* the file ends"):
            append('{"a": 1 /* never closed }'[:-1], (), 1, key="b")

    def test_what_is_appended_comes_behind_the_comment_on_the_last_line(self) -> None:
        text = '{\n  // top\n  "a": 1, // of a\n  "b": [2] // of b\n  // "c": 3\n}\n'
        longer = append(text, (), 3, key="d")
        assert longer == text.replace("[2] // of b\n", '[2], // of b\n  "d": 3\n')
        assert cut(longer, ("d",)) == text

    def test_it_may_need_a_line_of_its_own(self) -> None:
        text = '{"a": [1] // why\n}'
        assert append(text, (), 2, key="b") == '{"a": [1], // why\n"b": 2\n}'
        assert append('{"a": [1] /* why */}', (), 2, key="b") == '{"a": [1], "b": 2 /* why */}'

    @pytest.mark.parametrize(
        "text",
        ["{\n  // nothing yet\n}", "{/* nothing */}", "{ // nothing\r\n}", "{\n  /* a */\n  // b\n\n}"],
    )
    def test_what_holds_comments_alone_holds_them_before_and_after(self, text: str) -> None:
        longer = append(text, (), [1], key="a")
        assert parse(blank_comments(longer)).value == {"a": [1]}
        assert cut(longer, ("a",)) == text

    def test_a_comment_outlives_its_neighbour(self) -> None:
        text = '{\n  "a": 1, // of a, or so\n  // of b\n  "b": 2, /* of c */\n  "c": 3 // end\n}'
        assert cut(text, ("a",)) == '{\n  // of a, or so\n  // of b\n  "b": 2, /* of c */\n  "c": 3 // end\n}'
        assert (
            cut(text, ("b",)) == '{\n  "a": 1 // of a, or so\n  // of b\n  , /* of c */\n  "c": 3 // end\n}'
        )
        assert cut('{"a": 1 // end\n}', ("a",)) == "{ // end\n}"
        assert cut('{ // of a\n  "a": 1 }', ("a",)) == "{ // of a\n   }"


def test_a_number_of_thousands_of_digits_is_no_obstacle() -> None:
    text = '{"a": ' + "1" * 5000 + "}"
    assert cut(append(text, (), 1, key="b"), ("b",)) == text


_SPACE = st.text(" \t\n", max_size=3) | st.just("\r\n  ")
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


_COMMENTED = _SPACE | st.sampled_from(
    ["// a, b\n", "/* { */", " /* a\n, */ ", "\n  // c \r\n\t", "// /*\n// */\n"]
)


@st.composite
def _documents(draw: st.DrawFn, space: st.SearchStrategy[str] = _SPACE) -> tuple[str, object]:
    """A document spaced at random, token by token or as json.dumps does, and what it means."""
    value = draw(st.dictionaries(st.text(), _VALUES, max_size=4) | st.lists(_VALUES, max_size=4))
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, "", 2, 4, "\t"]))
        separators = draw(st.sampled_from([None, (",", ":"), (" , ", " : "), (",", ": ")]))
        text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
        text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    else:
        text = _spaced(draw, value, space)
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"])), value


def _spaced(draw: st.DrawFn, value: object, space: st.SearchStrategy[str]) -> str:
    s = draw(st.lists(space, min_size=4, max_size=4))
    if isinstance(value, dict):
        inner = [
            f"{s[0]}{json.dumps(k)}{s[1]}:{s[2]}{_spaced(draw, v, space)}{s[3]}" for k, v in value.items()
        ]
        return "{" + (",".join(inner) or s[0]) + "}"
    if isinstance(value, list):
        return "[" + (",".join(f"{s[0]}{_spaced(draw, v, space)}{s[1]}" for v in value) or s[0]) + "]"
    return json.dumps(value)


def _paths(value: object, here: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all objects and lists."""
    if not isinstance(value, dict | list):
        return []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [here, *(path for step, below in inner for path in _paths(below, (*here, step)))]


def test_white_space_behind_a_comma_does_not_become_a_part_of_a_comment() -> None:
    text = "[1,\t\n2 // two\n]"
    longer = append(text, (), 3)
    assert longer == "[1,\t\n2, // two\n3\n]"
    assert cut(longer, (2,)) == text


@given(_documents() | _documents(_COMMENTED), _VALUES, st.data())
def test_cut_undoes_append_to_the_byte(
    document: tuple[str, object], new: object, data: st.DataObject
) -> None:
    text, value = document
    path = data.draw(st.sampled_from(_paths(value)))
    parent = find(parse(blank_comments(text)), path)
    assert parent is not None
    is_object = isinstance(parent.value, dict)
    step = "ours" if is_object else len(parent.items)
    longer = append(text, path, new, key="ours" if is_object else "")

    content: Any = json.loads(blank_comments(longer).removeprefix("\ufeff"))
    for part in (*path, step):
        content = content[part]
    assert content == new
    assert cut(longer, (*path, step)) == text


@given(_documents(_COMMENTED), st.data())
def test_cut_keeps_every_comment_outside_of_what_it_cuts(
    document: tuple[str, Any], data: st.DataObject
) -> None:
    text, value = document
    steps: list[str | int] = [*value] if isinstance(value, dict) else [*range(len(value))]
    assume(steps)
    step = data.draw(st.sampled_from(steps))
    root = parse(blank_comments(text))
    item = root.items[index(root, step) or 0]
    around = comments(text[: item.start]) + comments(text[item.end :])
    shorter = cut(text, (step,))
    del value[step]
    assert json.loads(blank_comments(shorter).removeprefix("\ufeff")) == value
    assert len(comments(shorter)) == len(around)


@given(_documents())
def test_reading_agrees_with_the_standard_library(document: tuple[str, object]) -> None:
    text, _ = document
    assert parse(text).value == json.loads(text.removeprefix("\ufeff"), parse_int=float)
