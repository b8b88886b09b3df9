"""A folder that another program keeps is read as far as it is notes: no link is followed, nobody waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxrepo.errors import BeyondBounds
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.sources import program_memory
from ctxrepo.storage.sources.program_memory import read_folder


def test_only_notes_are_read_and_all_else_is_named(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    (root / "daily").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "a.md").write_text("not looked at")
    (root / "daily" / "2026-02-15.md").write_bytes(b"- a\r\n")
    (root / "config.json").write_text("{}")
    (root / "huge.md").write_bytes(b"x" * (10 << 20))
    secret = tmp_path / "secret.md"
    secret.write_text("not ours")
    (root / "link.md").symlink_to(secret)
    (root / "out").symlink_to(tmp_path)
    (root / "round").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    (root / "a\nb.md").write_text("- x")
    folder = read_folder(Outside(tmp_path / "silent"), root)
    assert folder.notes == {"daily/2026-02-15.md": b"- a\r\n"}
    assert folder.others == ("config.json",)
    assert folder.unread["link.md"] == folder.unread["out"] == folder.unread["round"]
    assert folder.unread["link.md"] == "is a link, and isn't followed"
    assert "larger than 1 MiB" in folder.unread["huge.md"]
    assert "can't be read" in folder.unread["pipe.md"]
    assert "control characters" in folder.unread["a\\nb.md"]


@pytest.mark.usefixtures("one_thread")
def test_more_than_anybody_keeps_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_memory, "MAX_FILES", 2)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("- x")
    with pytest.raises(BeyondBounds, match="more than"):
        read_folder(Outside(tmp_path / "silent"), tmp_path)
