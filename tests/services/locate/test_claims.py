"""What speaks against a checkout being the project that it says it is, and what for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checkouts import git, repository
from machines import PROJECT_URL, Machine
from needs import needs_root

from ctxrepo.errors import NotFound, Refused
from ctxrepo.services.locate.look import (
    find_project,
    is_known,
    locate_with_git,
    trust_project,
    update_recorded_checkouts,
)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    git(ada.project_folder, "commit", "-q", "--allow-empty", "-m", "first")
    ada.remember("a fact")
    return ada


def claim(machine: Machine, folder: Path) -> str:
    return locate_with_git(machine.open(), folder, machine.env).claim


def ask(machine: Machine) -> None:
    file = machine.places.config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        file.read_text() + '\n[project]\ntrust = "ask"\n' if file.exists() else '[project]\ntrust = "ask"\n'
    )


@pytest.mark.parametrize("place", ["Downloads", "downloads/a", "tmp", ".cache/x", ".local/share/Trash/files"])
def test_folders_that_things_pass_through_are_odd_places(mine: Machine, place: str) -> None:
    assert "downloaded" in claim(mine, repository(mine.home / place / "shop", PROJECT_URL))


def test_so_is_what_the_desktop_calls_the_folder_for_downloads(mine: Machine) -> None:
    (mine.home / ".config").mkdir(exist_ok=True)
    (mine.home / ".config" / "user-dirs.dirs").write_text('XDG_DOWNLOAD_DIR="$HOME/Téléchargements"\n')
    assert "downloaded" in claim(mine, repository(mine.home / "Téléchargements" / "shop", PROJECT_URL))


def test_a_folder_is_odd_by_its_place_only_not_by_its_name(mine: Machine) -> None:
    folder = mine.home / "code" / "downloads"
    git(mine.home, "clone", "-q", str(mine.project_folder), str(folder))
    git(folder, "remote", "set-url", "origin", PROJECT_URL)
    assert mine.project() is not None
    assert claim(mine, folder) == ""


def test_a_history_is_compared_with_that_of_another_checkout_only(mine: Machine) -> None:
    assert mine.project() is not None
    empty = repository(mine.home / "empty", PROJECT_URL, commits=0)
    assert "first commit is another one" in claim(mine, empty)
    shallow = mine.home / "shallow"
    git(mine.home, "clone", "-q", "--depth=1", f"file://{mine.project_folder}", str(shallow))
    git(shallow, "remote", "set-url", "origin", PROJECT_URL)
    git(mine.project_folder, "commit", "-q", "--allow-empty", "-m", "second")
    deeper = mine.home / "deeper"
    git(mine.home, "clone", "-q", "--depth=1", f"file://{mine.project_folder}", str(deeper))
    git(deeper, "remote", "set-url", "origin", PROJECT_URL)
    assert "first commit is another one" in claim(mine, deeper)  # it can't be told; so it is said


@needs_root
def test_the_folder_of_another_user_is_odd(mine: Machine) -> None:
    folder = repository(mine.home / "theirs", PROJECT_URL)
    git(mine.home, "config", "--file", str(mine.home / ".gitconfig"), "safe.directory", "*")
    os.chown(folder, 1234, 1234)
    assert "another user" in claim(mine, folder)


def test_a_project_before_init_can_be_claimed_by_anybody(mine: Machine) -> None:
    assert claim(mine, repository(mine.home / "Downloads" / "x", "https://h/x/new")) == ""


def test_what_the_environment_names_is_the_users_word(mine: Machine) -> None:
    ask(mine)
    env = {**mine.env, "CTXREPO_PROJECT": "git.example.org/ada/shop"}
    assert find_project(mine.open(), repository(mine.home / "Downloads" / "x"), env) is not None


def test_a_checkout_that_must_be_trusted_is_refused_until_it_is(mine: Machine) -> None:
    assert mine.project() is not None
    ask(mine)
    folder = repository(mine.home / "code", PROJECT_URL)
    memory = mine.open()
    with pytest.raises(Refused, match="new on this machine"):
        find_project(memory, folder, mine.env)
    assert is_known(memory, folder)
    update_recorded_checkouts(memory)
    with pytest.raises(Refused, match="may not say"):
        trust_project(memory, folder, "claude")
    assert trust_project(memory, folder, "").is_changed
    assert not trust_project(memory, folder, "").is_changed
    assert find_project(mine.open(), folder, mine.env) == mine.project()


def test_there_is_nothing_to_trust_outside_of_projects(mine: Machine, tmp_path: Path) -> None:
    for folder in (tmp_path, mine.clone, tmp_path / "gone"):
        with pytest.raises(NotFound):
            trust_project(mine.open(), folder, "")


def test_trust_outlives_the_table_of_the_hooks(mine: Machine) -> None:
    ask(mine)
    folder = repository(mine.home / "code", PROJECT_URL)
    trust_project(mine.open(), folder, "")
    (mine.places.state / "hooks.db").unlink()
    assert claim(mine, folder) == ""
