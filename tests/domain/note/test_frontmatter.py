"""Heads of notes: read leniently, changed one field at a time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.frontmatter import field_line, read, render, set_field, split

HEAD = """\
---
# by hand
description: How we build
tags:
  - make
  - ci
created: 2026-01-05  # day one
x: |
  a: b
---
"""
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
keys = st.sampled_from(["description", "tags", "created", "updated", "x", "owner"])
words = st.text("abc-é: #,[]\"'😀\n", max_size=6) | st.sampled_from(
    ["yes", "Null", "0x1f", "0b10", "007", "1_000", "1e3", "2026-01-31", "2026-13-01", "0999-01-01", "-", "~"]
)
values = st.one_of(texts, words, st.lists(words, max_size=4))


@pytest.mark.parametrize(
    ("tags", "wanted"),
    [
        ('tags:\n  - "alpha"\n  - beta b\n', ("alpha", "beta b")),
        ("tags:\n- 'alpha'\n", ("alpha",)),
        ('tags: ["alpha", beta]\n', ("alpha", "beta")),
        ("tags: alpha, beta\n", ("alpha", "beta")),
        ("tags:\n  - *all\n  - {a: b}\n", ()),
        ("tags: &all [alpha]\n", ()),
    ],
)
def test_tags_of_a_head_that_is_no_yaml_are_taken_for_what_they_look_like(
    tags: str, wanted: tuple[str, ...]
) -> None:
    head = read(f'---\ndescription: "The "big" picture"\n{tags}created: 2026-01-01\n---\n- x\n')
    assert (head.description, head.tags, head.created) == ('The "big" picture', wanted, "2026-01-01")


def test_it_reads_what_is_there() -> None:
    head = read(HEAD + "body\n")
    assert (head.description, head.tags, head.created, head.updated) == (
        "How we build",
        ("make", "ci"),
        "2026-01-05",
        "",
    )
    assert (head.lines, head.problem) == (10, "")
    assert head.fields["x"] == "a: b\n"


@pytest.mark.parametrize(
    "text", ["", "body\n", "--- \nnot closed", "a\n---\nb: 1\n---\n", "\n---\na: 1\n---\n"]
)
def test_a_note_without_a_head_is_all_body(text: str) -> None:
    assert split(text) == ("", text)


def test_a_head_may_have_a_mark_carriage_returns_and_no_last_newline() -> None:
    head = "\ufeff---\r\ndescription: d\r\n---"
    assert split(head) == (head, "")
    assert read(head).description == "d"


@pytest.mark.parametrize(
    ("inner", "problem"),
    [
        ("a: [1\n", "not readable YAML"),
        ("- a\n- b\n", "not readable YAML"),
        ("a: &x 1\nb: *x\n", "aliases"),
        ("a: " + "[" * 50 + "]" * 50 + "\n", "deeper than"),
        ("a: " + "x" * 70_000 + "\n", "larger than"),
        ("tags: {a: 1}\n", "tags is not a list"),
        ("description: [a]\n", "description is not a text"),
        ("a: !!python/object:os.system x\n", "not readable YAML"),
    ],
)
def test_what_cannot_be_read_as_meant_is_a_problem_in_one_line(inner: str, problem: str) -> None:
    head = read(f"---\n{inner}---\nbody\n")
    assert problem in head.problem
    assert "\n" not in head.problem


def test_a_head_that_is_never_closed_is_a_problem() -> None:
    assert "never closed" in read("---\na: 1\n").problem


def test_setting_a_field_changes_that_field_only() -> None:
    assert set_field(HEAD, "created", "2026-01-06") == HEAD.replace("2026-01-05  # day one", "2026-01-06")
    assert set_field(HEAD, "tags", ["a b", "c"]) == HEAD.replace("\n  - make\n  - ci", " [a b, c]")
    assert set_field(HEAD + "b", "owner", "ada") == HEAD.replace("a: b\n", "a: b\nowner: ada\n") + "b"
    assert set_field("body", "owner", "ada") == "---\nowner: ada\n---\nbody"


def test_line_ends_of_the_head_are_kept() -> None:
    assert set_field("---\r\na: 1\r\n---\r\nb\n", "a", "two") == "---\r\na: two\r\n---\r\nb\n"


@given(keys, values, st.sampled_from(["", "body\n", HEAD, HEAD + "- a\n", HEAD.replace("\n", "\r\n") + "b"]))
def test_a_field_that_was_set_reads_back_and_the_others_as_before(
    key: str, value: str | list[str], text: str
) -> None:
    changed = set_field(text, key, value)
    before, after = read(text), read(changed)
    meant = value if isinstance(value, list) else " ".join(value.split())
    field = after.fields[key]
    assert (str(field) if isinstance(meant, str) else field) == meant
    assert {k: v for k, v in after.fields.items() if k != key} == {
        k: v for k, v in before.fields.items() if k != key
    }
    assert split(changed)[1] == split(text)[1]
    assert set_field(changed, key, value) == changed


@given(st.dictionaries(st.sampled_from(["description", "tags", "updated"]), values))
def test_a_rendered_head_reads_back_and_is_as_the_splice_would_write_it(
    fields: dict[str, str | list[str]],
) -> None:
    head = read(render(fields) + "body").fields
    assert list(head) == list(fields)
    lines = "".join(field_line(key, value) + "\n" for key, value in fields.items())
    assert not fields or render(fields) == f"---\n{lines}---\n"
    for key, value in fields.items():
        assert head[key] == value if isinstance(value, list) else str(head[key]) == " ".join(value.split())
