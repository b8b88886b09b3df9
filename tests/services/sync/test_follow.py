"""What is held back on one machine goes with its note, however others moved it and its project meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from copies import Copies
from long import rotating
from machines import Machine, make_pair

from ctxrepo.domain.project.target import parse_target
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.sync.sync import sync

Pair = tuple[Machine, Machine]
Act = Callable[[Machine], None]

OLD, COUNT = "shop/topics/a.md", 15
SECRET = f"- the token is {'ghp_' + 'a1B2' * 9}\n"


@pytest.fixture
def pair(copies: Copies) -> Pair:
    return copies.of(with_a_note)


def with_a_note(place: Path) -> Pair:
    """Two machines whose project has a note of 15 entries beside a few others."""
    ada, ben = make_pair(place)
    ada.remember("which registers the project")
    ada.write(OLD, "".join(f"- alpha fact number {n}\n" for n in range(COUNT)))
    for number in range(4):
        ada.write(f"shop/topics/n{number}.md", f"- beta fact number {number} {'y' * number}\n")
    ada.sync()
    ben.sync()
    return ada, ben


def folder_of(machine: Machine) -> str:
    """The name of the project's folder on this machine."""
    (project,) = machine.json("project", "list")["data"]["projects"]
    return str(project["folder"])


def move_note(machine: Machine) -> None:
    assert machine.ctxrepo("move", "topics/a.md", "topics/z.md").returncode == 0


def move_note_by_hand(machine: Machine) -> None:
    folder = machine.clone / folder_of(machine) / "topics"
    (folder / "a.md").rename(folder / "z.md")
    machine.sync(send=False)


def move_note_by_git(machine: Machine) -> None:
    machine.sync(send=False)
    folder = folder_of(machine)
    machine.git("mv", f"{folder}/topics/a.md", f"{folder}/topics/z.md")
    machine.git("commit", "-qm", "by hand")
    machine.sync(send=False)


def rename_project(machine: Machine) -> None:
    name = {"shop": "store", "store": "mart"}[folder_of(machine)]
    assert machine.ctxrepo("project", "rename", name).returncode == 0


def rename_folder(machine: Machine) -> None:
    folder = folder_of(machine)
    (machine.clone / folder).rename(machine.clone / {"shop": "store", "store": "mart"}[folder])
    machine.sync(send=False)


def move_all_at_once(machine: Machine) -> None:
    """A hand renames the folder and the note before anything looks at them."""
    (machine.clone / "shop").rename(machine.clone / "store")
    (machine.clone / "store/topics/a.md").rename(machine.clone / "store/topics/z.md")
    machine.sync(send=False)


def move_to_archive(machine: Machine) -> None:
    assert machine.ctxrepo("archive", "topics/a.md").returncode == 0


NOTE_MOVES: list[Act] = [move_note, move_note_by_hand, move_note_by_git]
PROJECT_MOVES: list[Act] = [rename_project, rename_folder]
COMBINATIONS: list[tuple[str, tuple[Act, ...]]] = [
    *(
        ("z.md", acts)
        for note in NOTE_MOVES
        for project in PROJECT_MOVES
        for acts in permutations([note, project])
    ),
    *(("z.md", (rename_project, note, rename_folder)) for note in NOTE_MOVES),
    ("z.md", (move_note, rename_project, rename_project)),
    ("z.md", (move_all_at_once,)),
    ("a.md", (rename_folder, rename_project)),
    ("archive", (move_to_archive, rename_project)),
    ("archive", (rename_project, move_to_archive)),
]
CASES = [pytest.param(name, acts, id="-".join(a.__name__ for a in acts)) for name, acts in COMBINATIONS]


def place_in(machine: Machine, name: str) -> str:
    folder = folder_of(machine)
    return f"{folder}/archive/topics/a.md" if name == "archive" else f"{folder}/topics/{name}"


def lose_all(machine: Machine) -> None:
    (machine.clone / OLD).unlink()


def lose_most(machine: Machine) -> None:
    machine.write(OLD, "- alpha fact number 0\n")


def entries_below(machine: Machine) -> dict[str, int]:
    """path -> how many of the entries are in it, of all notes in the newest commit that have some."""
    paths = machine.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    notes = [path for path in paths if path.endswith(".md") and not path.startswith(".ctx")]
    counts = {path: machine.git("show", f"HEAD:{path}").count("- alpha fact") for path in notes}
    return {path: count for path, count in counts.items() if count}


