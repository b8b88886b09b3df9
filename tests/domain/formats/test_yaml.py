"""YAML mappings read leniently, with the lines of their keys."""

from __future__ import annotations

import datetime as dt

import pytest

from ctxrepo.domain.formats.yaml import NotYamlError, RepeatedKey, odd_character, quoted, read, render


def read_inner(inner: str) -> dict[str, object]:
    return read(f"---\n{inner}---\n").metadata


def test_each_key_has_its_line_and_of_one_that_is_repeated_the_last_holds() -> None:
    head = read("---\na: yes\nb:\n  - 1\na: 2026-99-99\n---\n")
    assert head.metadata == {"a": "2026-99-99", "b": [1]}
    assert head.lines == {"a": 5, "b": 3}
    assert head.repeated == [RepeatedKey("a", 5, 2)]


def test_a_field_may_have_any_name() -> None:
    """Post takes fields by keyword: `frontmatter.loads` raises TypeError at each of these."""
    assert read_inner("content: a\nhandler: b\nself: c\n1: d\n") == {
        "content": "a",
        "handler": "b",
        "self": "c",
        "1": "d",
    }


@pytest.mark.parametrize(
    "head", ["---\na: b\n---\n", "\ufeff--- \r\na: b\r\n---\t", "---\na: b\n---", "---\n# c\n\na: b\n---\n"]
)
def test_a_head_ends_where_we_say_that_it_does(head: str) -> None:
    assert read(head).metadata == {"a": "b"}


def test_more_than_three_dashes_end_no_head() -> None:
    assert read_inner("a: b\n----: c\n") == {"a": "b", "----": "c"}


@pytest.mark.parametrize(
    ("inner", "problem", "line"),
    [
        ("a: b\nc: [\n", "expected", 4),
        ("a: &x 1\nb: *x\n", "aliases are not allowed", 3),
        ("a: " + "[" * 30 + "]" * 30 + "\n", "nested deeper than 20 levels", 2),
        ("- a\n", "not a list of `key: value` lines", 1),
    ],
)
def test_why_a_head_is_no_mapping_is_told_with_its_line(inner: str, problem: str, line: int) -> None:
    with pytest.raises(NotYamlError, match=problem) as caught:
        read_inner(inner)
    assert caught.value.line == line


def test_characters_that_yaml_does_not_take_are_named_and_replaced() -> None:
    assert odd_character("a: b\nc: \x07\n") == ("\x07", 2)
    assert odd_character("a: b\n") is None
    assert read_inner("c: x\x07\n") == {"c": "x\ufffd"}


@pytest.mark.parametrize("text", ["no", "1", "a: b", 'say "x"', "a\nb", "é" * 300])
def test_what_is_quoted_reads_back_on_one_line(text: str) -> None:
    line = quoted(text)
    assert "\n" not in line
    assert read_inner(f"a: {line}\n") == {"a": text}


def test_a_new_head_has_its_keys_in_order_each_on_one_line() -> None:
    fields = {"z": "plain", "content": ["a b", "no", "0x1f"], "a": 'say "é"', "on": dt.date(2026, 11, 20)}
    assert render(fields) == (
        '---\nz: plain\ncontent: [a b, "no", "0x1f"]\na: "say \\"é\\""\n"on": 2026-11-20\n---\n'
    )
    assert render({"a": "é " * 300 + "é"}) == '---\na: "' + "é " * 300 + 'é"\n---\n'
