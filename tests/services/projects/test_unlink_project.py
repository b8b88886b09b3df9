"""A name that was linked to a project is one of its own again, on every machine; nothing is taken away."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkouts import git, repository
from copies import Copies
from long import rotating
from machines import NOW, Machine, make_pair

from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound
from ctxrepo.services.delivery.file_blocks import add, renew
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.locate.look import find_project
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.projects.link_project import UnlinkResult, link_project, unlink_project
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.state.compiled import read_checkouts

OLD, NEW = "git.example.org/ada/shop", "git.example.org/ada/storefront"


def unlink(machine: Machine, name: str = "", identity: str = NEW) -> UnlinkResult:
    memory = machine.open()
    return unlink_project(memory, identity, name, Origin(memory.host), NOW)


def folder(machine: Machine) -> str:
    project = machine.project()
    assert project is not None
    return project.folder


@pytest.fixture
def both(copies: Copies) -> tuple[Machine, Machine]:
    return copies.of(linked)


def linked(place: Path) -> tuple[Machine, Machine]:
    """Two machines on which the project's new address is linked to its old one."""
    ada, ben = pair = make_pair(place)
    ada.remember("of the old name")
    for machine in pair:
        git(machine.project_folder, "remote", "set-url", "origin", f"https://{NEW}.git")
    link_project(ada.open(), NEW, "shop", Origin(ada.open().host), NOW)
    ada.sync()
    ben.sync()
    assert (folder(ada), folder(ben)) == ("shop", "shop")
    return ada, ben


@pytest.mark.slow
@pytest.mark.parametrize("name", rotating(["", NEW, f"https://{NEW}.git"], keep=2))
def test_it_has_a_folder_of_its_own_at_once_and_the_rest_stays(
    both: tuple[Machine, Machine], name: str
) -> None:
    ada, ben = both
    assert unlink(ada, name) == UnlinkResult(NEW, "storefront", True, "shop")
    assert (read_registry(ada.open()).aliases, folder(ada)) == ({}, "storefront")
    assert ada.remember("of the new name").at.startswith("storefront/")
    for machine in (ada, ben, ada):
        machine.sync()
    assert folder(ben) == "storefront"
    assert "of the old name" in ben.read("shop/MEMORY.md")
    assert "of the new name" in ben.read("storefront/MEMORY.md")


def for_hooks(machine: Machine) -> dict[str, tuple[str, str]]:
    """Where sessions are on a machine -> the project and the folder that they are given."""
    return {row.top: (row.project, row.folder) for row in read_checkouts(machine.places.state)}


def test_hooks_give_the_other_project_to_none_of_its_checkouts(both: tuple[Machine, Machine]) -> None:
    ada, ben = both
    second = repository(ada.home / "second", f"https://{NEW}.git")
    other = repository(ada.home / "other", f"https://{OLD}.git")
    for place in (ada.project_folder, second, other):
        find_project(ada.open(), place, ada.env)
    find_project(ada.open(), ada.home, {**ada.env, "CTXREPO_PROJECT": f"https://{NEW}.git"})
    named = f"=https://{NEW}.git"
    assert set(for_hooks(ada).values()) == {(OLD, "shop")}
    unlink(ada)
    now = {str(ada.project_folder): (NEW, "storefront"), str(second): (NEW, "storefront")}
    assert for_hooks(ada) == {**now, named: (NEW, "storefront"), str(other): (OLD, "shop")}
    ada.sync()
    assert for_hooks(ben) == {str(ben.project_folder): (OLD, "shop")}
    ben.sync()
    assert for_hooks(ben) == {str(ben.project_folder): (NEW, "storefront")}


def test_a_checkout_that_was_linked_by_its_first_write_is_unlinked_like_others(ada: Machine) -> None:
    ada.init()
    folder = repository(ada.home / "tool")
    own = "h/ada/tool"

    def seen(place: Path = folder) -> str:
        project = find_project(ada.open(), place, ada.env)
        assert project is not None
        return project.folder

    memory = ada.open()
    project = find_project(memory, folder, ada.env)
    remember(memory, Fact("begun without a remote"), project, Origin(memory.host), NOW)
    git(folder, "remote", "add", "origin", f"https://{own}")
    assert seen() == "tool"
    project = find_project(memory, folder, ada.env)
    remember(memory, Fact("with one"), project, Origin(memory.host), NOW)
    assert own in read_registry(memory).aliases
    unlink(ada, identity=own)
    assert for_hooks(ada)[str(folder)] == (own, "tool-2")


def test_a_block_in_a_file_is_the_other_project_s_no_longer(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    file = ada.project_folder / "AGENTS.md"
    commit(ada.open(), NOW)
    add(ada.open(), file, ada.env)
    assert "of the old name" in file.read_text()
    unlink(ada)
    commit(ada.open(), NOW)
    (standing,) = renew(ada.open(), NOW)
    assert (standing.state, standing.block.project) == ("stale", NEW)
    assert "of the old name" not in file.read_text()
    ada.remember("of the new name")
    commit(ada.open(), NOW)
    renew(ada.open(), NOW)
    assert "of the new name" in file.read_text()


def test_what_the_other_machine_writes_meanwhile_stays_where_it_wrote_it(
    both: tuple[Machine, Machine],
) -> None:
    ada, ben = both
    unlink(ada)
    ada.sync()
    assert ben.remember("meanwhile").at.startswith("shop/")
    for machine in (ben, ada):
        machine.sync()
    assert "meanwhile" in ada.read("shop/MEMORY.md")
    assert ada.tree() == ben.tree()
    assert read_registry(ben.open()).projects == {OLD: "shop", NEW: "storefront"}


def test_a_folder_of_that_name_is_not_shared(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    other = {**ada.env, "CTXREPO_PROJECT": "h/x/storefront"}
    text = ada.read("ctxrepo.toml").replace("[projects]", '[projects]\n"h/x/storefront" = "storefront"')
    ada.write("ctxrepo.toml", text)
    assert unlink(ada).folder == "storefront-2"
    project = find_project(ada.open(), ada.home, other)
    assert (project and project.folder) == "storefront"


def test_what_is_not_linked_changes_nothing_and_tells_its_names(both: tuple[Machine, Machine]) -> None:
    ada, _ = both
    before = ada.read("ctxrepo.toml")
    assert unlink(ada, identity=OLD) == UnlinkResult(OLD, "shop", False, names=(NEW,))
    with pytest.raises(NotFound) as raised:
        unlink(ada, "git.example.org/ada/storefrnt")
    assert raised.value.hint == f"Did you mean {NEW}?"
    assert ada.read("ctxrepo.toml") == before