def tops(machine: Machine) -> set[str]:
    return {path.name for path in machine.clone.iterdir() if path.is_dir() and path.name[0] != "."}


def receive(ada: Machine, ben: Machine, acts: tuple[Act, ...], is_apart: bool) -> None:
    """Ada receives what Ben did; the one or the other merges."""
    if is_apart:
        ada.remember("written meanwhile", note=parse_target("global:MEMORY.md"))
    for act in acts:
        act(ben)
    ben.sync()
    ada.sync()


@pytest.mark.slow
@pytest.mark.parametrize("is_apart", rotating([False, True], keep=1))
@pytest.mark.parametrize("decision", rotating(["accept", "fix"], keep=1))
@pytest.mark.parametrize("lose", rotating([lose_all, lose_most], keep=1))
@pytest.mark.parametrize(("name", "acts"), rotating(CASES, keep=6))
def test_a_deletion_is_decided_where_the_note_is(
    pair: Pair, name: str, acts: tuple[Act, ...], lose: Act, decision: str, is_apart: bool
) -> None:
    ada, ben = pair
    lose(ada)
    assert ada.sync().held
    receive(ada, ben, acts, is_apart)
    place = place_in(ben, name)
    assert [refusal.path for refusal in ada.sync().held] == [place]
    assert [item.path for item in items_to_decide(ada.open())] == [place]
    assert place in ada.ctxrepo("sync").stderr
    assert not (ada.clone / OLD).exists()
    ada.ctxrepo(*(["sync", "--accept", "deletions"] if decision == "accept" else ["doctor", "--fix"]))
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    left = int(lose is lose_most) if decision == "accept" else COUNT
    assert entries_below(ada) == ({place: left} if left else {})
    assert tops(ada) == tops(ben) == {"global", folder_of(ben)}


@pytest.mark.slow
@pytest.mark.parametrize("is_apart", rotating([False, True], keep=1))
@pytest.mark.parametrize(("name", "acts"), rotating(CASES, keep=3))
def test_a_secret_is_held_back_where_the_note_is(
    pair: Pair, name: str, acts: tuple[Act, ...], is_apart: bool
) -> None:
    ada, ben = pair
    ada.write(OLD, ada.read(OLD) + SECRET)
    assert ada.sync().held
    receive(ada, ben, acts, is_apart)
    place = place_in(ben, name)
    assert [refusal.path for refusal in ada.sync().held] == [place]
    assert not (ada.clone / OLD).exists()
    ada.write(place, ada.read(place).replace(SECRET, "- the token is with Bob\n"))
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    assert entries_below(ada) == {place: COUNT}
    assert "with Bob" in ben.read(place)
    assert tops(ada) == tops(ben) == {"global", folder_of(ben)}


@pytest.mark.parametrize("acts", [(move_note,), (move_note, rename_project)])
def test_it_is_held_back_there_though_of_that_note_alone_too_little_is_missing(
    pair: Pair, acts: tuple[Act, ...]
) -> None:
    ada, ben = pair
    other = "shop/topics/cut.md"
    ada.write(other, "".join(f"- other fact number {n}\n" for n in range(4)))
    ada.sync()
    ben.sync()
    ada.write(OLD, "".join(ada.read(OLD).splitlines(keepends=True)[6:]))
    (ada.clone / other).unlink()
    assert len(ada.sync().held) == 2
    ada.remember("which brings that note back", note=parse_target(f"shop:{other.removeprefix('shop/')}"))
    assert [refusal.path for refusal in ada.sync().held] == [OLD]
    ben.sync()
    for act in acts:
        act(ben)
    ben.sync()
    place = place_in(ben, "z.md")
    for _ in range(2):
        assert [refusal.path for refusal in ada.sync().held] == [place]
    ben.sync()
    assert entries_below(ben) == {place: COUNT}


