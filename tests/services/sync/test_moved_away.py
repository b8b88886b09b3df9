"""Who wrote to a note that another machine put elsewhere meanwhile is told where it is now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from copies import Copies
from long import rotating
from machines import Machine, make_pair

from ctxrepo.domain.project.target import parse_target

Pair = tuple[Machine, Machine]

NOTE = "shop/topics/a.md"
TOLD = "was written to here and moved on another machine: it is"


@pytest.fixture
def pair(copies: Copies) -> Pair:
    return copies.of(with_two_projects)


def with_two_projects(place: Path) -> Pair:
    """Two machines, two projects, and a note of three facts in the first one."""
    ada, ben = make_pair(place)
    ada.remember("which registers the project")
    registry = ada.clone / "ctxrepo.toml"
    registry.write_text(registry.read_text() + '"git.example.org/ada/other" = "other"\n')
    ada.write("other/MEMORY.md", "- of the other project\n")
    ada.write(NOTE, "".join(f"- alpha fact {n} of the pump\n" for n in range(3)))
    ada.sync()
    ben.sync()
    return ada, ben


def to_other_project(machine: Machine) -> str:
    assert machine.ctxrepo("move", "topics/a.md", "other:").returncode == 0
    return "other/topics/a.md"


def to_other_project_by_hand(machine: Machine) -> str:
    (machine.clone / NOTE).rename(machine.clone / "other/b.md")
    return "other/b.md"


def to_all_projects(machine: Machine) -> str:
    assert machine.ctxrepo("move", "topics/a.md", "global:").returncode == 0
    return "global/topics/a.md"


def to_no_project(machine: Machine) -> str:
    (machine.clone / "attic").mkdir()
    (machine.clone / NOTE).rename(machine.clone / "attic/a.md")
    return "attic/a.md"


def within_the_project(machine: Machine) -> str:
    assert machine.ctxrepo("move", "topics/a.md", "topics/z.md").returncode == 0
    return "shop/topics/z.md"


def with_the_project(machine: Machine) -> str:
    assert machine.ctxrepo("project", "rename", "store").returncode == 0
    return "store/topics/a.md"


def to_archive(machine: Machine) -> str:
    assert machine.ctxrepo("archive", "topics/a.md").returncode == 0
    return NOTE  # which yields to what was written


def by_command(machine: Machine) -> None:
    machine.remember("what Ben adds", note=parse_target("shop:topics/a.md"))


def by_hand(machine: Machine) -> None:
    machine.write(NOTE, machine.read(NOTE) + "- what Ben adds\n")


AWAY = [to_other_project, to_other_project_by_hand, to_all_projects, to_no_project]


def told(machine: Machine) -> list[str]:
    return [line for line in machine.sync().notices if TOLD in line]


@pytest.mark.parametrize("is_silent", rotating([False, True], keep=1))
@pytest.mark.parametrize(
    "first", rotating([0, 1], keep=1), ids=lambda first: ("ada first", "ben first")[first]
)
@pytest.mark.parametrize("write", rotating([by_command, by_hand], keep=1))
@pytest.mark.parametrize("move", rotating(AWAY, keep=2))
def test_who_wrote_to_a_note_that_left_its_project_is_told_once(
    pair: Pair, move: Callable[[Machine], str], write: Callable[[Machine], None], first: int, is_silent: bool
) -> None:
    ada, ben = pair
    place = move(ada)
    write(ben)
    if is_silent:
        ben.sync(send=False, tells=False)
    lines: dict[Path, list[str]] = {ada.home: [], ben.home: []}
    for machine in (pair[first], pair[1 - first]) * 2:
        if is_silent:
            machine.sync(tells=False)
        lines[machine.home] += told(machine)
    assert ada.tree() == ben.tree()
    assert "what Ben adds" in ben.read(place)
    end = ", in a folder of no project" if move is to_no_project else ""
    assert lines == {ada.home: [], ben.home: [f"{NOTE} {TOLD} {place} now{end}"]}


@pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
@pytest.mark.parametrize("move", rotating([within_the_project, with_the_project, to_archive], keep=2))
def test_a_note_that_its_project_has_is_not_told(
    pair: Pair, move: Callable[[Machine], str], first: int
) -> None:
    ada, ben = pair
    place = move(ada)
    by_command(ben)
    assert [line for machine in (pair[first], pair[1 - first]) * 2 for line in told(machine)] == []
    assert "what Ben adds" in ben.read(place)


def test_who_wrote_nothing_to_it_is_not_told(pair: Pair) -> None:
    ada, ben = pair
    to_other_project(ada)
    ben.remember("in another note")
    assert [line for machine in (ada, ben, ada) for line in told(machine)] == []


def test_also_where_another_note_has_its_name_by_now(pair: Pair) -> None:
    ada, ben = pair
    to_other_project(ada)
    ada.write(NOTE, "- of something else\n")
    by_command(ben)
    lines = [line for machine in (ada, ben, ada, ben) for line in told(machine)]
    assert lines == [f"{NOTE} {TOLD} other/topics/a.md now"]
    assert "what Ben adds" in ben.read("other/topics/a.md")
    assert ben.read(NOTE) == "- of something else\n"


@pytest.mark.parametrize("first", [0, 1], ids=["ada first", "ben first"])
def test_a_folder_that_a_hand_put_out_of_view_is_told_once_on_each_machine(pair: Pair, first: int) -> None:
    ada, ben = pair
    ada.write("global/MEMORY.md", "- Answer in Dutch\n")
    ada.write("global/topics/tools.md", "- Use make\n")
    ada.sync()
    ben.sync()
    (ada.clone / "global").rename(ada.clone / "everywhere")
    notices = [line for machine in (ada, *pair[first:], *pair) for line in machine.sync().notices]
    line = "2 notes have moved to everywhere/, a folder of no project, and no session is given them"
    assert notices == [line, line]


def test_a_checkout_that_is_unlinked_moves_no_notes(pair: Pair) -> None:
    ada, ben = pair
    registry = ada.clone / "ctxrepo.toml"
    before = registry.read_text()
    registry.write_text(f'{before}\n[aliases]\n"git.example.org/ada/two" = "git.example.org/ada/shop"\n')
    ada.sync()
    ben.sync()
    registry.write_text(f'{before}"git.example.org/ada/two" = "two"\n')
    ada.sync()
    assert not [line for line in ben.sync().notices if "folder" in line]


def test_notes_that_come_in_a_new_folder_of_no_project_are_told_once(pair: Pair) -> None:
    ada, ben = pair
    ada.write("elsewhere/MEMORY.md", "- Answer in Dutch\n")
    ada.sync()
    line = "1 note has come in elsewhere/, a folder of no project, and no session is given it"
    assert ben.sync().notices == (line,)
    ada.write("elsewhere/more.md", "- Use make\n")
    ada.sync()
    assert ben.sync().notices == ()


def test_a_note_that_both_moved_to_other_projects_is_told_where_it_is_no_more(pair: Pair) -> None:
    ada, ben = pair
    ada.ctxrepo("move", "shop:topics/a.md", "global:topics/a.md")
    ben.ctxrepo("move", "shop:topics/a.md", "other:topics/a.md")
    for machine in (ada, ben):
        machine.sync(send=False)
    lines = [line for machine in (ada, ben, ada, ben) for line in machine.sync().notices]
    places = ["global/topics/a.md", "other/topics/a.md"]
    (now,) = [path for path in places if (ada.clone / path).exists()]
    (lost,) = {*places} - {now}
    expected = f"the note moved to {lost} here is {now} now: another machine moved it there"
    assert lines == [expected]


@pytest.mark.parametrize("first", [0, 1], ids=["who moved it first", "who edited it first"])
@pytest.mark.parametrize("is_archived_too", [False, True])
def test_an_entry_that_was_moved_and_stays_where_it_was_edited_is_told(
    pair: Pair, first: int, is_archived_too: bool
) -> None:
    ada, ben = pair
    fact = next(e for e in ada.json("read", NOTE)["data"]["entries"] if "fact 1" in e["text"])
    assert ada.ctxrepo("move", fact["id"], "topics/b.md").returncode == 0
    assert ben.ctxrepo("edit", fact["id"], "--old", "fact 1", "--new", "fact one").returncode == 0
    if is_archived_too:
        assert ben.ctxrepo("archive", NOTE).returncode == 0
        ada.ctxrepo("remember", "ada adds", "--note", NOTE)
    lines: dict[Path, list[str]] = {ada.home: [], ben.home: []}
    for machine in (pair[first], pair[1 - first]) * 2:
        lines[machine.home] += [line for line in machine.sync().notices if "an entry" in line]
    (now,) = (e["id"] for e in ada.json("read", NOTE)["data"]["entries"] if "fact one" in e["text"])
    line = f"an entry of {NOTE} was moved to shop/topics/b.md on one machine and changed on another"
    assert lines == {machine.home: [f"{line}: it is {now} in {NOTE} now"] for machine in pair}


def test_what_one_of_two_moved_or_archived_is_told_of_no_edit_that_followed(pair: Pair) -> None:
    ada, ben = pair
    first, second, _ = ada.json("read", NOTE)["data"]["entries"]
    ada.ctxrepo("move", first["id"], "topics/b.md")
    ada.ctxrepo("edit", "topics/b.md", "--old", "fact 0", "--new", "fact nought")
    ada.ctxrepo("archive", second["id"])
    ben.ctxrepo("edit", second["id"], "--old", "fact 1", "--new", "fact one")
    lines = [line for machine in (ada, ben, ada) for line in machine.sync().notices if "an entry" in line]
    assert len(lines) == 2
    assert all("was archived on one machine and changed on another" in line for line in lines)
