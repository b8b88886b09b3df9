"""A project's folder is renamed: everything goes along, on every machine, and nothing comes back."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from machines import NOW, Machine
from marked import marks_of
from repositories import make_checkout

from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Busy, Refused, UsageError
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.history.commits import history
from ctxrepo.services.locate.identify import project_of, read_registry
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.projects.link_project import RenameResult, rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import CommitRequest
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.state.compiled import read_checkouts

NOTE = "topics/gotcha.md"


def rename(machine: Machine, name: str) -> RenameResult:
    memory = machine.open()
    return rename_project(memory, require_project(machine.project()), name, Origin(memory.host), NOW)


def test_where_another_machine_renamed_it_too_the_next_sync_says_which_name_it_has(
    pair: tuple[Machine, Machine],
) -> None:
    ada, ben = pair
    ada.remember("a fact")
    ada.sync()
    ben.sync()
    rename(ada, "store")
    rename(ben, "market")
    notices = [notice for machine in (ada, ben, ada) for notice in machine.sync().notices]
    folder = read_registry(ben.open()).folder_of("git.example.org/ada/shop")
    other = {"store": "market", "market": "store"}[folder]
    assert notices == [f"the notes of git.example.org/ada/shop are in {folder}/ now, no longer in {other}/"]


def test_a_rename_that_the_worker_fetched_is_told_by_the_next_sync_and_ones_own_is_not(
    both: tuple[Machine, Machine],
) -> None:
    ada, ben = both
    rename(ada, "store")
    assert ada.sync().notices == ()
    assert ben.sync(tells=False).notices == ()
    line = "the notes of git.example.org/ada/shop are in store/ now, no longer in shop/"
    assert [ben.sync().notices for _ in range(2)] == [(line,), ()]
    assert ada.sync().notices == ()


@pytest.mark.parametrize("by_commands", [True, False])
def test_two_projects_that_swap_folders_are_told_as_renamed_unless_a_hand_swapped_the_names_alone(
    both: tuple[Machine, Machine], tmp_path: Path, by_commands: bool
) -> None:
    ada, ben = both
    checkout = make_checkout(tmp_path / "two", "git@git.example.org:ada/two.git")
    ada.ctxrepo("remember", "A fact of its own", cwd=checkout)
    ada.sync()
    ben.sync()
    if by_commands:
        ada.ctxrepo("project", "rename", "tmp")
        ada.ctxrepo("project", "rename", "shop", cwd=checkout)
        ada.ctxrepo("project", "rename", "two")
    else:
        names = {'"shop"': '"two"', '"two"': '"shop"'}
        ada.write(REGISTRY, re.sub('"(shop|two)"$', lambda m: names[m[0]], ada.read(REGISTRY), flags=re.M))
    ada.sync()
    text = " ".join(ben.sync().notices)
    assert ("/shop are in two/ now, no longer in shop/" in text) == by_commands
    assert ("shop/ as its folder there has its notes in view again" in text) == (not by_commands)
    assert "project link" not in text  # which would make one project of the two


def files(machine: Machine) -> list[str]:
    """What is in the last commit, without what every memory has."""
    names = machine.git("-c", "core.quotePath=off", "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return [name for name in names if "/" in name and not name.startswith((".ctx", "global"))]


def handoffs(machine: Machine) -> list[tuple[str]]:
    """The scopes of which the cache has a handoff."""
    with closing(sqlite3.connect(machine.open().state.cache)) as db:
        return db.execute("select scope from handoff order by scope").fetchall()


@pytest.fixture
def both(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    """Two machines that have written for the project and know it."""
    ada, ben = pair
    ada.remember("Tests need redis", category="gotcha")
    ada.sync()
    ben.sync()
    ben.project()
    return ada, ben


def test_notes_tapes_and_other_files_go_along(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    memory = ada.open()
    anchor(memory, AnchorRequest("task/begin"), ada.project(), Origin(memory.host), NOW)
    ada.write("TAPE/shop__anchors.jsonl", '{"id": "1"}\n')
    (ada.clone / "shop/raw.bin").write_bytes(b"\xff\xfe\x00raw")
    renamed = rename(ada, "störe front")
    assert (renamed.before, renamed.folder, renamed.relocated.files) == ("shop", "störe front", 4)
    for machine in (ada, ben):
        machine.sync()
        tape = f"TAPE/störe front/{ada.open().host}-202611.jsonl"
        there = ["TAPE/störe front__anchors.jsonl", tape, f"störe front/{NOTE}", "störe front/raw.bin"]
        assert sorted(files(machine)) == sorted(there)
        assert (machine.clone / "störe front/raw.bin").read_bytes() == b"\xff\xfe\x00raw"
        assert not (machine.clone / "shop").exists()
        project = machine.project()
        assert project is not None
        assert (project.folder, project.is_registered) == ("störe front", True)
        assert {row.folder for row in read_checkouts(machine.places.state)} == {"störe front"}


def test_it_is_acknowledged_before_it_is_committed(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    rename(ada, "store")
    assert {w.path: w.after is None for w in ada.open().journal.read()} == {
        f"shop/{NOTE}": True,
        f"store/{NOTE}": False,
        "ctxrepo.toml": False,
        f".ctx/evidence/{ada.open().host}-202611.jsonl": False,
    }
    assert "Tests need redis" in ada.read(f"store/{NOTE}")


def test_what_the_other_machine_writes_meanwhile_arrives_in_the_new_folder(
    both: tuple[Machine, Machine],
) -> None:
    ada, ben = both
    rename(ada, "store")
    ada.sync()
    ben.remember("Ben's own", category="gotcha")
    ben.write("shop/topics/new.md", "- new\n")
    for machine in (ben, ada, ben):
        assert not machine.sync().conflict_copies
    for machine in (ada, ben):
        assert files(machine) == [f"store/{NOTE}", "store/topics/new.md"]
        assert "Tests need redis" in machine.read(f"store/{NOTE}")
        assert "Ben's own" in machine.read(f"store/{NOTE}")
    assert ben.remember("and on it goes", category="gotcha").at.startswith("store/")
    assert ada.tree() == ben.tree()


def test_both_rename_it(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    rename(ada, "store")
    rename(ben, "mart")
    ben.remember("in the mart", category="gotcha")
    for machine in (ada, ben, ada):
        machine.sync()
    assert files(ada) == files(ben)
    assert len(files(ada)) == 1
    assert "in the mart" in ada.read(files(ada)[0])


def test_another_project_may_take_the_old_name(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    memory = ada.open()
    anchor(memory, AnchorRequest("task/begin", "of the first"), ada.project(), Origin(memory.host), NOW)
    ada.sync()
    rename(ada, "store")
    memory = ada.open()
    other = project_of(memory, read_registry(memory), "git.example.org/zoe/shop")
    assert other.folder == "shop"
    remember(ada.open(), Fact("zoe's"), other, Origin(memory.host), NOW)
    ada.sync()
    assert [row[0] for row in handoffs(ada)] == ["store"]
    ben.remember("for ada's shop", category="gotcha")
    ben.sync()
    assert "for ada's shop" in ben.read(f"store/{NOTE}")
    assert "zoe's" in ben.read("shop/MEMORY.md")


def test_links_that_name_the_folder_follow_and_others_stay(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.write("global/links.md", "- [[shop/topics/gotcha]] and [[topics/gotcha]] and [[shop]]\n")
    ada.write("shop/a.md", "- [[shop/b|b]] [[shop-2/b]]\n")
    before = ada.read("global/MEMORY.md")
    renamed = rename(ada, "store")
    assert renamed.relocated.linking == 1
    assert ada.read("global/links.md") == "- [[store/topics/gotcha]] and [[topics/gotcha]] and [[shop]]\n"
    assert ada.read("store/a.md") == "- [[store/b|b]] [[shop-2/b]]\n"
    assert ada.read("global/MEMORY.md") == before


def test_marks_of_entries_go_along(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    pinned = ada.remember("Port is 1", category="gotcha", pin=True)
    rename(ada, "store")
    ada.sync()
    memory = ada.open()
    (new,) = marks_of(memory, ada.tree()).pinned - {pinned.id}
    entry = memory.cache.ask(entry_by_id, new)
    assert entry is not None
    assert (entry.entry.path, entry.entry.text) == (f"store/{NOTE}", "- [gotcha] Port is 1")
    assert entry.is_pinned


def test_the_history_of_a_note_goes_through_it(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    rename(ada, "store")
    ada.remember("and another", category="gotcha")
    ada.sync()
    deeds = history(ada.open(), Target("", NOTE), ada.project(), 10)
    assert [line for deed in deeds for line in deed.lines if line.startswith("+")] == [
        "+ [gotcha] and another",
        "+ [gotcha] Tests need redis",
    ]


def test_what_no_folder_may_be_called(ada: Machine) -> None:
    ada.init()
    for name in (
        "global",
        "Tape",
        "inbox",
        "conflicts",
        "archive",
        ".x",
        "a/b",
        "..",
        "",
        "-x",
        "a:b",
        "con",
    ):
        with pytest.raises(UsageError, match="can't be a project's folder"):
            rename(ada, name)


def test_what_is_there_already_is_not_taken(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.write("loose/note.md", "- x\n")
    ada.write("TAPE/taped/h.jsonl", "{}\n")
    ada.write("TAPE/legacy__anchors.jsonl", "{}\n")
    text = ada.read("ctxrepo.toml").replace("[projects]", '[projects]\nother = "claimed"')
    ada.write("ctxrepo.toml", text)
    ada.write("plain", "x\n")
    ada.write("TAPE/tape.txt", "x\n")
    (ada.clone / "linked").symlink_to(ada.home)
    taken = ("loose", "LOOSE", "taped", "legacy", "Claimed", "Shop", "shop")
    for name in (*taken, "README.md", "readme.MD", "Plain", "tape.txt", "linked"):
        with pytest.raises(Refused):
            rename(ada, name)
        assert ada.read("ctxrepo.toml") == text
    assert (ada.clone / "shop" / NOTE).exists()
    assert not ada.open().journal.names()


def test_a_folder_of_which_the_deletion_is_held_back_is_there_still(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.write("loose/note.md", "".join(f"- fact {n}\n" for n in range(12)))
    ada.sync()
    (ada.clone / "loose/note.md").unlink()
    (ada.clone / "loose").rmdir()
    assert ada.sync().held
    with pytest.raises(Refused, match="there is loose/ in the memory already"):
        rename(ada, "Loose")


def test_one_who_looked_before_is_told_to_look_again(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    project = ada.project()
    rename(ada, "store")
    memory = ada.open()
    with pytest.raises(Busy, match="store/"):
        anchor(memory, AnchorRequest("task/begin"), project, Origin(memory.host), NOW)


def test_a_project_of_which_nothing_is_written_begins_in_the_folder_of_that_name(ada: Machine) -> None:
    ada.init()
    rename(ada, "store")
    assert ada.remember("first").at.startswith("store/")


def test_a_folder_in_which_something_is_held_back_keeps_its_name(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.write("shop/long.md", "".join(f"- entry {n}\n" for n in range(20)))
    ada.sync()
    ada.write("shop/long.md", "- entry 0\n")
    with pytest.raises(Refused, match=r"shop/long\.md is held back"):
        rename(ada, "store")
    assert ada.sync(wanted=CommitRequest(deletions=True)).held == ()
    assert rename(ada, "store").folder == "store"


def test_a_folder_that_a_hand_named_and_that_is_not_there_is_told_with_what_helps(
    pair: tuple[Machine, Machine],
) -> None:
    ada, ben = pair
    ada.remember("Port 602 is the river's")
    ada.sync()
    ben.sync()
    ben.write(REGISTRY, ben.read(REGISTRY).replace('"shop"', '"store"'))
    notices = [line for machine in (ben, ada, ben) for line in machine.sync().notices]
    assert len([line for line in notices if "there is no such folder" in line]) == 2
    assert not [line for line in notices if "are in store/ now" in line]
    assert "`ctxrepo project link shop`" in notices[0]
    assert ada.ctxrepo("project", "link", "shop").returncode == 0
    assert "602" in ada.ctxrepo("recall", "river port").stdout


def test_a_project_without_notes_is_told_as_renamed_and_nothing_to_do(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.ctxrepo("handoff", "--next", "go on")
    ada.sync()
    ben.sync()
    rename(ben, "store")
    ben.sync()
    line = "the folder of git.example.org/ada/shop is store/ now, no longer shop/"
    assert [line for line in ada.sync().notices if "shop" in line] == [line]
    assert "Next: go on" in ada.ctxrepo("handoff", "--show").stdout
    # Another project takes the old name: what is in it now isn't this one's.
    ada.write(REGISTRY, ada.read(REGISTRY) + '"example.org/new" = "shop"\n')
    ada.write("shop/MEMORY.md", "- of another project\n")
    ada.sync()
    rename(ben, "market")
    text = " ".join([*ben.sync().notices, *ada.sync().notices, *ben.sync().notices])
    assert "market/ now, no longer store/" in text
    assert "in view again" not in text


def test_anchors_that_a_hand_left_behind_are_told_with_where_they_are(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.ctxrepo("handoff", "--next", "go on")
    ada.sync()
    ben.sync()
    ben.write(REGISTRY, ben.read(REGISTRY).replace('"shop"', '"store"'))
    ben.sync()
    (notice,) = [line for line in ada.sync().notices if "shop" in line]
    assert "its anchors are in TAPE/shop/: shop/ as its folder there has them in view again" in notice
    ada.write(REGISTRY, ada.read(REGISTRY).replace('"store"', '"shop"'))
    assert "Next: go on" in ada.ctxrepo("handoff", "--show").stdout


def test_a_folder_of_another_project_that_a_hand_named_is_not_told_as_where_the_notes_are(
    pair: tuple[Machine, Machine],
) -> None:
    ada, ben = pair
    ada.remember("Port 602 is the river's")
    ada.write("bank/MEMORY.md", "- the vault opens at nine\n")
    ada.write(REGISTRY, ada.read(REGISTRY) + '"example.org/bank" = "bank"\n')
    ada.sync()
    ben.sync()
    ben.write(REGISTRY, ben.read(REGISTRY).replace('= "shop"', '= "bank"'))
    notices = [line for machine in (ben, ada, ben) for line in machine.sync().notices if "folder of" in line]
    assert all("its notes are in shop/" in line and "`ctxrepo project link shop`" in line for line in notices)
    assert notices
