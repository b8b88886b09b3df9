"""A block in somebody else's file: whatever is around it stays, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxrepo.domain.working.managed import BEGIN, END, MarkersDamaged, cut, has_block, inert, put

MARKS = (BEGIN.encode(), END.encode())

pieces = st.sampled_from([b"\n", b"\r\n", b"a", b"# Title", b" ", b"\xff", "é".encode(), b"<!-- x -->"])
hands = st.lists(pieces, max_size=12).map(b"".join)
texts = st.lists(
    st.sampled_from(["one\n", "# two\n", BEGIN + "\n", END + "\n", END, "\n", "<!-- ctxrepo:", "é"]),
    max_size=8,
).map("".join)


@given(hands, st.lists(texts, min_size=1, max_size=4))
def test_put_renewed_and_cut_a_text_is_as_it_was(hand: bytes, memories: list[str]) -> None:
    placed = put(hand, memories[0])
    data = placed.data
    for text in memories:
        data = put(data, text).data
        assert has_block(data)
        assert put(data, text).data == data
    assert cut(data, placed.glue) == hand
    assert not has_block(cut(data, placed.glue))


@given(hands, hands, hands, st.lists(texts, min_size=1, max_size=3))
def test_what_a_person_writes_around_it_stays(
    hand: bytes, before: bytes, after: bytes, memories: list[str]
) -> None:
    placed = put(hand, memories[0])
    start = placed.data.index(MARKS[0])
    # A person writes a line above the block, and more below it.
    data = before + b"\n" + placed.data[:start] + placed.data[start:] + after
    for text in memories:
        data = put(data, text).data
    assert cut(data, placed.glue) == before + b"\n" + hand + after


@given(texts)
def test_memory_can_not_end_the_block(text: str) -> None:
    data = put(b"hand\n", text).data
    assert [data.count(mark) for mark in MARKS] == [1, 1]


def test_it_stands_where_its_markers_are() -> None:
    data = f"above\n{BEGIN}\nold\n{END}\nbelow".encode()
    assert put(data, "new").data == f"above\n{BEGIN}\nnew\n{END}\nbelow".encode()
    assert cut(data) == b"above\nbelow"


def test_lines_end_as_the_persons_do() -> None:
    assert put(b"a\r\nb\r\n", "x\ny").data.count(b"\r\n") == put(b"a\r\nb\r\n", "x\ny").data.count(b"\n")


def test_glue_that_a_person_took_away_is_not_taken_from_their_text() -> None:
    placed = put(b"a", "x")
    data = placed.data.replace(b"a" + placed.glue, b"b\n")
    assert cut(data, placed.glue) == b"b\n"


@pytest.mark.parametrize(
    "text",
    [
        BEGIN,
        f"{END}\n",
        f"{END}\n{BEGIN}\n",
        f"{BEGIN}\n{BEGIN}\n{END}\n",
        f"{BEGIN}\na\n{END} and more\n",
        f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n",
    ],
)
def test_damaged_markers_are_left_alone(text: str) -> None:
    for act in (
        lambda: has_block(text.encode()),
        lambda: put(text.encode(), "x"),
        lambda: cut(text.encode()),
    ):
        with pytest.raises(MarkersDamaged, match="it has"):
            act()


@given(hands)
def test_a_mention_of_the_markers_is_none(hand: bytes) -> None:
    data = hand + b"\nSee `" + MARKS[0] + b"` and `" + MARKS[1] + b"`.\n"
    assert not has_block(data)
    assert cut(data) == data


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("@README.md", "\\u{40}README.md"),
        ("see @~/.ssh/config and (@/etc/passwd)", "see \\u{40}~/.ssh/config and (\\u{40}/etc/passwd)"),
        ("\u3000@x.md\t@./y.md", "\u3000\\u{40}x.md\t\\u{40}./y.md"),
        ("- @x", "- \\u{40}x"),
        ("write to ada@example.org, a @ b, x@README.md", "write to ada@example.org, a @ b, x@README.md"),
        ("use #file:secret.txt and #tool:run", "use \\u{23}file:secret.txt and \\u{23}tool:run"),
        ("\\#file:x", "\\u{23}file:x"),
        ("issue #12, https://x.org/#a:b, shop/a.md#L10", "issue #12, https://x.org/#a:b, shop/a.md#L10"),
    ],
)
def test_a_note_takes_no_other_file_in(text: str, written: str) -> None:
    assert inert(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "a\n```sh\nmake\n```\nb",
        "- x:\n\n  ```make\n  all:\n  \tgo\n  ```\n- y",
        "~~~\n x\n~~~~",
        "> ```\n> x\n> ```",
    ],
)
def test_code_that_ends_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("```\nmake", "\\u{60}``\nmake"),
        ("a\n~~~\n", "a\n\\u{7e}~~\n"),
        ("```\nx\n  ```\ny\n```", "```\nx\n  \\u{60}``\ny\n```"),
        ("  ```\nx\n  ```", "  \\u{60}``\nx\n  \\u{60}``"),
        ("- ```\n- ```", "- \\u{60}``\n- \\u{60}``"),
        ("1. ```\n   x\n   ```", "1. \\u{60}``\n   x\n   \\u{60}``"),
        ("```\n## shop/a.md\n```\nx", "\\u{60}``\n## shop/a.md\n\\u{60}``\nx"),
        ("```~~~~```\n```", "\\u{60}``~~~~```\n\\u{60}``"),
        ("<x>\n```\n\n```\ny", "<x>\n\\u{60}``\n\n\\u{60}``\ny"),
    ],
)
def test_code_without_an_end_is_none(text: str, written: str) -> None:
    assert inert(text) == written


@example("```\n\n```")
@given(
    st.lists(
        st.sampled_from(
            ["```", "~~~~", "````", "  ", "> ", "- ", "1. ", "\n", "\n\n", "x", "@", "<a>", "## s", "sh"]
        ),
        max_size=24,
    ).map("".join)
)
def test_what_a_person_writes_below_is_never_code(text: str) -> None:
    data = put(b"", text).data.decode() + "\n@docs/house.md\n"
    assert not _is_code_at_end(data.split("\n"))
    assert not any(word.startswith("@") and word != "@" for word in inert(text).split())


def _is_code_at_end(lines: list[str]) -> bool:
    """Whether a fence at the margin is open at the end, as CommonMark reads it: one in a quotation or an item
    ends with that."""
    opening, is_html = "", False
    for line in lines:
        begins_html = line.startswith("<") and not line.startswith("<!--")  # our comments end with their line
        is_html = bool(line.strip()) and (is_html or (begins_html and not opening))
        bare = line.lstrip(" ")
        marks = bare[: len(bare) - len(bare.lstrip(bare[:1]))] if bare[:1] in ("`", "~") else ""
        if len(line) - len(bare) > 3 or len(marks) < 3:
            continue
        if opening:
            is_end = marks.startswith(opening) and not bare[len(marks) :].strip()
            opening = "" if is_end else opening
        elif not is_html and not (marks[0] == "`" and "`" in bare[len(marks) :]):
            opening = marks
    return bool(opening)
