"""A project is found by whatever another program knows it by, and never guessed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from machines import Machine, make_machine
from repositories import make_checkout

from ctxrepo.services.imports.sources import ProjectFolders


@pytest.fixture
def ada(tmp_path: Path) -> Machine:
    """Two projects with memory here, shop and blog, and a checkout of one without."""
    machine = make_machine(tmp_path, "ada")
    machine.init()
    make_checkout(machine.home / "src/weblog", "https://github.com/Ada/Blog.git")
    make_checkout(machine.home / "src/new", "https://git.example.org/ada/new.git")
    for folder in (machine.project_folder, machine.home / "src/weblog"):
        assert machine.ctxrepo("remember", "a fact", cwd=folder).returncode == 0
    (machine.home / "src/weblog/posts").mkdir()
    return machine


def folders(machine: Machine) -> ProjectFolders:
    return ProjectFolders(machine.open(), machine.project(), machine.project_folder)


@pytest.mark.parametrize(
    ("known_as", "folder"),
    [
        ("{home}/src/weblog", "blog"),
        ("~/src/weblog/posts", "blog"),
        ("{home}/shop/src", "shop"),
        ("{home}/src/new", ""),
        ("{home}", ""),
        ("/nowhere", ""),
        ("git@github.com:ada/blog.git", "blog"),
        ("https://github.com/Ada/Blog", "blog"),
        ("github.com/ada/blog", "blog"),
        ("git.example.org/ada/shop", "shop"),
        ("git.example.org/ada/new", ""),
        ("git.example.org/eve/shop", ""),
        ("shop.git", ""),
        ("blog", "blog"),
        ("weblog", "blog"),
        ("Shop", "shop"),
        ("new", ""),
        ("C:\\work\\thing", ""),
        ("", ""),
        ("\0", ""),
    ],
)
def test_a_project_is_known_by_path_address_or_name(ada: Machine, known_as: str, folder: str) -> None:
    assert folders(ada).folder_of(known_as.replace("{home}", str(ada.home))) == folder


def test_a_checkout_that_is_gone_is_still_known(ada: Machine) -> None:
    shutil.rmtree(ada.home / "src/weblog")
    assert folders(ada).folder_of(f"{ada.home}/src/weblog/posts") == "blog"


def test_a_name_that_two_projects_have_is_neither(ada: Machine) -> None:
    make_checkout(ada.home / "other/weblog", "https://git.example.org/ada/other.git")
    assert ada.ctxrepo("remember", "a fact", cwd=ada.home / "other/weblog").returncode == 0
    assert folders(ada).folder_of("weblog") == ""
    assert folders(ada).folder_of("other") == "other"


def test_a_project_that_has_no_folder_yet_is_that_of_its_checkout(tmp_path: Path) -> None:
    machine = make_machine(tmp_path, "ada")
    machine.init()
    for known_as in (str(machine.project_folder), "git.example.org/ada/shop", "shop"):
        assert folders(machine).folder_of(known_as) == "shop"
