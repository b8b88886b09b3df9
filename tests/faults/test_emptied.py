"""Files that are gone, in the way or garbled: the rest goes on, and nothing else is taken for deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

from catalogue import arrived, heal, output_of, remember, sync
from machines import Machine


def test_an_emptied_folder_comes_back(mine: Machine, ben: Machine, remote: Path) -> None:
    mine.sync()
    for item in mine.clone.iterdir():
        if item.name != ".git":
            shutil.rmtree(item) if item.is_dir() else item.unlink()
    assert "files of the last commit gone" in output_of(mine.ctxrepo("doctor"))
    assert "back again" in output_of(mine.ctxrepo("doctor", "--fix"))
    assert "- committed here" in mine.read("shop/MEMORY.md")
    sync(mine)
    arrived(mine, ben, remote, "committed here", "sent before")


def test_an_emptied_folder_beside_a_spoiled_branch(
    mine: Machine, ben: Machine, remote: Path, git_dir: Path
) -> None:
    """Whatever is told anew of what files are based on, absence is no deletion."""
    mine.sync()
    shutil.rmtree(mine.clone / "shop")
    (git_dir / "refs/heads/main").write_bytes(b"")
    (git_dir / "refs/ctxrepo/wt").write_bytes(b"")
    output_of(mine.ctxrepo("doctor", "--fix"))
    heal(mine)
    arrived(mine, ben, remote, "committed here", "sent before")


def test_a_folder_where_a_note_was(mine: Machine, ben: Machine, remote: Path) -> None:
    mine.sync()
    note, moved = mine.clone / "shop/MEMORY.md", mine.home / "moved.md"
    note.rename(moved)
    note.mkdir()
    refused = mine.process("remember", "into a folder")
    assert refused.returncode == 6
    assert "MEMORY.md is there but is no readable file" in output_of(refused)
    remember(mine, "beside the folder", "--note", "topics/other.md")
    sync(mine)
    note.rmdir()
    moved.rename(note)
    sync(mine)
    arrived(mine, ben, remote, "beside the folder", "committed here", "sent before")


def test_bytes_that_are_no_text(mine: Machine, ben: Machine, remote: Path) -> None:
    """What can be read is read, and the bytes stay as they are."""
    note = mine.clone / "shop/MEMORY.md"
    with note.open("ab") as file:
        file.write(b"- odd \xff\xfe bytes\n- readable all the same\n")
    remember(mine, "into the odd one", "--note", "MEMORY.md")
    sync(mine)
    assert "readable all the same" in output_of(mine.ctxrepo("read", "MEMORY"))
    arrived(mine, ben, remote, "readable all the same", "into the odd one", "committed here")
    assert b"- odd \xff\xfe bytes\n" in note.read_bytes()


def test_a_zero_byte_holds_back_its_note_only(mine: Machine, ben: Machine, remote: Path) -> None:
    note = mine.clone / "shop/MEMORY.md"
    clean = note.read_bytes()
    note.write_bytes(clean + b"- a \x00 byte\n")
    remember(mine, "into another note", "--note", "topics/other.md")
    assert "shop/MEMORY.md#L" in sync(mine, code=6)
    answer = mine.process("remember", "into the odd one", "--note", "MEMORY.md")
    assert answer.returncode == 6
    assert "NUL bytes" in output_of(answer)
    note.write_bytes(clean)
    sync(mine)
    arrived(mine, ben, remote, "into another note", "committed here")
