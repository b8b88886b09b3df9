"""What is recorded of an entry stays true of it when its note gets another path, on whichever machine."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from machines import Machine

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.storage.cache.entries import entries_of_note

Pair = tuple[Machine, Machine]

NOTE = "shop/topics/ports.md"
LINES = [f"- The {name} service listens on port {number}\n" for number, name in enumerate("abcdef", 8080)]


@pytest.fixture
def pair(pair: Pair) -> Pair:
    ada, ben = pair
    ada.write(NOTE, "".join(LINES))
    ada.sync()
    ben.sync()
    return pair


def run(machine: Machine, *words: str) -> None:
    done = machine.ctxrepo(*words)
    assert done.returncode == 0, done.stderr


def supersede(machine: Machine, line: int, text: str = "the b service is switched off") -> None:
    run(machine, "remember", text, "--supersedes", f"shop:topics/ports.md#L{line}")


def pin(machine: Machine, line: int) -> None:
    text = LINES[line - 1].removeprefix("- ").strip()
    run(machine, "remember", text, "--note", "topics/ports.md", "--pin")


def move(machine: Machine) -> None:
    run(machine, "move", "shop:topics/ports.md", "shop:topics/moved.md")


def rename(machine: Machine) -> None:
    (machine.clone / NOTE).rename(machine.clone / "shop/topics/moved.md")


def rename_and_edit(machine: Machine) -> None:
    rename(machine)
    machine.write("shop/topics/moved.md", machine.read("shop/topics/moved.md") + "- and one more of them\n")


def rename_folder(machine: Machine) -> None:
    run(machine, "project", "rename", "store")


def meet(*machines: Machine) -> None:
    for machine in machines * 2:
        machine.sync()


def moved_note(machine: Machine) -> str:
    (path,) = (p for p in ("shop/topics/moved.md", "store/topics/ports.md") if (machine.clone / p).exists())
    return path


def marked(machine: Machine) -> tuple[list[str], list[str]]:
    """The lines of the moved note that are struck, and those that are pinned."""
    entries = machine.open().cache.ask(entries_of_note, moved_note(machine))
    struck = [entry.entry.text for entry in entries if entry.is_struck]
    return struck, [entry.entry.text for entry in entries if entry.is_pinned]


WAYS = [move, rename, rename_and_edit, rename_folder]


@pytest.mark.parametrize("way", WAYS[1:3])
def test_a_note_that_a_hand_renames_keeps_its_marks(pair: Pair, way: Callable[[Machine], None]) -> None:
    ada, ben = pair
    supersede(ada, 2)
    pin(ada, 3)
    ada.sync()
    way(ada)
    meet(ada, ben)
    for machine in pair:
        assert marked(machine) == ([LINES[1].strip()], [LINES[2].strip()])


def test_a_folder_of_more_notes_than_can_be_compared_keeps_its_marks(pair: Pair) -> None:
    ada, _ = pair
    for number in range(110):
        ada.write(f"shop/topics/n{number}.md", f"- number {number} of many\n")
    ada.sync()
    supersede(ada, 2)
    pin(ada, 3)
    ada.sync()
    (ada.clone / "shop/topics").rename(ada.clone / "shop/things")
    assert ada.sync().held == ()
    entries = ada.open().cache.ask(entries_of_note, "shop/things/ports.md")
    assert [e.entry.text for e in entries if e.is_pinned] == [LINES[2].strip()]
    assert [e.entry.text for e in entries if e.is_struck] == [LINES[1].strip()]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("first", [0, 1], ids=["moved first", "marked first"])
def test_marks_of_one_machine_meet_the_move_of_another(
    pair: Pair, way: Callable[[Machine], None], first: int
) -> None:
    ada, ben = pair
    way(ada)
    supersede(ben, 2)
    pin(ben, 3)
    meet(*(pair, pair[::-1])[first])
    assert ada.tree() == ben.tree()
    for machine in pair:
        assert marked(machine) == ([LINES[1].strip()], [LINES[2].strip()])
    before = evidence_now(ada.open())
    meet(*pair)
    assert evidence_now(ada.open()) == before


def test_what_is_said_of_an_entry_that_another_machine_edited_is_said_of_the_edit(pair: Pair) -> None:
    ada, ben = pair
    run(ada, "edit", "shop:topics/ports.md#L2", "--old", "8081", "--new", "9081")
    supersede(ben, 2)
    meet(ada, ben)
    for machine in pair:
        (struck,) = (e.entry.text for e in machine.open().cache.ask(entries_of_note, NOTE) if e.is_struck)
        assert "9081" in struck


def test_an_edit_under_the_old_name_is_known_under_the_new_one(pair: Pair) -> None:
    ada, ben = pair
    rename(ada)
    ada.write("shop/topics/moved.md", ada.read("shop/topics/moved.md").replace("8081", "9081"))
    run(ben, "edit", "shop:topics/ports.md#L2", "--old", "8081", "--new", "7081")
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    texts = [entry.text for entry in entries_of("shop/topics/moved.md", ada.read("shop/topics/moved.md"))]
    assert len(texts) == len(LINES)
    assert "kept aside" in ada.ctxrepo("status").stdout


def test_a_rename_right_after_a_command_takes_along_what_that_wrote(pair: Pair) -> None:
    ada, _ = pair
    run(ada, "remember", "the g service has no port", "--note", "topics/ports.md")
    rename(ada)
    ada.sync()
    assert not (ada.clone / NOTE).exists()
    assert "the g service" in ada.read("shop/topics/moved.md")


def test_a_rename_before_a_command_is_no_deletion(pair: Pair) -> None:
    ada, _ = pair
    ada.write(NOTE, "".join(LINES) + "".join(f"- the {n}. of many services\n" for n in range(20)))
    ada.sync()
    rename(ada)
    run(ada, "edit", "shop:topics/moved.md", "--old", "the 3.", "--new", "the third")
    done = ada.sync()
    assert (done.held, done.notices) == ((), ())
    assert not (ada.clone / NOTE).exists()


def test_an_edit_follows_a_note_whose_name_was_taken_again(pair: Pair) -> None:
    ada, ben = pair
    rename(ada)
    run(ada, "remember", "the ports are in another note", "--note", "topics/ports.md")
    run(ben, "edit", "shop:topics/ports.md#L2", "--old", "8081", "--new", "9081")
    meet(ada, ben)
    assert ada.tree() == ben.tree()
    assert "9081" in ada.read("shop/topics/moved.md")
    assert "9081" not in ada.read(NOTE)
    assert "8081" not in ada.read("shop/topics/moved.md")
