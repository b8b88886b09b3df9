"""What was put aside can be read back to the byte, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file, copy_id, read_copy

NOTE = "shop/topics/gotcha.md"
texts = st.one_of(
    st.text(alphabet="ab`~\n\r #-\t\x0c\u2028\udcff", max_size=30),
    st.sampled_from(["", "\n", "```text\nx\n```\n", "## kept\n\n```text\nx\n```", "---\n"]),
)
paths = st.one_of(
    st.sampled_from([NOTE, "a  b.md", "x\u3000y.md", "no: yes.md", ".ctx/evidence/h.jsonl", "a__b/c.md"]),
    st.text(alphabet="ab /_'\"é:#\u00a0", min_size=1, max_size=12),
)


@given(paths, texts, texts, texts.filter(bool))
@example(NOTE, "", "", decode_exactly(b"\xff\xfe\n"))
def test_what_was_put_aside_reads_back_exactly(path: str, was: str, kept: str, other: str) -> None:
    copy = ConflictCopy(path, was, kept, other)
    assert read_copy(*copy_as_file(copy)) == copy


def test_the_files_of_today_stay_as_they_are() -> None:
    """Machines of different age must write the same bytes."""
    path, data = copy_as_file(ConflictCopy(NOTE, "- was", "- kept", "- other"))
    assert path == "conflicts/shop__topics__gotcha.md--c0c9bc7368.md"
    assert data.decode() == (
        '---\ndescription: "two machines changed shop/topics/gotcha.md: the version that was not kept"\n'
        f"path: {NOTE}\n---\n\n## was\n\n```text\n- was\n```\n\n## kept\n\n```text\n- kept\n```\n"
        "\n## other\n\n```text\n- other\n```\n"
    )


@pytest.mark.parametrize(
    "torn",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data + b"and a word\n",
        lambda data: data.replace(b"- kept", b"- else"),
        lambda data: data.replace(b"gotcha.md\n---", b"other.md\n---"),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"",
        lambda data: b"---\npath: [\n---\n",
        lambda data: b"- by hand\n",
    ],
)
def test_what_was_torn_or_edited_is_none_of_ours(torn: object) -> None:
    path, data = copy_as_file(ConflictCopy(NOTE, "- was", "- kept", "- other"))
    assert callable(torn)
    assert read_copy(path, torn(data)) is None


def test_another_name_is_none_of_ours() -> None:
    path, data = copy_as_file(ConflictCopy(NOTE, "", "", "x"))
    assert read_copy(path.replace("shop", "shot"), data) is None
    assert copy_id(path) != ""
    assert copy_id("conflicts/by hand.md") == copy_id("conflicts/x--0123.md") == ""
