"""What is read of other people's files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from needs import needs_proc
from odd import bound_socket, endless, folder, huge, loop, pipe

from ctxrepo.errors import Unreadable
from ctxrepo.storage.disk.foreign import read, shown, text


@pytest.mark.parametrize("make", [pipe, bound_socket, endless, loop, huge, folder])
def test_what_is_no_file_of_bounded_size_is_refused_in_words(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "config")
    with pytest.raises(
        Unreadable, match=r"/config (can't be read: .+|is larger than 16 MiB, and is not read)$"
    ):
        read(tmp_path / "config")
    assert text(tmp_path / "config") == ""


def test_a_file_is_read_whole_up_to_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 3000)
    assert read(file, 3000) == b"x" * 3000
    with pytest.raises(Unreadable, match="larger than 2 KiB"):
        read(file, 2999)
    assert read(tmp_path / "none") is None


@needs_proc
def test_a_file_that_grows_while_it_is_read_is_bounded_too() -> None:
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(Unreadable, match="larger than"):
        read("/proc/self/maps", 100)


def test_a_link_is_read_only_where_one_may_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    assert read(tmp_path / "link") == b"x"
    with pytest.raises(Unreadable, match="link"):
        read(tmp_path / "link", follow=False)


@pytest.mark.parametrize("name", ["a\0b", "a/" * 3000, "\ud800", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(f"{tmp_path}/{name}")
    assert refused.value.message.isprintable()


def test_a_name_is_shown_in_one_line_whatever_is_in_it() -> None:
    assert shown("/a\nb\x1b[2J/\udcff") == r"/a\nb\x1b[2J/\udcff"
    assert len(shown("/x" * 4000)) < 400
