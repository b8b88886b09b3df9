"""The journal as hooks write it: in order, whole or not at all, for the user alone and through no link."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from ctxrepo.hooks.saves import add, names_in, put, size_of


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "journal")


def bytes_in(folder: str) -> list[bytes]:
    return [Path(folder, name).read_bytes() for name in names_in(folder)]


def test_what_is_added_is_a_file_for_the_user_alone(folder: str) -> None:
    name = add(folder, b"one")
    assert names_in(folder) == [name]
    assert Path(folder, name).read_bytes() == b"one"
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(f"{folder}/{name}").st_mode) == 0o600


def test_the_order_is_that_of_the_numbers_and_not_of_the_text_or_the_clock(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        monkeypatch.setattr(time, "time_ns", lambda number=number: 99 - number)
        add(folder, str(number).encode())
    assert bytes_in(folder) == [str(number).encode() for number in range(12)]


def test_after_what_was_taken_out_the_order_stays(folder: str) -> None:
    names = [add(folder, data) for data in (b"1", b"2")]
    os.unlink(f"{folder}/{names[0]}")
    add(folder, b"3")
    assert bytes_in(folder) == [b"2", b"3"]


def test_names_tell_how_much_waits(folder: str) -> None:
    add(folder, b"x" * 10)
    add(folder, b"x" * 32)
    assert size_of(names_in(folder)) == 42
    assert size_of([]) == 0


def test_where_there_is_none_nothing_waits(folder: str) -> None:
    assert names_in(folder) == []
    Path(folder).touch()
    assert names_in(folder) == []


@pytest.mark.parametrize("kind", ["file", "link", "nowhere"])
def test_nothing_is_written_elsewhere(tmp_path: Path, folder: str, kind: str) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    if kind == "file":
        Path(folder).touch()
    elif kind == "link":
        Path(folder).symlink_to(victim)
    else:
        folder = str(tmp_path / "missing" / "journal")
    with pytest.raises(NotADirectoryError):
        add(folder, b"x")
    assert list(victim.iterdir()) == []


def test_a_link_that_is_planted_for_the_new_file_is_not_followed(tmp_path: Path, folder: str) -> None:
    os.mkdir(folder, 0o700)
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs")
    os.symlink(victim, f"{folder}/.1-1-1-1")
    with pytest.raises(OSError, match="symbolic links"):
        put(folder, "1-1-1-1", b"x")
    assert victim.read_bytes() == b"theirs"


def test_what_a_killed_hook_began_is_no_operation_and_is_in_nobodys_way(folder: str) -> None:
    add(folder, b"1")
    Path(folder, ".2-2-2-2").write_bytes(b"half of what was to be wr")
    put(folder, "2-2-2-2", b"22")
    assert bytes_in(folder) == [b"1", b"22"]
    assert not os.path.exists(f"{folder}/.2-2-2-2")


@pytest.mark.parametrize("fails", ["write", "fsync", "rename"])
def test_a_disk_that_fails_leaves_no_file(folder: str, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    add(folder, b"1")

    def failing(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fails, failing)
    with pytest.raises(OSError, match="No space"):
        add(folder, b"2")
    monkeypatch.undo()
    assert bytes_in(folder) == [b"1"]
    assert len(os.listdir(folder)) == 1


def test_where_only_the_name_does_not_reach_the_disk_no_file_is_left_either(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be told that nothing was saved, and be committed all the same."""
    add(folder, b"1")
    fsync = os.fsync

    def failing(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(5, "Input/output error")
        fsync(file)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output"):
        add(folder, b"2")
    monkeypatch.undo()
    assert bytes_in(folder) == [b"1"]


def test_a_disk_that_takes_a_little_at_a_time_gets_all_of_it(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, bytes(data[:3])))
    add(folder, b"0123456789")
    assert bytes_in(folder) == [b"0123456789"]
