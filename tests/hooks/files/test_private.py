"""What hooks open is the user's alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ctxrepo.hooks.own_files import ensure_private_folder, is_own_file, make_private, open_own


def test_a_folder_that_is_open_to_others_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert make_private(str(tmp_path)) == ""
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_what_is_no_folder_of_ours_is_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    answers = [make_private(str(tmp_path / name)) for name in ("file", "link", "gone")]
    assert answers == ["isn't a folder", "is a link", "can't be looked at: No such file or directory"]
    made = [ensure_private_folder(str(tmp_path / name)) for name in ("file", "link", "gone", "gone", "a/b")]
    assert made == [False, False, True, True, False]


def test_a_file_is_opened_through_no_link_and_emptied_only_when_it_is_ours(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "link").symlink_to("theirs")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=r"symbolic|isn't a file of your own"):
            open_own(str(tmp_path / name), os.O_RDWR | os.O_TRUNC)
        assert not is_own_file(str(tmp_path / name))
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_a_file_that_others_may_open_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "spool.jsonl").write_text("a line\n")
    (tmp_path / "spool.jsonl").chmod(0o666)
    os.close(open_own(str(tmp_path / "spool.jsonl"), os.O_RDWR | os.O_CREAT))
    assert stat.S_IMODE((tmp_path / "spool.jsonl").stat().st_mode) == 0o600
