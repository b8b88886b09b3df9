"""What is read without the YAML library is exactly what the library reads."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxrepo.domain.formats.plain_yaml import read_plain
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.frontmatter import Head

PIECES = st.sampled_from(
    [
        *"abcxyzXYZ019 -_:#,.'\"[]{}&*!|>%@`~?=\\/+()\t\n\r",
        "é",
        "日",
        "\u00a0",
        "\u2028",
        "\x85",
        "\ufeff",
        "\U0001f600",
        "true",
        "No",
        "null",
        "2024-01-31",
        "2024-13-01",
        "12:30",
        "0x1f",
        "1e3",
        ": ",
        " #",
        "- ",
        "\n  - ",
        "\n- ",
        "tags: [a, b]\n",
        "description: ",
        "updated: 2024-02-03\n",
    ]
)
VALUES = st.lists(PIECES, max_size=6).map("".join)
HEADS = st.lists(
    st.tuples(st.sampled_from(["description", "tags", "created", "x", "yes"]), VALUES), max_size=4
)


def by_the_library(text: str) -> Head:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontmatter, "read_plain", lambda _: None)
        return frontmatter.read(text)


@pytest.mark.slow
@settings(max_examples=10 * settings().max_examples)
@given(
    HEADS.map(lambda pairs: "".join(f"{key}: {value}\n" for key, value in pairs)) | VALUES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["---\n", "\ufeff---\n", "--- \t\n"]),
)
def test_what_is_read_is_what_the_library_reads(inner: str, newline: str, opening: str) -> None:
    text = f"{opening}{inner}\n---\nbody\n".replace("\n", newline)
    quick, slow = frontmatter.read(text), by_the_library(text)
    assert quick == slow
    assert [type(value) for value in quick.fields.values()] == [type(value) for value in slow.fields.values()]


def test_usual_heads_are_read() -> None:
    assert read_plain(
        "description: Where the money goes, billing\n"
        "tags: [billing, api v2]\ncreated: 2024-01-31\npriority: 2\nlinks:\n  - one\n  - two words\n"
        'title: "It: is # quoted"\nempty:\n'
    ) == (
        {
            "description": "Where the money goes, billing",
            "tags": ["billing", "api v2"],
            "created": dt.date(2024, 1, 31),
            "priority": 2,
            "links": ["one", "two words"],
            "title": "It: is # quoted",
            "empty": None,
        },
        {"description": 2, "tags": 3, "created": 4, "priority": 5, "links": 6, "title": 9, "empty": 10},
    )


@pytest.mark.parametrize(
    "inner",
    [
        "description: a: b\n",
        "description: text # comment\n",
        "description: >-\n  folded\n",
        "description: *alias\n",
        "description: true\n",
        "a: 1\na: 2\n",
        "a: text\n  goes on\n",
        "a:\n  b: nested\n",
        "a: 2024-02-30\n",
        'a: "say \\"it\\""\n',
        "a: 'it''s'\n",
        "a: [b, [c]]\n",
        "- a\n",
        "a: 012\n",
        "# comment\na: b\n",
    ],
)
def test_what_may_mean_more_is_left_to_the_library(inner: str) -> None:
    assert read_plain(inner) is None
