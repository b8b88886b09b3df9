"""Where a command stands is told from what is recorded, and as git would tell it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import PROJECT_URL, Machine
from repositories import make_checkout

from ctxrepo.domain.project.layout import REGISTRY
from ctxrepo.services.locate.identify import Location, Project
from ctxrepo.services.locate.look import find_location, find_project, locate_with_git

SHOP = Project("git.example.org/ada/shop", "shop", True, checkout_id="git.example.org/ada/shop")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-mx")


def found(machine: Machine, folder: Path) -> tuple[Location, bool]:
    """The location of a folder, and whether git was asked for it."""
    asked = machine.home.parent / "asked"
    asked.unlink(missing_ok=True)
    shim = machine.home.parent / "shim" / "git"
    shim.parent.mkdir(exist_ok=True)
    shim.write_text(f'#!/bin/sh\n: > "{asked}"\nPATH="${{PATH#*:}}" exec git "$@"\n')
    shim.chmod(0o755)
    env = machine.env | {"PATH": f"{shim.parent}:{machine.env['PATH']}"}
    memory = Machine(machine.home, {**machine.more, "PATH": env["PATH"]}).open()
    asked.unlink(missing_ok=True)
    return find_location(memory, folder, env), asked.exists()


def test_the_notes_of_a_project_are_its_own_folder(ada: Machine) -> None:
    ada.init()
    ada.remember("this makes the project known")
    (ada.clone / "shop/topics").mkdir()
    (ada.clone / "notes").mkdir()
    places = {
        name: find_project(ada.open(), ada.clone / name, ada.env) for name in ("", "global", "notes", ".git")
    }
    assert places == dict.fromkeys(places)
    for name in ("shop", "shop/topics"):
        here = find_project(ada.open(), ada.clone / name, ada.env)
        assert here is not None
        assert (here.id, here.folder) == (SHOP.id, SHOP.folder)
    link = ada.home / "notes-of-shop"
    link.symlink_to(ada.clone / "shop")
    assert ada.ctxrepo("remember", "written among the notes", cwd=link).returncode == 0
    assert "written among the notes" in ada.read("shop/MEMORY.md")
    assert "written among the notes" not in ada.read("global/MEMORY.md")


@pytest.fixture
def recorded(ada: Machine) -> Machine:
    """A machine whose checkout is known, with memory for its project."""
    ada.init()
    ada.remember("The basket needs Postgres")
    assert ada.project() == SHOP
    return ada


def test_git_is_asked_once(ada: Machine) -> None:
    ada.init()
    ada.remember("The basket needs Postgres")
    below = ada.project_folder / "src"
    below.mkdir()
    for folder in (ada.project_folder, below):
        location, was_asked = found(ada, folder)
        assert (location.project, was_asked) == (SHOP, False)


def another_address(machine: Machine) -> None:
    git(machine.project_folder, "remote", "set-url", "origin", "https://h.example/zoe/inn.git")


def no_address(machine: Machine) -> None:
    git(machine.project_folder, "remote", "remove", "origin")


def a_name(machine: Machine) -> None:
    git(machine.project_folder, "config", "ctxrepo.project", "bakery")


def another_checkout_in_its_place(machine: Machine) -> None:
    machine.project_folder.rename(machine.home / "aside")
    make_checkout(machine.project_folder, "https://h.example/zoe/inn.git")


def no_repository(machine: Machine) -> None:
    (machine.project_folder / ".git").rename(machine.home / "aside.git")


def a_linked_folder(machine: Machine) -> None:
    (machine.project_folder / ".git").rename(machine.home / "aside.git")
    (machine.project_folder / ".git").symlink_to(machine.home / "aside.git")


def no_registry(machine: Machine) -> None:
    (machine.clone / REGISTRY).unlink()


@pytest.mark.parametrize(
    "change",
    [
        another_address,
        no_address,
        a_name,
        another_checkout_in_its_place,
        no_repository,
        a_linked_folder,
        no_registry,
    ],
)
def test_git_is_asked_again_once_its_answer_may_be_another_one(
    recorded: Machine, change: Callable[[Machine], None]
) -> None:
    change(recorded)
    location, was_asked = found(recorded, recorded.project_folder)
    assert was_asked
    assert location == locate_with_git(recorded.open(), recorded.project_folder, recorded.env)


def test_of_a_checkout_that_nothing_names_git_is_asked_each_time(ada: Machine) -> None:
    ada.init()
    no_address(ada)
    ada.remember("The basket needs Postgres")
    before = ada.project()
    commit(ada.project_folder)
    location, was_asked = found(ada, ada.project_folder)
    assert was_asked
    assert before
    assert location.project
    assert location.project.checkout_id.startswith("root:")
    assert not before.checkout_id.startswith("root:")
    assert location.project.folder == before.folder


def test_of_a_linked_worktree_the_settings_decide_each_time(recorded: Machine, tmp_path: Path) -> None:
    commit(recorded.project_folder)
    git(recorded.project_folder, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert find_project(recorded.open(), tmp_path / "tree", recorded.env) == SHOP
    config = recorded.places.config_file
    config.write_text(config.read_text() + '\n[project]\nworktrees = "isolate"\n')
    isolated = find_project(recorded.open(), tmp_path / "tree", recorded.env)
    assert isolated
    assert isolated.checkout_id == f"{SHOP.id}@tree"


def test_what_speaks_against_a_checkout_is_weighed_each_time(recorded: Machine, tmp_path: Path) -> None:
    elsewhere = make_checkout(tmp_path / "downloads" / "shop", PROJECT_URL)
    first, _ = found(recorded, elsewhere)
    second, was_asked = found(recorded, elsewhere)
    assert first == second
    assert first.claim
    assert was_asked


def test_a_project_that_the_environment_names_is_that_one(recorded: Machine) -> None:
    env = recorded.env | {"CTXREPO_PROJECT": "bakery"}
    project = find_project(recorded.open(), recorded.project_folder, env)
    assert project
    assert project.id == "bakery"
