"""Where things are in a memory repository."""

from __future__ import annotations

import pytest

from ctxrepo.domain.project.layout import (
    anchors_file,
    archived,
    is_archived,
    is_aside,
    is_conflict_copy,
    is_evidence,
    scope_of,
    tape_folder,
    tapes_of,
    visible,
)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (f"{tapes_of('shop')}/laptop-202611.jsonl", "shop"),
        (anchors_file("shop"), "shop"),
        ("TAPE/shop/notes.md", ""),
        ("shop/TAPE/x.jsonl", ""),
    ],
)
def test_a_tape_belongs_to_a_scope(path: str, folder: str) -> None:
    assert tape_folder(path) == folder
    assert not folder or scope_of(path) == folder


def test_what_is_archived_is_told_by_its_path_and_kept_aside() -> None:
    path = archived("shop/topics/db.md")
    assert path == "shop/archive/topics/db.md"
    assert is_archived(path)
    assert is_aside(path)
    assert not is_archived("shop/topics/archive.md")


@pytest.mark.parametrize("path", ["conflicts/x.md", "inbox/x.md", "TAPE/shop/x.md", ".ctx/x.md", "README.md"])
def test_what_is_no_note_of_a_scope_is_aside(path: str) -> None:
    assert is_aside(path)
    assert is_conflict_copy(path) == path.startswith("conflicts/")


def test_evidence_is_below_its_folder() -> None:
    assert is_evidence(".ctx/evidence/laptop-202611.jsonl")
    assert not is_evidence(".ctx/evidence-old/x.jsonl")


def test_lines_that_end_as_on_windows_are_shown_as_lines() -> None:
    assert visible("- one\r\n- two\r") == "- one\n- two"
    assert visible("a\rb\r\n") == "a\\u{d}b\n"
