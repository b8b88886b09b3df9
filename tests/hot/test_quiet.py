"""A folder of code can ask for silence, and for nothing else."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from ctxrepo.hot.quiet import is_quiet


def asks(folder: Path) -> bool:
    return is_quiet(sqlite3.connect(":memory:"), str(folder))


def put(folder: Path, text: str) -> None:
    (folder / ".pi").mkdir(exist_ok=True)
    (folder / ".pi/settings.json").write_text(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"pi-memory-md": {"enabled": false}}', True),
        ('{"pi-memory-md": {"enabled": null}}', True),
        ('{"pi-memory-md": {"enabled": true}}', False),
        ('{"pi-memory-md": {}}', False),
        ('{"enabled": false}', False),
        ('{"pi-memory-md": [false]}', False),
        ('{"pi-memory-md": {"enabled": false}', False),
        ("", False),
        ("\0", False),
        ('{"pi-memory-md": {"enabled": false}}' + " " * 70_000, False),
    ],
)
def test_d3_only_false_is_silence(tmp_path: Path, text: str, wanted: bool) -> None:
    assert not asks(tmp_path)
    put(tmp_path, text)
    assert asks(tmp_path) is wanted


def test_what_is_no_file_asks_for_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / ".pi").mkdir()
    file = tmp_path / ".pi/settings.json"
    os.mkfifo(file)
    assert not asks(tmp_path)
    file.unlink()
    file.symlink_to("/dev/zero")
    assert not asks(tmp_path)
    file.unlink()
    file.mkdir()
    assert not asks(tmp_path)
