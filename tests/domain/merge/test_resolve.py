"""One of two versions, or both, in a file: what else is in it stays, and all of it where it isn't sure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.merge.resolve import Keep, resolve_copy
from ctxrepo.domain.note.markdown import split_blocks
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.errors import Refused

NOTE = "shop/topics/gotcha.md"
TAPE = "TAPE/shop/h-202611.jsonl"
PORT = ConflictCopy(NOTE, "- port 1", "- port 9", "- port 5")


@pytest.mark.parametrize(
    ("copy", "text", "other", "both"),
    [
        (PORT, "# T\n\n- port 9\n- b\n", "# T\n\n- port 5\n- b\n", "# T\n\n- port 9\n- port 5\n- b\n"),
        (PORT, "# T\n\n- port 9", "# T\n\n- port 5", "# T\n\n- port 9\n- port 5"),
        (PORT, "- port 9\r\n- b\r\n", "- port 5\r\n- b\r\n", "- port 9\r\n- port 5\r\n- b\r\n"),
        (
            ConflictCopy(NOTE, "", "- a\n  - b", "- a\n  - c"),
            "- a\n  - b\n\nend\n",
            "- a\n  - c\n\nend\n",
            "- a\n  - b\n- a\n  - c\n\nend\n",
        ),
        (
            ConflictCopy(NOTE, "", "a says", "b says"),
            "# T\na says\n\nend\n",
            "# T\nb says\n\nend\n",
            "# T\na says\n\nb says\n\nend\n",
        ),
        (
            ConflictCopy(NOTE, "", "- a <!-- ^x1 -->", "- b <!-- ^x1 -->"),
            "- a <!-- ^x1 -->\n",
            "- b <!-- ^x1 -->\n",
            "- a <!-- ^x1 -->\n- b\n",
        ),
    ],
)
def test_the_other_stands_where_the_kept_one_was_or_behind_it(
    copy: ConflictCopy, text: str, other: str, both: str
) -> None:
    assert resolve_copy(text, copy, "kept", "8165") == text
    assert resolve_copy(text, copy, "other", "8165") == other
    assert resolve_copy(text, copy, "both", "8165") == both


@pytest.mark.parametrize("keep", ["other", "both"])
def test_settled_already_is_settled_again(keep: Keep) -> None:
    once = resolve_copy("- a\n- port 9\n", PORT, keep, "8165")
    assert resolve_copy(once, PORT, keep, "8165") == once


@pytest.mark.parametrize(
    ("keep", "text", "message"),
    [
        ("other", None, "is gone"),
        ("other", "- a\n", "isn't any more in"),
        ("other", "- port 9 and more\n", "isn't any more in"),
        ("other", "- port 9\n  and more\n", "isn't any more in"),
        ("other", "- port 9\n- port 9\n", "stands 2 times"),
        ("other", "- port 9\n- port 5\n", "both versions stand in"),
        ("both", "- port 5\n", "isn't any more in"),
    ],
)
def test_where_it_is_not_sure_it_says_what_to_do(keep: Keep, text: str | None, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        resolve_copy(text, PORT, keep, "8165")
    assert "resolve 8165 --keep kept" in refused.value.hint
    assert NOTE in refused.value.message


def test_a_field_of_the_head_is_replaced_and_never_doubled() -> None:
    text = "---\ndescription: a\ntags: [x]\n---\n\n- description: a\n"
    copy = ConflictCopy(NOTE, "", "description: a", "description: b")
    assert resolve_copy(text, copy, "other", "8165") == text.replace("description: a\nt", "description: b\nt")
    with pytest.raises(Refused, match="only one"):
        resolve_copy(text, copy, "both", "8165")
    with pytest.raises(Refused, match="can't be changed safely"):
        resolve_copy(text, ConflictCopy(NOTE, "", "description: a", "description: [b"), "other", "8165")


def test_a_heading_is_replaced_and_never_doubled() -> None:
    copy = ConflictCopy(NOTE, "", "## Kept", "## Other")
    assert resolve_copy("## Kept\n- a\n", copy, "other", "8165") == "## Other\n- a\n"
    with pytest.raises(Refused, match="below a heading"):
        resolve_copy("## Kept\n- a\n", copy, "both", "8165")


def test_a_line_of_json_is_replaced() -> None:
    copy = ConflictCopy(TAPE, "", '{"id": 1, "a": 1}\r', '{"id": 1, "a": 2}')
    resolved = resolve_copy('{"id": 1, "a": 1}\r\n{"id": 2}\n', copy, "other", "8165")
    assert resolved == '{"id": 1, "a": 2}\r\n{"id": 2}\n'
    with pytest.raises(Refused, match="only one"):
        resolve_copy('{"id": 1, "a": 1}\n', copy, "both", "8165")


def test_a_file_taken_whole_becomes_the_other_to_the_byte() -> None:
    copy = ConflictCopy("global/a.svg", "", "", "<b>\udcff")
    assert (
        resolve_copy("<a>\n", copy, "other", "8165")
        == resolve_copy(None, copy, "other", "8165")
        == "<b>\udcff"
    )
    assert resolve_copy(None, copy, "kept", "8165") is None
    with pytest.raises(Refused, match="only be one"):
        resolve_copy("<a>\n", copy, "both", "8165")


def test_the_registry_stays_readable() -> None:
    copy = ConflictCopy("ctxrepo.toml", "", "", "[projects\n")
    with pytest.raises(Refused, match="can't be read"):
        resolve_copy("format = 1\n", copy, "other", "8165")


blocks = st.sampled_from(
    ["- a\n", "- a\n  b\n", "words\n", "1. one\n", "# T\n", "---\n", "<!-- c -->\n", "```\nx\n```\n", "* s\n"]
)


@given(
    st.lists(st.tuples(blocks, st.sampled_from(["", "\n", "\n\n"])), max_size=3),
    st.sampled_from(["- kept", "- kept\n  - more", "kept words", "```\nkept\n```"]),
    st.sampled_from(["- other", "- other\n\n  far", "other words", "1. other", "```\nother\n```"]),
    st.lists(st.tuples(st.sampled_from(["", "\n"]), blocks), max_size=3),
    st.sampled_from(["other", "both"]),
)
def test_every_other_block_stays_what_it_is(
    before: list[tuple[str, str]], kept: str, other: str, behind: list[tuple[str, str]], keep: Keep
) -> None:
    text = "# T\n\n" + "".join(a + b for a, b in before) + kept + "\n" + "".join(a + b for a, b in behind)
    copy = ConflictCopy(NOTE, "", kept, other)
    try:
        new = resolve_copy(text, copy, keep, "8165")
    except Refused:
        return
    assert new is not None
    was, now = ([b.text.strip() for b in split_blocks(t)] for t in (text, new))
    if new != text:
        place = was.index(kept)
        assert now == [*was[:place], *([kept] if keep == "both" else []), other, *was[place + 1 :]]
    else:
        assert other in was
