"""Files of every kind: fast ways out, what can only be taken whole, and what is put aside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.merge import MergedFile, merge_file
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import is_ignored, unsafe
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file

NOTE, OTHER = "global/a.md", "global/diagram.svg"
files = st.one_of(st.none(), st.binary(max_size=30))
paths = st.sampled_from([NOTE, OTHER, "ctxrepo.toml", "TAPE/a/h-202611.jsonl", "inbox/h.jsonl", "a/B.MD"])


@given(paths, files, files)
def test_a_one_sided_change_is_taken_byte_for_byte(path: str, base: bytes | None, edit: bytes | None) -> None:
    assert merge_file(path, base, edit, edit) == MergedFile(edit)
    assert merge_file(path, base, edit, base) == merge_file(path, base, base, edit) == MergedFile(edit)


@given(paths, files, files, files)
def test_any_bytes_merge_the_same_either_way_and_an_edit_is_never_deleted(
    path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None
) -> None:
    merged = merge_file(path, base, ours, theirs)
    assert merged == merge_file(path, base, theirs, ours)
    if ours != base and theirs != base:
        assert merged.data is not None or ours is theirs is None


@pytest.mark.parametrize("path", [NOTE, OTHER, "ctxrepo.toml"])
def test_an_edit_stays_against_a_deletion(path: str) -> None:
    assert merge_file(path, b"was", None, b"is") == merge_file(path, b"was", b"is", None) == MergedFile(b"is")


def test_of_two_versions_of_another_file_one_stays_and_the_other_is_put_aside_whole() -> None:
    assert merge_file(OTHER, b"x", b"<a>\n", b"<b>\n") == MergedFile(
        b"<b>\n", (ConflictCopy(OTHER, "", "", "<a>\n"),)
    )


def test_a_note_that_is_no_text_is_taken_whole_and_comes_back_byte_for_byte() -> None:
    ours, theirs = "- eins\n".encode("utf-16"), b"- two\n"
    merged = merge_file(NOTE, b"", ours, theirs)
    assert {merged.data, encode(merged.conflict_copies[0].other)} == {ours, theirs}


def test_a_huge_note_is_taken_whole() -> None:
    huge = b"- line\n" * 400_000
    merged = merge_file(NOTE, b"- line\n", huge, b"- another\n")
    assert merged.data == huge
    assert merged.conflict_copies[0].other == "- another\n"


def test_what_was_put_aside_is_a_readable_note_of_the_same_name_everywhere() -> None:
    copy = ConflictCopy("shop/topics/build.md", "- was\n", "- kept\n", "- ```other\n```\n# no heading")
    path, data = copy_as_file(copy)
    assert path.startswith("conflicts/shop__topics__build.md--")
    assert path.endswith(".md")
    assert copy_as_file(copy) == (path, data)
    text = data.decode()
    assert read(text).fields["path"] == "shop/topics/build.md"
    assert read(text).description
    assert [line for line in text.splitlines() if line.startswith("## ")] == ["## was", "## kept", "## other"]
    assert "````text\n- ```other\n```\n# no heading\n````\n" in text


def test_other_content_has_another_name() -> None:
    first, second = (copy_as_file(ConflictCopy(NOTE, "", "", text))[0] for text in ("a", "b"))
    assert first != second


@pytest.mark.parametrize("path", [".ctx/evidence/h-202611.jsonl", "a/" * 10 + "é" * 120 + ".md", "a.md"])
def test_the_file_that_keeps_it_may_be_written(path: str) -> None:
    kept, _ = copy_as_file(ConflictCopy(path, "", "", "x"))
    assert unsafe(kept) is None
    assert not is_ignored(kept)


def test_bytes_that_are_no_text_are_kept_in_it() -> None:
    _, data = copy_as_file(ConflictCopy(OTHER, "", "", decode_exactly(b"\xff\xfe")))
    assert b"\xff\xfe" in data
