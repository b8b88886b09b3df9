"""What becomes of a folder that doesn't answer."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest
from silent import needs_silent_disk, silent_disk

from ctxrepo.errors import NoAnswer, NotFound
from ctxrepo.storage.disk.foreign import read
from ctxrepo.storage.processes import outside
from ctxrepo.storage.processes.outside import Outside

pytestmark = pytest.mark.usefixtures("one_thread")


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
    for data in (b"{", b"[]", b'{"/": "x"}', b"\xff", b'{"/": 1e400}', b'{"/": null}'):
        foreign.unresponsive.write_bytes(data)
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
    answers = dict(foreign.ask_each(paths, hang, lambda path: Path(path).parent, 0.5))
    assert answers == {"/a/1": "/A/1", "/b/1": "/B/1"}
    assert list(foreign.ask_each(["/hung/3", "/a/2"], hang, lambda p: Path(p).parent)) == [("/a/2", "/A/2")]


@pytest.mark.slow
@needs_silent_disk
def test_a_disk_that_is_gone_is_given_up(foreign: Outside, tmp_path: Path) -> None:
    with silent_disk(tmp_path / "disk") as disk, pytest.raises(NoAnswer, match="disk doesn't answer"):
        foreign.ask(disk, partial(read, disk / "file"), 0.5)
    assert foreign.ask(tmp_path, lambda: 1) == 1
