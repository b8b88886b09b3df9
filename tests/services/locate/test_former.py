"""A checkout whose address changed names the project that it was, until a person decides."""

from __future__ import annotations

import json
import shutil

import pytest
from checkouts import git
from machines import NOW, Machine

from ctxrepo.services.saving.commit import commit

LINK = "`ctxrepo project link shop`"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    """A machine that knows its checkout as shop, which has a note."""
    ada.init()
    ada.remember("redis listens on 6380")
    ada.project()
    return ada


def readdress(machine: Machine, owner: str) -> None:
    git(machine.project_folder, "remote", "set-url", "origin", f"https://git.example.org/{owner}/shop.git")


def session(machine: Machine, name: str) -> str:
    start = {"session_id": name, "cwd": str(machine.project_folder), "source": "startup"}
    return str(machine.process("hook", "claude", "SessionStart", stdin=json.dumps(start)).stdout)


def offers(machine: Machine) -> list[bool]:
    """Whether status, project and doctor name the old memory."""
    return [LINK in machine.ctxrepo(*words).stdout for words in (("status",), ("project",), ("doctor",))]


def test_it_is_named_before_and_after_the_first_note(mine: Machine) -> None:
    readdress(mine, "zoe")
    assert offers(mine) == [True, True, True]
    mine.remember("a new fact")
    commit(mine.open(), NOW)
    assert offers(mine) == [True, True, True]
    assert [LINK in session(mine, name) for name in ("s", "t")] == [True, True]


@pytest.mark.slow
def test_a_second_change_of_address_forgets_neither(mine: Machine) -> None:
    readdress(mine, "zoe")
    mine.remember("of zoe's")
    commit(mine.open(), NOW)
    readdress(mine, "kim")
    assert "project link shop-2" in mine.ctxrepo("project").stdout
    mine.ctxrepo("project", "link", "shop-2")
    assert offers(mine) == [True, True, True]


@pytest.mark.slow
def test_a_folder_renamed_since_is_named_as_it_is_called_now(mine: Machine) -> None:
    other = mine.home / "other"
    shutil.copytree(mine.project_folder, other)
    readdress(mine, "zoe")
    mine.remember("a new fact")
    mine.project()
    mine.ctxrepo("project", "rename", "store", cwd=other)
    commit(mine.open(), NOW)
    assert "project link store`" in session(mine, "s")


@pytest.mark.parametrize("decision", [("link", "shop"), ("trust",)])
def test_a_decision_ends_it(mine: Machine, decision: tuple[str, ...]) -> None:
    readdress(mine, "zoe")
    mine.remember("a new fact")
    assert offers(mine) == [True, True, True]
    assert mine.ctxrepo("project", *decision).returncode == 0
    assert offers(mine) == [False, False, False]
    assert LINK not in session(mine, "s")


def test_an_id_that_a_person_gave_is_a_decision(mine: Machine) -> None:
    git(mine.project_folder, "config", "ctxrepo.project", "till")
    assert offers(mine) == [False, False, False]


def test_another_checkout_in_its_place_was_never_that(mine: Machine) -> None:
    folder = mine.project_folder
    shutil.rmtree(folder)
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", "https://git.example.org/zoe/till.git")
    assert offers(mine) == [False, False, False]


def test_a_checkout_that_moved_and_changed_is_still_known(mine: Machine) -> None:
    readdress(mine, "zoe")
    moved = mine.project_folder.rename(mine.home / "elsewhere")
    assert LINK in mine.ctxrepo("project", cwd=moved).stdout


def test_while_git_refuses_the_checkout_nothing_is_forgotten(mine: Machine) -> None:
    config = mine.project_folder / ".git" / "config"
    text = config.read_text()
    config.write_text(text + "[broken\n")
    assert "isn't known which project" in mine.ctxrepo("status").stdout
    config.write_text(text)
    readdress(mine, "zoe")
    assert offers(mine) == [True, True, True]
