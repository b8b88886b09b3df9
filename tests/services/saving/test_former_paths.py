"""What agents and editors write to paths from before a move is where the note is by now."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from copies import Copies
from machines import Machine, make_pair
from saves import checked_out, leave

Pair = tuple[Machine, Machine]
Writer = Callable[[Machine, str, str], None]

GATE = "- The gateway listens on port 7443\n- The gateway asks for a client's certificate\n"


@pytest.fixture
def pair(copies: Copies) -> Pair:
    return copies.of(lambda place: _with_a_note(make_pair(place)))


def _with_a_note(pair: Pair) -> Pair:
    ada, ben = pair
    ada.write("shop/topics/gate.md", GATE)
    ada.remember("something else")  # with which the folder becomes the project's
    ada.sync()
    ben.sync()
    return pair


def by_hand(machine: Machine, path: str, text: str) -> None:
    machine.write(path, text)


def by_tool(machine: Machine, path: str, text: str) -> None:
    tree = checked_out(machine)
    machine.write(path, text)
    leave(machine, path, text.encode(), tree)


writers = pytest.mark.parametrize("write", [by_hand, by_tool])


@writers
def test_a_new_note_in_the_former_folder_of_a_project_goes_to_its_folder(pair: Pair, write: Writer) -> None:
    ada, ben = pair
    ben.ctxrepo("project", "rename", "store")
    ben.sync()
    ada.sync()
    write(ada, "shop/topics/new.md", "- a zebra crossed\n")
    ada.sync()
    assert "zebra" in ada.read("store/topics/new.md")
    assert not (ada.clone / "shop").exists()
    assert ada.ctxrepo("search", "zebra").stdout.startswith("store/topics/new.md")
    ben.sync()
    assert ben.tree() == ada.tree()


@writers
@pytest.mark.parametrize("is_project", [True, False], ids=["its project was renamed", "it was moved"])
def test_an_edit_of_a_note_at_its_former_path_is_an_edit_of_the_note(
    pair: Pair, write: Writer, is_project: bool
) -> None:
    ada, ben = pair
    if is_project:
        ben.ctxrepo("project", "rename", "store")
    else:
        ben.ctxrepo("move", "shop:topics/gate.md", "shop:topics/door.md")
    now = "store/topics/gate.md" if is_project else "shop/topics/door.md"
    ben.write(now, ben.read(now) + "- written by ben\n")
    ben.sync()
    ada.sync()
    write(ada, "shop/topics/gate.md", GATE.replace("7443", "7444") + "- written late\n")
    ada.sync()
    entries = ada.read(now).splitlines()
    assert "- The gateway listens on port 7444" in entries
    assert "- The gateway listens on port 7443" not in entries
    assert {"- written late", "- written by ben"} <= {*entries}
    assert not (ada.clone / "shop/topics/gate.md").exists()
    ben.sync()
    assert ben.tree() == ada.tree()


@writers
def test_a_note_that_says_other_things_than_the_one_that_was_moved_is_a_new_one(
    pair: Pair, write: Writer
) -> None:
    ada, _ = pair
    ada.ctxrepo("move", "shop:topics/gate.md", "shop:topics/door.md")
    ada.sync()
    write(ada, "shop/topics/gate.md", "- The garden gate is green\n")
    ada.sync()
    assert "green" in ada.read("shop/topics/gate.md")
    assert "green" not in ada.read("shop/topics/door.md")


@pytest.mark.parametrize("is_project", [True, False], ids=["a project", "a note"])
def test_a_hand_gives_back_a_former_name(pair: Pair, is_project: bool) -> None:
    ada, _ = pair
    if is_project:
        ada.ctxrepo("project", "rename", "store")
        ada.sync()
        (ada.clone / "store").rename(ada.clone / "shop")
    else:
        ada.ctxrepo("move", "shop:topics/gate.md", "shop:topics/door.md")
        ada.sync()
        (ada.clone / "shop/topics/door.md").rename(ada.clone / "shop/topics/gate.md")
    ada.sync()
    assert "7443" in ada.read("shop/topics/gate.md")
    assert "7443" in ada.ctxrepo("search", "7443").stdout
    assert not (ada.clone / ("store" if is_project else "shop/topics/door.md")).exists()
