"""Where pi-memory-md takes one project for another, tried here; rows of docs/reference/weaknesses.md."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from machines import Machine
from repositories import make_checkout

from ctxrepo.services.delivery.start_packet import preset_md
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_project


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def checkout(folder: Path, url: str = "") -> Path:
    make_checkout(folder, url)
    git(folder, "commit", "-q", "--allow-empty", "-m", str(folder))
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def project(machine: Machine, folder: Path) -> Project | None:
    return find_project(machine.open(), folder, machine.env)


def folder_of(machine: Machine, folder: Path) -> str:
    project_there = project(machine, folder)
    assert project_there is not None
    return project_there.folder


def test_d_w7_a_memory_is_there_whatever_folders_it_has(mine: Machine) -> None:
    assert not (mine.clone / "shop/core/user").exists()
    assert mine.json("status")["ok"]
    assert "Not initialized" not in mine.ctxrepo("check").stdout


def test_d_w13_two_repositories_of_one_name_share_nothing(mine: Machine) -> None:
    first = checkout(mine.home / "a/api", "https://git.example.org/ada/api.git")
    second = checkout(mine.home / "b/api", "https://git.example.org/ben/api.git")
    mine.ctxrepo("remember", "Of Ada's api", cwd=first)
    assert (folder_of(mine, first), folder_of(mine, second)) == ("api", "api-2")
    assert "Of Ada's api" not in mine.ctxrepo("context", cwd=second).stdout


@pytest.mark.parametrize("name", ["global", "TAPE", "inbox", "conflicts", "archive"])
def test_d_w13_a_repository_called_as_something_of_ours_gets_another_folder(mine: Machine, name: str) -> None:
    (mine.clone / name).mkdir(exist_ok=True)
    folder = folder_of(mine, checkout(mine.home / name))
    assert folder.casefold() != name.casefold()


def test_d_w13_the_root_of_the_disk_is_no_project(mine: Machine) -> None:
    assert project(mine, Path("/")) is None
    assert f'directory="{mine.clone}/global"' in preset_md(mine.open(), None)


def test_d_w14_d_w15_a_worktree_with_a_blank_in_its_path_reads_what_it_writes(mine: Machine) -> None:
    main = checkout(mine.home / "my code/web shop", "https://git.example.org/ada/web-shop.git")
    tree = mine.home / "my code/on a branch"
    git(main, "worktree", "add", "-q", "-b", "side", str(tree))
    assert folder_of(mine, main) == folder_of(mine, tree) == "web-shop"
    mine.ctxrepo("new", "core/NOTE.md", "-d", "Written in the worktree", cwd=tree)
    for place in (main, tree):
        assert "Written in the worktree" in mine.ctxrepo("context", "--preset", "md", cwd=place).stdout
        assert "Written in the worktree" in mine.ctxrepo("context", cwd=place).stdout


def test_d_w14_a_submodule_is_itself_and_no_worktree(mine: Machine) -> None:
    library = checkout(mine.home / "library", "https://git.example.org/ada/library.git")
    above = checkout(mine.home / "above", "https://git.example.org/ada/above.git")
    git(above, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(above / "lib", "remote", "set-url", "origin", "https://git.example.org/ada/library.git")
    assert (folder_of(mine, above), folder_of(mine, above / "lib")) == ("above", "library")


def test_d_w14_worktrees_of_a_bare_repository_are_one_project(mine: Machine) -> None:
    main = checkout(mine.home / "main", "https://git.example.org/ada/bare.git")
    bare = mine.home / "bare.git"
    git(mine.home, "clone", "-q", "--bare", str(main), str(bare))
    git(bare, "remote", "set-url", "origin", "https://git.example.org/ada/bare.git")
    for name in ("one", "two"):
        git(bare, "worktree", "add", "-q", "-b", name, str(mine.home / name))
        assert folder_of(mine, mine.home / name) == "bare"


def test_d24_a_folder_named_as_the_checkout_is_adopted_when_nobody_claims_it(mine: Machine) -> None:
    mine.write("shop-at-work/core/USER.md", "---\ndescription: As pi-memory-md left it\n---\n")
    work = checkout(mine.home / "shop-at-work", "https://git.example.org/firm/monolith.git")
    project_there = project(mine, work)
    assert project_there is not None
    assert (project_there.folder, project_there.is_registered) == ("shop-at-work", True)
    mine.ctxrepo("remember", "Claimed now", cwd=work)
    other = checkout(mine.home / "b/shop-at-work", "https://git.example.org/else/thing.git")
    assert folder_of(mine, other) == "thing"


def test_d_w26_through_a_link_it_is_the_same_memory(mine: Machine) -> None:
    link = mine.home / "link"
    link.symlink_to(mine.project_folder)
    assert folder_of(mine, link) == folder_of(mine, mine.project_folder)


def test_d_w26_a_checkout_is_looked_at_again_when_it_changes(mine: Machine) -> None:
    folder = mine.home / "late"
    folder.mkdir()
    assert project(mine, folder) is None
    git(folder, "init", "-q")
    assert folder_of(mine, folder) == "late"
    git(folder, "remote", "add", "origin", "https://git.example.org/ada/later.git")
    assert folder_of(mine, folder) == "later"


def test_d_w27_a_head_as_a_template_left_it_is_read(mine: Machine) -> None:
    mine.write("global/left.md", "---\ndescription: From a template\ncreated: {created}\n---\n")
    output = mine.ctxrepo("context").stdout
    assert "global/left.md — From a template\n" in output
