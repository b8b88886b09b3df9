"""The lines of an export are read as they were written, and others are refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.export.export_lines import (
    BEGINNING,
    ExportHeader,
    end_line,
    entry_line,
    file_line,
    read_export,
)
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.errors import Unreadable

HEADER = ExportHeader(("global", "shop"), "global", {"example.org/shop": "shop"})


def whole(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in (HEADER.line(), *lines)).encode()


@given(st.dictionaries(st.text("ab/é.", min_size=1), st.binary()))
def test_every_byte_comes_back(files: dict[str, bytes]) -> None:
    lines = [file_line(path, data) for path, data in files.items()]
    read = read_export(whole(*lines, end_line(len(lines), 0)))
    assert (read.header, read.files, read.unread, read.is_whole) == (HEADER, files, 0, True)


def test_a_reader_tells_an_export_by_its_first_bytes() -> None:
    assert whole().startswith(BEGINNING)


def test_entries_are_for_others() -> None:
    (entry,) = entries_of("global/a.md", "- [fact] rate: ten #x *(pinned)*\n")
    line = entry_line(entry, None, "2026-01-02")
    assert json.loads(line) == {
        "type": "entry",
        "id": f"^{entry.id}",
        "at": "global/a.md#L1",
        "text": "- [fact] rate: ten #x *(pinned)*",
        "category": "fact",
        "key": "rate",
        "tags": ["x"],
        "created": "2026-01-02",
        "evidence": {"pinned": True},
    }
    assert read_export(whole(line, end_line(0, 1))).files == {}


def test_what_is_cut_or_torn_is_counted() -> None:
    good = file_line("a.md", b"x")
    read = read_export(whole(good, good[:-4], "[1]", '{"type": "file", "path": "b.md"}', '{"type": "file"}'))
    assert (read.files, read.unread, read.is_whole) == ({"a.md": b"x"}, 4, False)
    odd = '{"type": "file", "path": "c.md", "text": "\\ud800"}'
    deep = '{"type": "file", "path": ' + "[" * 100_000
    read = read_export(whole(odd, deep, '{"type": "later"}', end_line(0, 0)))
    assert (read.files, read.unread, read.is_whole) == ({}, 2, True)


def test_of_two_records_of_a_file_the_first_holds() -> None:
    assert read_export(whole(file_line("a", b"1"), file_line("a", b"2"))).files == {"a": b"1"}


@pytest.mark.parametrize("line", ["", "{}", '{"format": "ctxrepo-export"}', '{"format": "x", "version": 1}'])
def test_what_is_none_is_refused(line: str) -> None:
    with pytest.raises(Unreadable, match="is no export"):
        read_export(f"{line}\n".encode())


def test_a_later_version_is_refused() -> None:
    with pytest.raises(Unreadable, match="version 7"):
        read_export(b'{"format": "ctxrepo-export", "version": 7}\n')
