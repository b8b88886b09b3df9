"""YAML mappings read leniently, with the lines of their keys."""

from __future__ import annotations

import pytest

from ctxrepo.domain.formats.yaml import NotYamlError, RepeatedKey, odd_character, quoted, read


def test_each_key_has_its_line_and_of_one_that_is_repeated_the_last_holds() -> None:
    found = read("a: yes\nb:\n  - 1\na: 2026-99-99\n")
    assert found.fields == {"a": "2026-99-99", "b": [1]}
    assert found.lines == {"a": 4, "b": 2}
    assert found.repeated == (RepeatedKey("a", 4, 1),)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a: b\nc: [\n", "expected", 3),
        ("a: &x 1\nb: *x\n", "aliases are not allowed", 2),
        ("a: " + "[" * 30 + "]" * 30, "nested deeper than 20 levels", 1),
        ("- a\n", "not a list of `key: value` lines", 0),
    ],
)
def test_what_is_no_mapping_is_told_with_its_line(text: str, said: str, line: int) -> None:
    with pytest.raises(NotYamlError, match=said) as found:
        read(text)
    assert found.value.line == line


def test_what_yaml_does_not_take_is_found_and_replaced() -> None:
    assert odd_character("a: b\nc: \x07\n") == ("\x07", 2)
    assert odd_character("a: b\n") is None
    assert read("c: x\x07\n").fields == {"c": "x\ufffd"}


@pytest.mark.parametrize("text", ["no", "1", "a: b", 'say "x"', "a\nb", "é" * 300])
def test_what_is_quoted_reads_back_on_one_line(text: str) -> None:
    line = quoted(text)
    assert "\n" not in line
    assert read(f"a: {line}\n").fields == {"a": text}
