"""A demo memory is made where nothing is yet, and touches nothing that is somebody's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from invented import NOW
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.repository.first_hour import DemoRequest, make_demo
from ctxrepo.errors import UsageError
from ctxrepo.services.demo.play_story import DemoMemory


def demo(machine: Machine, folder: str = "", cwd: Path | None = None) -> DemoMemory:
    desk = Desk(Call(cwd or machine.home, machine.env), lambda: NOW, sys.executable)
    return desk.perform(make_demo, DemoRequest(folder)).value


def files(folder: Path) -> dict[str, bytes | None]:
    paths = [path for path in folder.rglob("*") if "ctxrepo-demo" not in path.parts]
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


@pytest.mark.slow
def test_it_is_made_in_the_current_folder_and_nothing_else_changes(ada: Machine) -> None:
    before = files(ada.home)
    made = demo(ada)
    assert made.folder == ada.home / "ctxrepo-demo"
    assert made.command.parent == made.folder
    assert files(ada.home) == before
    with pytest.raises(UsageError, match="is not an empty folder"):
        demo(ada)


def test_a_folder_with_something_in_it_and_a_file_are_left_as_they_are(ada: Machine) -> None:
    file = ada.home / "here" / "note.txt"
    file.parent.mkdir()
    file.write_text("mine")
    for place in ("here", "here/note.txt"):
        with pytest.raises(UsageError, match="is not an empty folder"):
            demo(ada, place)
    assert file.read_text() == "mine"


def test_it_is_not_made_in_a_memory_which_would_send_it(ada: Machine) -> None:
    ada.init()
    with pytest.raises(UsageError, match="is in a memory"):
        demo(ada, "shop/demo", ada.clone)
    assert not (ada.clone / "shop" / "demo").exists()
