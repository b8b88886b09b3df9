from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change


def test_a_change_makes_replaces_and_removes(tmp_path: Path) -> None:
    file = tmp_path / "a/b/c.json"
    assert foreign.missing_folders(file) == [tmp_path / "a", tmp_path / "a/b"]
    foreign.apply([Change(file, None, b"1")])
    foreign.apply([Change(file, b"1", b"2")])
    assert foreign.read(file) == b"2"
    foreign.apply([Change(file, b"2", None)])
    assert foreign.read(file) is None
    foreign.remove_empty([tmp_path / "a", tmp_path / "a/b", tmp_path])
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]


def test_one_file_that_changed_keeps_all_from_being_written(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "other"
    second.write_bytes(b"theirs")
    with pytest.raises(Busy, match="other"):
        foreign.apply([Change(first, None, b"1"), Change(second, b"as it was", b"2")])
    assert not first.exists()
    assert second.read_bytes() == b"theirs"


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    link, target = tmp_path / "link", tmp_path / "dotfiles/target"
    link.symlink_to("dotfiles/target")
    for before, after in ((None, b"1"), (b"1", b"2")):
        foreign.apply([Change(link, before, after)])
        assert link.is_symlink()
        assert target.read_bytes() == after
    assert [p.name for p in target.parent.iterdir()] == ["target"]


def test_a_file_with_a_second_name_stays_one_file(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_bytes(b"longer than what comes")
    os.link(file, other)
    foreign.apply([Change(file, b"longer than what comes", b"2")])
    assert other.read_bytes() == b"2"
    assert other.samefile(file)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "home", "other"]


def test_a_file_that_is_mounted_is_written_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1")
    before = file.stat().st_ino

    def busy(self: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(Path, "rename", busy)
    foreign.apply([Change(file, b"1", b"2")])
    assert (file.read_bytes(), file.stat().st_ino) == (b"2", before)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "home"]


@pytest.mark.parametrize("after", [b"ours", None])
@pytest.mark.parametrize("theirs", [b"theirs", None])
def test_what_another_program_writes_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bytes | None, theirs: bytes | None
) -> None:
    first, file = tmp_path / "first", tmp_path / "file"
    file.write_bytes(b"1")

    def meanwhile(handle: int) -> None:
        if theirs is None:
            file.unlink(missing_ok=True)
        else:
            file.write_bytes(theirs)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(Busy, match="file was changed"):
        foreign.apply([Change(first, None, b"1"), Change(file, b"1", after)])
    assert foreign.read(file) == theirs
    assert {p.name for p in tmp_path.iterdir()} - {"file"} == {"first", "home"}


def test_the_mode_is_kept_and_a_private_file_is_private(tmp_path: Path) -> None:
    file, private = tmp_path / "file", tmp_path / "new/private"
    file.write_bytes(b"1")
    file.chmod(0o640)
    foreign.apply([Change(file, b"1", b"2"), Change(private, None, b"3", private=True)])
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (file, private, private.parent)]
    assert modes == [0o640, 0o600, 0o700]


def test_a_usual_file_has_the_usual_mode(tmp_path: Path) -> None:
    foreign.apply([Change(tmp_path / "a", None, b"")])
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("pipe", "folder", "loop"):
        with pytest.raises(CtxrepoError, match=name):
            foreign.read(tmp_path / name)


def test_a_link_into_nowhere_makes_no_folders(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "unmounted/settings.json")
    assert foreign.read(tmp_path / "link") is None
    with pytest.raises(CtxrepoError, match="unmounted"):
        foreign.apply([Change(tmp_path / "link", None, b"1")])
    assert not (tmp_path / "unmounted").exists()


def test_read_only_is_known_before_writing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1")
    file.chmod(0o444)
    with pytest.raises(CtxrepoError, match="read-only"):
        foreign.check_writable(file)
    with pytest.raises(CtxrepoError, match="read-only"):
        foreign.apply([Change(tmp_path / "first", None, b"1"), Change(file, b"1", b"2")])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "home"]


def test_a_file_in_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CtxrepoError, match="file"):
        foreign.check_writable(tmp_path / "file/below/settings.json")


def test_what_may_not_be_read_or_written_is_told(commoner: Path) -> None:
    file, folder = commoner / "file", commoner / "folder"
    file.touch(mode=0o200)
    folder.mkdir(mode=0o500)
    with pytest.raises(CtxrepoError, match="Permission denied"):
        foreign.read(file)
    with pytest.raises(CtxrepoError, match="folder"):
        foreign.check_writable(folder / "new")
    folder.chmod(0)
    with pytest.raises(CtxrepoError, match="Permission denied"):
        foreign.check_writable(folder / "below/new")


def test_a_write_that_fails_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CtxrepoError, match="No space left"):
        foreign.apply([Change(file, b"1", b"2")])
    assert file.read_bytes() == b"1"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "home"]
