"""What is read of other people's files, and what becomes of a folder that doesn't answer."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from needs import needs_proc
from odd import bound_socket, endless, folder, huge, loop, pipe
from silent import needs_silent_disk, silent_disk

from ctxrepo.errors import NoAnswer, NotFound, Unreadable
from ctxrepo.storage.disk import outside
from ctxrepo.storage.disk.outside import Outside, read, shown, text


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


@pytest.fixture
def foreign(tmp_path: Path) -> Outside:
    return Outside(tmp_path / "silent.json")


def test_an_answer_comes_back_and_so_does_an_error(foreign: Outside, tmp_path: Path) -> None:
    assert foreign.ask(tmp_path, lambda: [tmp_path, 1]) == [tmp_path, 1]

    def fail() -> None:
        raise NotFound("nothing", "look")

    with pytest.raises(NotFound, match="nothing") as error:
        foreign.ask(tmp_path, fail)
    assert error.value.hint == "look"


def test_who_does_not_answer_is_named_and_left_alone_for_a_while(
    foreign: Outside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "asked"

    def hang() -> None:
        with asked.open("a") as file:
            file.write("x")
        time.sleep(60)

    with pytest.raises(NoAnswer, match=f"{tmp_path}/there doesn't answer"):
        foreign.ask(tmp_path / "there", hang, 0.5)
    for place in (tmp_path / "there", tmp_path / "there" / "below"):
        with pytest.raises(NoAnswer, match=f"{tmp_path}/there doesn't answer"):
            foreign.ask(place, hang, 0.5)
    assert asked.read_text() == "x", "it was asked once"
    assert foreign.ask(tmp_path, lambda: 1) == 1, "others aren't concerned"
    monkeypatch.setattr(outside, "QUIET", 0.0)
    assert foreign.ask(tmp_path / "there", lambda: 2) == 2


def test_what_is_garbage_in_the_list_of_silent_folders_counts_as_none(foreign: Outside) -> None:
    for said in (b"{", b"[]", b'{"/": "x"}', b"\xff", b'{"/": 1e400}', b'{"/": null}'):
        foreign.unresponsive.write_bytes(said)
        assert foreign.ask(Path("/x"), lambda: 1) == 1
    foreign.unresponsive.unlink()
    os.mkfifo(foreign.unresponsive)
    assert foreign.ask(Path("/x"), lambda: 1) == 1


def test_of_many_those_that_hang_are_passed_over(foreign: Outside, tmp_path: Path) -> None:
    def hang(path: str) -> str:
        if "hung" in path:
            time.sleep(60)
        return path.upper()

    paths = ["/a/1", "/hung/1", "/hung/2", "/b/1"]
    found = dict(foreign.ask_each(paths, hang, lambda path: Path(path).parent, 0.5))
    assert found == {"/a/1": "/A/1", "/b/1": "/B/1"}
    assert list(foreign.ask_each(["/hung/3", "/a/2"], hang, lambda p: Path(p).parent)) == [("/a/2", "/A/2")]


@needs_silent_disk
def test_a_disk_that_is_gone_is_given_up(foreign: Outside, tmp_path: Path) -> None:
    with silent_disk(tmp_path / "disk") as disk, pytest.raises(NoAnswer, match="disk doesn't answer"):
        foreign.ask(disk, partial(read, disk / "file"), 0.5)
    assert foreign.ask(tmp_path, lambda: 1) == 1