@pytest.mark.slow
@pytest.mark.parametrize("acts", [*permutations([move_note, rename_project]), (move_note, rename_folder)])
@pytest.mark.parametrize("decision", rotating(["accept", "fix"], keep=1))
def test_it_goes_along_though_nothing_that_the_note_says_is_as_it_was(
    pair: Pair, acts: tuple[Act, ...], decision: str
) -> None:
    ada, ben = pair
    lose_most(ada)
    assert ada.sync().held
    for act in acts:
        act(ben)
    ben.sync()
    place = place_in(ben, "z.md")
    ben.write(place, "".join(f"- gamma line of {n} {'z' * n}\n" for n in range(COUNT)))
    ben.ctxrepo("sync", "--accept", "deletions")
    ada.sync()
    assert not (ada.clone / "shop").exists()
    ada.ctxrepo(*(["sync", "--accept", "deletions"] if decision == "accept" else ["doctor", "--fix"]))
    ada.sync()
    ben.sync()
    assert ada.tree() == ben.tree()
    assert ben.read(place).count("- gamma line") == COUNT
    assert tops(ada) == tops(ben) == {"global", folder_of(ben)}


@pytest.mark.slow
@pytest.mark.parametrize("decision", rotating(["accept", "fix"], keep=1))
@pytest.mark.parametrize("lose", [lose_all, lose_most])
def test_it_is_decided_in_the_note_that_another_machine_put_it_into(
    pair: Pair, lose: Act, decision: str
) -> None:
    ada, ben = pair
    registry = ada.clone / "ctxrepo.toml"
    registry.write_text(registry.read_text() + '"git.example.org/ada/other" = "other"\n')
    place = "other/topics/a.md"
    ada.write(place, "- there before\n")
    ada.sync()
    ben.sync()
    lose(ada)
    assert [refusal.path for refusal in ada.sync().held] == [OLD]
    assert ben.ctxrepo("project", "link", "other").returncode == 0
    ben.sync()
    for _ in range(2):
        assert [refusal.path for refusal in ada.sync().held] == [place]
    ada.ctxrepo(*(["sync", "--accept", "deletions"] if decision == "accept" else ["doctor", "--fix"]))
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    left = int(lose is lose_most) if decision == "accept" else COUNT
    assert entries_below(ada) == ({place: left} if left else {})
    assert ben.read(place).count("- there before") == 1
    assert tops(ada) == tops(ben) == {"global", "other"}


def test_a_new_note_at_the_old_path_is_another_one(pair: Pair) -> None:
    ada, ben = pair
    lose_most(ada)
    assert ada.sync().held
    move_note(ben)
    ben.write(OLD, "- of something else\n")
    ben.sync()
    assert ada.sync().held
    assert [refusal.path for refusal in ada.sync().held] == ["shop/topics/z.md"]
    ada.ctxrepo("sync", "--accept", "deletions")
    ben.sync()
    assert entries_below(ben) == {"shop/topics/z.md": 1}
    for machine in pair:
        assert machine.read(OLD) == "- of something else\n"


@pytest.mark.slow
@pytest.mark.parametrize("who", rotating([0, 1], keep=1), ids=lambda who: ("ada", "ben")[who])
@pytest.mark.parametrize("acts", [*permutations([move_note, rename_project])])
def test_a_deleted_note_that_a_merge_kept_elsewhere_is_not_told_nor_doubled(
    pair: Pair, acts: tuple[Act, ...], who: int
) -> None:
    ada, ben = pair
    ada.write(OLD, "".join(f"- alpha fact number {n}\n" for n in range(5)))
    assert ada.ctxrepo("sync", "--accept", "deletions").returncode == 0
    ben.sync()
    (ada.clone / OLD).unlink()
    (line,) = told_by_hand(ada)
    for act in acts:
        act(ben)
    ben.sync()
    ada.sync()
    assert entries_below(ada) == {f"{folder_of(ben)}/topics/z.md": 5}
    assert [line for machine in pair for line in told_by_hand(machine) if "5 entries" in line] == []
    pair[who].ctxrepo(*line.split("`")[1].split()[1:])
    for machine in (*pair, ada):
        machine.sync()
        assert entries_below(machine) == {f"{folder_of(ben)}/topics/z.md": 5}


def told_by_hand(machine: Machine) -> list[str]:
    """What a sync of this moment tells of deletions."""
    notices = sync(machine.open(), datetime.now(UTC)).notices
    return [line for line in notices if "deleted by hand" in line]
