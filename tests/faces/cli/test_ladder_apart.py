"""Two code bases never share a memory, whatever they are called, and some places are no project."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from checkouts import facts, git, remember, repository
from repositories import make_checkout
from terminal import Terminal


def are_apart(cli: Terminal, *folders: Path) -> list[str]:
    """Write in each, twice; returns the folders of the memory."""
    homes = [remember(cli, folder, f"of {folder}") for folder in folders]
    assert len({home.casefold() for home in homes}) == len(folders)
    assert [remember(cli, folder, f"again of {folder}") for folder in folders] == homes
    for folder in folders:
        assert facts(cli, folder) == [f"of {folder}", f"again of {folder}"]
    return homes


@pytest.mark.parametrize("commits", [0, 1])
def test_two_of_one_name_without_a_remote(cli: Terminal, commits: int) -> None:
    first, other = (repository(cli.machine.home / place / "api", commits=commits) for place in "ab")
    assert are_apart(cli, first, other) == ["api", "api-2"]


def test_two_of_one_name_with_remotes_and_one_without(cli: Terminal) -> None:
    urls = ("https://git.example.org/ada/api", "https://git.example.org/ben/api", "")
    folders = [repository(cli.machine.home / f"{n}/api", url) for n, url in enumerate(urls)]
    assert are_apart(cli, *folders) == ["api", "api-2", "api-3"]


def test_a_fork_and_what_it_was_forked_from(cli: Terminal) -> None:
    """Both have the same first commit; origin decides, whatever other remotes there are."""
    local = repository(cli.machine.home / "local/api")
    git(local.parent.parent, "clone", "-q", "--bare", str(local), "forge")
    upstream, fork = cli.machine.home / "up/api", cli.machine.home / "fork/api"
    for folder, owner in ((upstream, "acme"), (fork, "ada")):
        git(cli.machine.home, "clone", "-q", "forge", str(folder))
        git(folder, "remote", "set-url", "origin", f"https://git.example.org/{owner}/api")
    git(fork, "remote", "add", "a-upstream", "https://git.example.org/acme/api")
    are_apart(cli, upstream, fork)


def test_a_memory_that_went_on_with_one_remote_is_no_fork_s(cli: Terminal) -> None:
    api = repository(cli.machine.home / "a/api")
    remember(cli, api, "begun")
    shutil.copytree(api, cli.machine.home / "b/api")
    fork = cli.machine.home / "b/api"
    git(api, "remote", "add", "origin", "https://git.example.org/acme/api")
    remember(cli, api, "gone on")
    git(fork, "remote", "add", "origin", "https://git.example.org/ada/api")
    assert facts(cli, fork) == []
    assert remember(cli, fork, "of the fork") == "api-2"


def test_another_repository_in_the_place_of_one(cli: Terminal) -> None:
    place = cli.machine.home / "api"
    remember(cli, repository(place, "https://git.example.org/acme/api"), "of the first")
    shutil.rmtree(place)
    assert remember(cli, repository(place, "https://git.example.org/ada/api"), "of the second") == "api-2"
    shutil.rmtree(place)
    assert remember(cli, repository(place), "of the third") == "api-3"


def test_worktrees_that_are_isolated(cli: Terminal) -> None:
    cli.machine.places.config_file.write_text('[project]\nworktrees = "isolate"\n')
    api = repository(cli.machine.home / "api", "https://git.example.org/ada/api")
    git(api, "worktree", "add", "-q", "../fix")
    assert are_apart(cli, api, api.parent / "fix") == ["api", "api@fix"]
    git(api, "worktree", "move", "../fix", "../moved")
    assert len(facts(cli, api.parent / "moved")) == 2


def test_a_submodule_is_a_project_of_its_own(cli: Terminal) -> None:
    library = repository(cli.machine.home / "forge/lib")
    api = repository(cli.machine.home / "api", "https://git.example.org/ada/api")
    git(api, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "lib")
    assert are_apart(cli, api, api / "lib") == ["api", "lib"]


def test_names_that_mean_something_else(cli: Terminal) -> None:
    for name in ("global", "TAPE", "inbox", "conflicts", "archive"):
        folder = repository(cli.machine.home / "x" / name, f"https://git.example.org/ada/{name}")
        assert remember(cli, folder, f"of {name}") == f"{name}-2"
        assert facts(cli, folder) == [f"of {name}"]


@pytest.mark.slow
def test_places_that_are_no_project(cli: Terminal, tmp_path: Path) -> None:
    machine = cli.machine
    (machine.home / "docs").mkdir()
    make_checkout(machine.home)
    machine.git("worktree", "add", "-q", str(tmp_path / "worktree"), "-b", "look")
    places = [machine.home, machine.home / "docs", machine.clone, machine.clone / "global"]
    for number, place in enumerate([*places, tmp_path / "worktree", tmp_path, Path("/")]):
        cli.cwd = place
        assert cli("remember", f"fact {number}", "--json").data["at"].startswith("global/"), place
        assert cli("project").code == 3
        assert cli("remember", "x", "--scope", "project").code == 2
    cli.cwd = machine.project_folder
    assert cli("read", "global:MEMORY.md").out.count("- fact") == 7
