"""Cutting bodies into blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.markdown import closed, lines_of, split_blocks

pieces = st.sampled_from(
    [
        *"\n\r\t #-*+`~><!1.[]^ab\f\u2028é",
        "```",
        "~~~",
        "<!--",
        "-->",
        "---",
        "- ",
        "  - ",
        "## ",
        "\n\n",
        "\r\n",
        "1. ",
    ]
)
bodies = st.one_of(st.text(), st.lists(pieces, max_size=40).map("".join))


def shape(body: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in split_blocks(body)]


@given(bodies)
def test_the_blocks_joined_are_the_body(body: str) -> None:
    assert "".join(block.raw for block in split_blocks(body)) == body


@given(bodies)
def test_blocks_know_their_lines(body: str) -> None:
    lines = lines_of(body)
    for block in split_blocks(body):
        assert "".join(lines[block.line - 1 : block.line - 1 + len(lines_of(block.raw))]) == block.raw
        assert block.line <= block.last_line <= max(len(lines), 1)


@given(bodies)
def test_every_block_but_leading_blank_lines_says_something(body: str) -> None:
    for number, block in enumerate(split_blocks(body)):
        assert (block.kind == "blank") == (not block.text)
        assert block.text or number == 0
        assert not block.after.strip()


@given(bodies)
def test_what_follows_a_closed_body_is_a_block_of_its_own(body: str) -> None:
    whole = closed(body)
    assert whole.startswith(body)
    newline = "" if not whole or whole.endswith("\n") else "\n"
    assert split_blocks(whole + newline + "# next\n")[-1].text == "# next\n"


@pytest.mark.parametrize("code", ["", "\n", "code\n", "  code\n", "      code\n"])
def test_a_fence_is_closed_as_deep_as_it_was_opened_however_deep_its_code_is(code: str) -> None:
    assert closed(f"- a\n  ```\n{code}") == f"- a\n  ```\n{code}  ```\n"


def test_bullets_keep_what_hangs_under_them() -> None:
    body = "- a\n  more\n  - below\n\n  and more\n- b\n\nA paragraph\nof two lines\n"
    assert shape(body) == [
        ("bullet", "- a\n  more\n  - below\n\n  and more\n"),
        ("bullet", "- b\n"),
        ("paragraph", "A paragraph\nof two lines\n"),
    ]


def test_blocks_stand_under_their_headings() -> None:
    body = "# A\n- x\n### C\n- y\n## B ##\n- z\n"
    assert [block.heading for block in split_blocks(body)] == [
        ("A",), ("A",), ("A", "C"), ("A", "C"), ("A", "B"), ("A", "B"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "block",
    [
        "```\n# no heading\n\n- no bullet\n```\n",
        "~~~~\n```\n~~~~\n",
        "- a\n  ```sh\n  # no heading\n\n- no bullet\n  ```\n  after\n",
        "- ```sh\n  # no heading\n  ```\n",
        "<!-- two\n\n- lines -->\n",
    ],
)
def test_fences_and_comments_stay_whole(block: str) -> None:
    assert [text for _, text in shape(block + "\n- next\n")] == [block, "- next\n"]


@pytest.mark.parametrize("line", ["`````inline``` code\n", "```inline``` code\n"])
def test_code_within_a_line_opens_no_fence(line: str) -> None:
    assert shape(line + "- next\n") == [("paragraph", line), ("bullet", "- next\n")]


def test_a_comment_below_a_heading_is_a_comment() -> None:
    assert shape("# A\n<!-- c -->\n- a\n") == [
        ("heading", "# A\n"),
        ("comment", "<!-- c -->\n"),
        ("bullet", "- a\n"),
    ]


def test_a_thematic_break_is_alone() -> None:
    assert shape("- a\n---\nb\n\n* * *\n- c\n") == [
        ("bullet", "- a\n"), ("paragraph", "---\n"),
        ("paragraph", "b\n"), ("paragraph", "* * *\n"), ("bullet", "- c\n"),
    ]  # fmt: skip


def test_lines_are_counted_as_editors_count_them() -> None:
    assert lines_of("a\f\u2028b\r\nc") == ["a\f\u2028b\r\n", "c"]
    assert [block.line for block in split_blocks("\n\n- a\n\n- b\n")] == [1, 3, 5]
