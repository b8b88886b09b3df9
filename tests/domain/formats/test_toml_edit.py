"""TOML edited without touching what stands around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.formats.toml import read
from ctxrepo.domain.formats.toml_edit import (
    with_first_table,
    with_table,
    with_value,
    without_empty,
    without_table,
)
from ctxrepo.errors import ConfigError

TEXT = '# top\nformat = 1  # one\n\n[projects]\n"a/b" = "b"  # b\n\n[[repository]]\npath = "x"\n'
names = st.text("abc./é -", min_size=1, max_size=8)
values = st.one_of(
    st.text(max_size=8), st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(st.text(max_size=3))
)


def test_a_value_is_set_in_its_table_and_nothing_else_changes() -> None:
    assert with_value(TEXT, "projects", "a/b", "c") == TEXT.replace('"b"  # b', '"c"  # b')
    assert with_value(TEXT, "projects", "c/d", "d") == TEXT.replace("# b\n", '# b\n"c/d" = "d"\n')
    assert with_value(TEXT, "", "format", 2) == TEXT.replace("format = 1", "format = 2")
    assert with_value(TEXT, "projects", "a/b", "b") == TEXT


def test_none_removes_the_value() -> None:
    assert read(with_value(TEXT, "projects", "a/b", None))["projects"] == {}
    assert with_value(TEXT, "projects", "nowhere", None) == TEXT


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_where_a_table_stands_in_parts_its_header_and_comments_stay(end: str) -> None:
    text = "[a.z]\nb = 1\n[a]\n# my own words\nx.c = [\n  1,\n]\nx.d = 2 # d\ny = 3\n# about b\n[b]\n"
    text = text.replace("\n", end)
    for key, gone in (("y", "y = 3\n"), ("x", "x.c = [\n  1,\n]\nx.d = 2 # d\n")):
        left = text.replace(gone.replace("\n", end), "")
        assert with_value(text, "a", key, None) == left != text
    last = f"[a.z]{end}b = 1{end}[a]{end}# my own words{end}y = 3{end}[b]{end}"
    assert with_value(last, "a", "y", None) == last.replace(f"y = 3{end}", "")


@pytest.mark.parametrize(
    "text",
    ["a.x = 1\na.y = 2\n", "a = {x = 1, y = 2}\n", "[a.x]\nz = 1\n[a]\ny = 2\n", "[[a]]\nx = 1\ny = 2\n",
     "a = [{x = 1, y = 2}]\n", "[a]\nx.p = 1\n[a.x.q]\n[a.z]\n", "[[a]]\ny = 1\n[[a]]\nx = 2\n"],
)  # fmt: skip
def test_however_a_table_is_written_the_value_goes(text: str) -> None:
    expected = read(text)
    place = expected["a"][0] if isinstance(expected["a"], list) else expected["a"]
    place.pop("x", None)
    assert read(with_value(text, "a", "x", None)) == expected


def test_a_missing_table_is_made() -> None:
    text = with_value(TEXT, "policy", "max", 3)
    assert text.startswith(TEXT)
    assert read(text)["policy"] == {"max": 3}


def test_a_value_at_the_top_stays_at_the_top() -> None:
    assert read(with_value(TEXT, "", "colour", "red"))["colour"] == "red"


def test_the_first_of_many_tables_is_changed_or_made() -> None:
    two = TEXT + '\n[[repository]]\npath = "y"\n'
    assert with_first_table(two, "repository", {"path": "z"}) == two.replace('"x"', '"z"')
    assert read(with_first_table("", "repository", {"path": "z"})) == {"repository": [{"path": "z"}]}


def test_tables_in_a_list_stay_in_it() -> None:
    text = 'r = [ # all\n  {path = "x", remote = "y"}, # one\n  {path = "z"},\n]\n'
    assert with_first_table(text, "r", {"remote": ""}) == text.replace('"y"', '""')
    more = read(with_first_table(text, "r", {"branch": "b"}))["r"]
    assert more == [{"path": "x", "remote": "y", "branch": "b"}, {"path": "z"}]
    assert read(with_first_table("r = []\n", "r", {"path": "x"})) == {"r": [{"path": "x"}]}


def test_what_is_new_stands_right_below_its_section() -> None:
    text = "[a] # one\nx = [\n  1, # x\n]\n\n# about b\n[b]\ny = 2"
    assert with_value(text, "a", "z", True) == text.replace("\n]\n", "\n]\nz = true\n")
    assert with_value(text, "b", "z", True) == f"{text}\nz = true\n"
    assert with_value(text, "c", "z", True) == f"{text}\n\n[c]\nz = true\n"
    assert with_value("[a]\r\nx = 1\r\n", "a", "z", 2) == "[a]\r\nx = 1\r\nz = 2\r\n"
    assert with_value("a.x = 1\n", "a", "z", 2) == "a.x = 1\na.z = 2\n"


def test_comments_between_the_items_of_a_list_stay() -> None:
    text = '[a]\nx = [\n  "b", # bee\n  "c", # see\n]\n'
    assert with_value(text, "a", "x", ["c"]) == '[a]\nx = [\n  "c", # see\n]\n'
    assert with_value(text, "a", "x", ["b", "c", "d"]) == text.replace("see\n", 'see\n  "d",\n')
    assert read(with_value(text, "a", "x", ["c", "b"])) == {"a": {"x": ["c", "b"]}}


def test_true_is_not_one() -> None:
    assert with_value("[a]\nx = 1\n", "a", "x", True) == "[a]\nx = true\n"


@pytest.mark.parametrize("text", ["[", "a = ", "a = 1\na = 2\n", "a = " + "[" * 5000])
def test_what_is_no_toml_is_an_error(text: str) -> None:
    for attempt in (
        read,
        lambda t: with_value(t, "", "x", 1),
        lambda t: with_first_table(t, "x", {"a": "b"}),
    ):
        with pytest.raises(ConfigError):
            attempt(text)


@given(st.one_of(st.just(""), names), names, values)
def test_what_was_set_reads_back(table: str, key: str, value: object) -> None:
    text = with_value(TEXT, table, key, value)
    content = read(text)
    assert (content[table] if table else content)[key] == value
    assert with_value(text, table, key, value) == text
    expected = read(TEXT)
    (expected.setdefault(table, {}) if table else expected)[key] = value
    assert content == expected


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[a]\n", ""),
        ("x = 1\n\n[a]\n", "x = 1\n"),
        ("[a]\n\n[b]\nx = 1\n", "[b]\nx = 1\n"),
        ("[a]\r\n\r\n[b]\r\nx = 1\r\n", "[b]\r\nx = 1\r\n"),
    ],
)
def test_a_table_in_which_nothing_stands_goes_with_what_set_it_off(text: str, left: str) -> None:
    assert without_empty(text, "a") == left


@pytest.mark.parametrize(
    "text",
    ["[a]\nx = 1\n", "[a]\n# a word of mine\n", "[a] # a word of mine\n", "[[a]]\n", "[a.b]\n", "[b]\n",
     "a = {}\n", "[a]\n# about b\n[b]\n"],
)  # fmt: skip
def test_any_other_table_stays(text: str) -> None:
    assert without_empty(text, "a") == text


@pytest.mark.parametrize("text", ["", "x = 1\n", "[b]\ny = 1\n", "# mine\n\n[b]\ny = 1\n\n# after\n"])
def test_what_is_set_and_taken_out_again_leaves_the_file_as_it_was(text: str) -> None:
    assert without_empty(with_value(with_value(text, "a", "x", 1), "a", "x", None), "a") == text


def test_a_table_below_another_is_made_at_the_end_and_changed_where_it_stands() -> None:
    made = with_table(TEXT, ("a", "b"), {"x": 1, "y": {"z": 2}, "none": None})
    assert made == TEXT + "\n[a.b]\nx = 1\ny = {z = 2}\n"
    changed = with_table(made.replace("x = 1", "x = 1 # mine\nmore = 3"), ("a", "b"), {"x": 4, "y": None})
    assert changed == TEXT + "\n[a.b]\nx = 4 # mine\nmore = 3\n"
    assert with_table(made, ("a", "b"), {"x": 1}) == made


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[a.b]\nx = 1\n", ""),
        ("x = 1\n\n[a.b]\ny = 2\n\n[a.b.c]\nz = [\n  3,\n]\n", "x = 1\n"),
        ("[a]\nx = 1\n\n[a.b]\ny = 2\n\n[a.bc]\nz = 3\n", "[a]\nx = 1\n\n[a.bc]\nz = 3\n"),
        ("[a.b]\n# mine\ny = 2\n", "# mine\n"),
        ("a = {b = {x = 1}, c = 2}\n", "a = { c = 2}\n"),
        ("a.b.x = 1\na.c = 2\n", "a.c = 2\n"),
        ("[a]\nx = 1\n", "[a]\nx = 1\n"),
        ("a = 1\n", "a = 1\n"),
    ],
)
def test_a_table_goes_with_those_below_it_and_comments_stay(text: str, left: str) -> None:
    assert without_table(text, ("a", "b")) == left
