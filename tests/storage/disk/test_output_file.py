"""A file that a person named is written whole, or left as it was."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from ctxrepo.errors import UsageError
from ctxrepo.storage.disk.folders import require_place, write_whole


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder


def test_a_file_is_replaced_in_one_step_and_keeps_link_and_mode(folder: Path) -> None:
    file, link = folder / "a.jsonl", folder / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    before = file.stat().st_ino
    write_whole(link, b"new")
    assert (file.read_text(), link.is_symlink(), file.stat().st_mode & 0o777) == ("new", True, 0o640)
    assert file.stat().st_ino != before  # who reads the old one reads on
    assert sorted(os.listdir(folder)) == ["a.jsonl", "link"]


def test_what_fails_leaves_what_was_there(folder: Path) -> None:
    file = folder / "a.jsonl"
    file.write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write_whole(file, b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert file.read_text() == "old"
    assert os.listdir(folder) == ["a.jsonl"]


def test_what_is_no_file_is_written_to() -> None:
    reading, writing = os.pipe()
    write_whole(Path(f"/proc/self/fd/{writing}"), b"through")
    assert os.read(reading, 10) == b"through"
    os.close(reading)
    os.close(writing)


def test_a_place_that_can_hold_no_file_is_told_before(tmp_path: Path) -> None:
    require_place(tmp_path / "a.jsonl")
    for place in (tmp_path, tmp_path / "gone" / "a.jsonl"):
        with pytest.raises(UsageError):
            require_place(place)
