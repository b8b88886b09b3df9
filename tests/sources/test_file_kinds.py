"""What a file or a folder is tells which source reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import make_machine

from ctxrepo.errors import Unreadable
from ctxrepo.services.imports.sources import FilesOutside
from ctxrepo.sources.file_kinds import source_of
from ctxrepo.storage.processes.outside import Outside


@pytest.fixture
def files(tmp_path: Path) -> FilesOutside:
    return FilesOutside(Outside(make_machine(tmp_path, "ada").places.unresponsive))


@pytest.mark.parametrize(
    ("name", "text", "source"),
    [
        ("a.txt", '{"format": "ctxrepo-export", "version": 9}\n', "ctxrepo"),
        ("a.md", '{"format": "ctxrepo-export"', "ctxrepo"),
        ("a.jsonl", '{"text": "x"}\n', "jsonl"),
        ("a.JSON", "[]", "jsonl"),
        ("a", '{"text": "x"}\n', "markdown"),
        ("a.md", "{}\n", "markdown"),
        ("a.txt", "", "markdown"),
        ("a", "- x\n", "markdown"),
    ],
)
def test_files(files: FilesOutside, tmp_path: Path, name: str, text: str, source: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert source_of(files, tmp_path / name) == source


def test_folders(files: FilesOutside, tmp_path: Path) -> None:
    for name, inside, source in (
        ("vault", "topics", "markdown"),
        ("memory", "global", "pi-memory-md"),
        ("tapes", "TAPE", "pi-memory-md"),
    ):
        (tmp_path / name / inside).mkdir(parents=True)
        assert source_of(files, tmp_path / name) == source


def test_what_is_no_file(files: FilesOutside, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "none")
    with pytest.raises(Unreadable, match="it is a link"):
        source_of(files, tmp_path / "link.jsonl")
    assert source_of(files, tmp_path / "none") == "markdown"
