"""A code base that has got another name goes on with the memory of the old one, on every machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkouts import git
from copies import Copies
from machines import NOW, Machine, make_pair

from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.locate.look import find_project, identity_at
from ctxrepo.services.projects.link_project import ProjectLink, link_project
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts

OLD, NEW = "git.example.org/ada/shop", "git.example.org/ada/storefront"


def readdressed(machine: Machine) -> None:
    """The repository has another name at the forge."""
    git(machine.project_folder, "remote", "set-url", "origin", f"https://{NEW}.git")


def link(machine: Machine, target: str) -> ProjectLink:
    memory = machine.open()
    identity = identity_at(memory, machine.project_folder, machine.env)
    assert identity is not None
    return link_project(memory, identity.id, target, Origin(memory.host), NOW)


def place(machine: Machine) -> tuple[str, str]:
    project = machine.project()
    assert project is not None
    return project.id, project.folder


@pytest.fixture
def both(copies: Copies) -> tuple[Machine, Machine]:
    return copies.of(under_two_names)


def under_two_names(root: Path) -> tuple[Machine, Machine]:
    """Two machines with a note for the project under its old name; the first one has its new name."""
    ada, ben = make_pair(root)
    ada.remember("of the old name")
    ada.sync()
    ben.sync()
    readdressed(ada)
    return ada, ben


@pytest.mark.parametrize("target", ["shop", OLD, "git@git.example.org:ada/shop.git", " shop/ "])
def test_it_goes_on_in_the_old_folder(both: tuple[Machine, Machine], target: str) -> None:
    ada, ben = both
    assert place(ada) == (NEW, "storefront")
    linked = link(ada, target)
    assert (linked.name, linked.id, linked.folder, linked.is_changed) == (NEW, OLD, "shop", True)
    assert place(ada) == place(ben) == (OLD, "shop")
    assert ada.remember("of the new name").at.startswith("shop/")


def test_names_that_differ_only_in_case_are_one_note(both: tuple[Machine, Machine]) -> None:
    """On another machine they are one file, and one of two would hide the other."""
    ada, ben = both
    ada.remember("of the new name")
    ada.write("shop/Notes.md", "- of the old name\n")
    ada.write("shop/Topics/a.md", "- in topics\n")
    ada.write("storefront/notes.md", "- of the new name\n")
    ada.write("storefront/topics/A.md", "- in topics, too\n")
    assert link(ada, "shop").relocated.files == 3
    ada.sync()
    ben.sync()
    names = ben.git("ls-tree", "-r", "--name-only", "HEAD", "shop").splitlines()
    assert names == ["shop/MEMORY.md", "shop/Notes.md", "shop/Topics/a.md"]
    assert {*ben.read("shop/Notes.md").splitlines()} == {"- of the old name", "- of the new name"}
    assert {*ben.read("shop/Topics/a.md").splitlines()} == {"- in topics", "- in topics, too"}


def test_where_a_file_is_in_place_of_a_folder_nothing_is_linked(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.remember("of the new name")
    ada.write("shop/topics", "no folder\n")
    ada.write("storefront/topics/a.md", "- of the new name\n")
    before = ada.read("ctxrepo.toml")
    with pytest.raises(Refused, match="shop/topics is a file in place of a folder"):
        link(ada, "shop")
    assert (ada.read("ctxrepo.toml"), place(ada)) == (before, (NEW, "storefront"))
    assert ada.read("storefront/topics/a.md") == "- of the new name\n"


def test_the_other_machine_needs_not_link_again(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    readdressed(ben)
    assert place(ben) == (NEW, "storefront")
    link(ada, "shop")
    ada.sync()
    ben.sync()
    assert {(row.project, row.folder) for row in read_checkouts(ben.places.state)} == {(OLD, "shop")}
    assert place(ben) == (OLD, "shop")
    assert read_registry(ben.open()).names_of(OLD) == [NEW]


def test_a_kill_while_the_other_machine_hears_of_it_leaves_nothing_undone(
    both: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = both
    readdressed(ben)
    assert place(ben) == (NEW, "storefront")
    link(ada, "shop")
    ada.sync()

    def killed(memory: Memory) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxrepo.services.saving.refresh.update_recorded_checkouts", killed)
    with pytest.raises(KeyboardInterrupt):
        ben.sync()
    monkeypatch.undo()
    ben.sync()
    assert {(row.project, row.folder) for row in read_checkouts(ben.places.state)} == {(OLD, "shop")}


@pytest.mark.slow
def test_what_was_written_under_the_new_name_goes_along(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    ada.remember("of the new name")
    ada.remember("only here", category="gotcha")
    ada.sync()
    linked = link(ada, "shop")
    assert (linked.before, linked.relocated.files, linked.relocated.conflict_copies) == ("storefront", 2, ())
    for machine in (ada, ben):
        machine.sync()
        assert not (machine.clone / "storefront").exists()
        assert "of the old name" in machine.read("shop/MEMORY.md")
        assert "of the new name" in machine.read("shop/MEMORY.md")
        assert "only here" in machine.read("shop/topics/gotcha.md")
        assert read_registry(machine.open()).projects == {OLD: "shop"}


def test_it_waits_until_it_is_said_what_was_meant(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.remember("of the new name")
    ada.write("storefront/long.md", "".join(f"- entry {n}\n" for n in range(20)))
    ada.sync()
    ada.write("storefront/long.md", "- entry 0\n")
    with pytest.raises(Refused, match=r"storefront/long\.md is held back"):
        link(ada, "shop")
    assert place(ada) == (NEW, "storefront")
    assert ada.sync().held


@pytest.mark.slow
def test_what_the_other_machine_begins_under_the_new_name_comes_too(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    link(ada, "shop")
    ada.sync()
    readdressed(ben)
    assert ben.remember("of ben").at.startswith("storefront/")
    for machine in (ben, ada, ben):
        machine.sync()
    for machine in (ada, ben):
        assert not (machine.clone / "storefront").exists()
        assert "of the old name" in machine.read("shop/MEMORY.md")
        assert "of ben" in machine.read("shop/MEMORY.md")
        assert read_registry(machine.open()).projects == {OLD: "shop"}
    assert ada.tree() == ben.tree()
    assert ben.remember("and again").at.startswith("shop/")


def test_what_differs_in_both_is_kept_aside(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    ada.write("shop/about.md", "---\ndescription: the shop\n---\n- a\n")
    ada.remember("of the new name")
    ada.write("storefront/about.md", "---\ndescription: the storefront\n---\n- b\n")
    linked = link(ada, "shop")
    (copy,) = linked.relocated.conflict_copies
    assert copy.path == "shop/about.md"
    assert {"- a", "- b"} <= set(ada.read("shop/about.md").splitlines())
    assert "description: the" in ada.read(copy_as_file(copy)[0])


def test_a_folder_that_is_nobody_s_becomes_its_own(ada: Machine) -> None:
    ada.init()
    ada.write("left-by-pi/MEMORY.md", "- from pi\n")
    linked = link(ada, "left-by-pi")
    assert (linked.id, linked.folder) == (OLD, "left-by-pi")
    assert place(ada) == (OLD, "left-by-pi")
    assert read_registry(ada.open()).projects == {OLD: "left-by-pi"}
    assert not link(ada, "left-by-pi").is_changed


def test_a_link_can_lead_elsewhere_later_and_takes_nothing_away(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    link(ada, "shop")
    other = find_project(ada.open(), ada.home, {**ada.env, "CTXREPO_PROJECT": "other/one"})
    text = ada.read("ctxrepo.toml").replace("[projects]", '[projects]\n"other/one" = "one"')
    ada.write("ctxrepo.toml", text)
    assert other is not None
    linked = link(ada, "one")
    assert (linked.id, linked.folder, linked.before, linked.relocated.files) == ("other/one", "one", "", 0)
    assert place(ada) == ("other/one", "one")
    assert "of the old name" in ada.read("shop/MEMORY.md")


def test_what_is_not_there_can_not_be_linked(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    for target in ("nothing", "global", "TAPE", "conflicts", "..", ""):
        with pytest.raises(NotFound, match="there is no project"):
            link(ada, target)
    with pytest.raises(NotFound) as raised:
        link(ada, "shob")
    assert raised.value.hint == "Did you mean shop?"


def test_of_one_key_in_both_folders_the_value_of_the_project_holds(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    ben.remember("argo", key="deploy")
    ben.sync()
    ada.sync()
    ada.remember("flux", key="deploy")
    (line,) = link(ada, "shop").lines
    assert "`deploy: flux` is superseded: `deploy: argo` holds" in line
    assert "nothing to fix" in ada.ctxrepo("check").stdout
