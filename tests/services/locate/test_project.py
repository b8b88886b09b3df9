"""Which project a folder is in: by what is the same on every machine, and by a bare name never."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from machines import Machine
from repositories import make_checkout

from ctxrepo.errors import ConfigError, GitFailed
from ctxrepo.hooks.known.locate import SessionFolder, place_of
from ctxrepo.hooks.known.world import open_hooks, world_of
from ctxrepo.services.locate.identify import project_of, read_registry
from ctxrepo.services.locate.look import find_project, update_recorded_checkouts
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_checkouts

NOWHERE, UNKNOWN = ("", "", True), ("", "", False)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def checkout(machine: Machine, name: str, url: str = "") -> Path:
    """Another checkout on the machine."""
    return make_checkout(machine.home / name, url)


@pytest.mark.parametrize(
    "url",
    [
        "git@git.example.org:ada/shop.git",
        "ssh://git@git.example.org/ada/shop",
        "https://user:pw@git.example.org/ada/shop.git/",
    ],
)
def test_every_spelling_of_a_remote_is_one_project(mine: Machine, url: str) -> None:
    folder = checkout(mine, "elsewhere/my-shop", url)
    project = find_project(mine.open(), folder, mine.env)
    assert project is not None
    assert (project.id, project.folder) == ("git.example.org/ada/shop", "shop")


def test_two_projects_of_one_name_have_two_folders(mine: Machine) -> None:
    mine.remember("ours")
    other = find_project(mine.open(), checkout(mine, "x/shop", "https://h/zoe/shop"), mine.env)
    assert other is not None
    assert (other.id, other.folder, other.is_registered) == ("h/zoe/shop", "shop-2", False)


def test_there_is_none_outside_git_in_home_and_in_the_memory(mine: Machine, tmp_path: Path) -> None:
    memory = mine.open()
    assert find_project(memory, mine.clone / "global", mine.env) is None
    assert find_project(memory, tmp_path, mine.env) is None
    make_checkout(mine.home)
    (mine.home / "loose").mkdir()
    assert find_project(memory, mine.home / "loose", mine.env) is None
    assert find_project(memory, mine.project_folder, mine.env) is not None


def test_the_user_may_name_it(mine: Machine) -> None:
    memory = mine.open()
    named = find_project(memory, mine.home, {**mine.env, "CTXREPO_PROJECT": " team/thing "})
    assert named is not None
    assert (named.id, named.folder) == ("team/thing", "thing")
    subprocess.run(["git", "config", "ctxrepo.project", "set/in-git"], cwd=mine.project_folder, check=True)
    project = mine.project()
    assert project is not None
    assert project.id == "set/in-git"


@pytest.mark.parametrize("name", ["../../etc", "global", "TAPE", ".git", "a\0b", "inbox", "/", "x" * 400])
def test_no_name_leads_out_of_a_folder_of_its_own(mine: Machine, name: str) -> None:
    memory = mine.open()
    project = project_of(memory, read_registry(memory), name)
    assert "/" not in project.folder
    assert project.folder not in ("global", "TAPE", "inbox", "conflicts", ".git", "..", "")
    assert len(project.folder) <= 100


def test_a_folder_of_its_name_that_nobody_claims_is_adopted(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- from pi\n")
    project = mine.project()
    assert project is not None
    assert (project.folder, project.is_registered) == ("shop", True)
    mine.write("ctxrepo.toml", '[projects]\n"somebody/else" = "shop"\n')
    project = mine.project()
    assert project is not None
    assert (project.folder, project.is_registered) == ("shop-2", False)


def test_while_the_registry_can_not_be_read_no_folder_is_guessed(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- whose?\n")
    mine.write("ctxrepo.toml", "garbage [")
    with pytest.raises(ConfigError, match=r"ctxrepo\.toml"):
        mine.project()
    update_recorded_checkouts(mine.open())
    mine.sync()


def test_without_git_what_was_found_before_still_stands(mine: Machine, tmp_path: Path) -> None:
    known = mine.project()
    assert known is not None
    memory = Memory.open(mine.places, {**mine.env, "PATH": str(tmp_path)})
    assert find_project(memory, mine.project_folder, mine.env) == known
    assert find_project(memory, tmp_path, mine.env) is None
    with (mine.project_folder / ".git/config").open("a") as config:
        config.write('[remote "other"]\n\turl = https://git.example.org/ada/other.git\n')
    with pytest.raises(GitFailed, match="known which project"):
        find_project(memory, mine.project_folder, mine.env)


def test_what_is_found_is_recorded_for_the_hooks(mine: Machine) -> None:
    mine.project()
    (known,) = read_checkouts(mine.places.state)
    assert (known.top, known.project, known.folder) == (
        str(mine.project_folder),
        "git.example.org/ada/shop",
        "",
    )
    mine.remember("registers it")
    update_recorded_checkouts(mine.open())
    (known,) = read_checkouts(mine.places.state)
    assert known.folder == "shop"


def hooks_say(machine: Machine, folder: Path) -> tuple[str, str, bool]:
    state = str(machine.places.state)
    db = open_hooks(state)
    assert db is not None
    with closing(db):
        world = world_of(db, state)
        assert world is not None
        place = place_of(db, world, SessionFolder(str(folder)))
        return place.project, place.folder, place.is_known


def test_hooks_ask_again_after_a_clone_an_init_and_another_address(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(mine.home))
    folder = mine.home / "tool"
    folder.mkdir()
    assert find_project(mine.open(), folder, mine.env) is None
    assert hooks_say(mine, folder) == NOWHERE
    for words in (["init", "-q"], ["remote", "add", "origin", "https://h/a/one"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
        assert hooks_say(mine, folder) == UNKNOWN
        project = find_project(mine.open(), folder, mine.env)
        assert project is not None
        assert hooks_say(mine, folder)[0] == project.id
    subprocess.run(["git", "remote", "set-url", "origin", "https://h/a/two"], cwd=folder, check=True)
    assert hooks_say(mine, folder) == UNKNOWN
    find_project(mine.open(), folder, mine.env)
    assert hooks_say(mine, folder) == ("h/a/two", "", True)
    shutil.rmtree(folder)
    clone = ["git", "clone", "-q", str(mine.clone), str(folder)]
    subprocess.run(clone, check=True, capture_output=True)
    assert hooks_say(mine, folder) == UNKNOWN


def test_hooks_follow_a_project_to_its_new_folder(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(mine.home))
    mine.remember("registers it")
    mine.sync()
    mine.project()
    assert hooks_say(mine, mine.project_folder)[1] == "shop"
    mine.write("ctxrepo.toml", mine.read("ctxrepo.toml").replace('"shop"', '"store"'))
    mine.sync()
    assert hooks_say(mine, mine.project_folder)[1] == "store"


@pytest.mark.usefixtures("one_thread")
def test_when_git_does_not_answer_what_was_found_before_still_stands(
    mine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = mine.project()
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr("ctxrepo.storage.user.code._TIMEOUT", 0.3)
    memory = Memory.open(mine.places, {**mine.env, "PATH": f"{slow.parent}:{mine.env['PATH']}"})
    monkeypatch.setenv("PATH", f"{slow.parent}:{mine.env['PATH']}")
    assert find_project(memory, mine.project_folder, mine.env) == known


@pytest.mark.parametrize("way", ["committed", "edited"])
def test_a_registry_that_a_slip_spoiled_holds_as_it_was(
    ada: Machine, ben: Machine, remote: Path, way: str
) -> None:
    ada.init(str(remote))
    ada.remember("Answer in Dutch", pin=True)
    ada.sync()
    ben.init(str(remote))
    ben.sync()
    spoilt = f"{ada.read('ctxrepo.toml')}[projects\n"
    ada.write("ctxrepo.toml", spoilt)
    if way == "committed":
        ada.git("commit", "-qam", "by hand")
        ada.git("push", "-q", "origin", "main")
        assert any("ctxrepo.toml: " in notice and "holds" in notice for notice in ben.sync().notices)
    machine = ben if way == "committed" else ada
    for words in (["search", "Dutch"], ["read", "MEMORY.md"], ["remember", "Use tabs"], ["list"], ["undo"]):
        assert machine.ctxrepo(*words).returncode == 0, words
    assert "ctxrepo.toml" in machine.ctxrepo("status").stdout
    assert "Answer in Dutch" in machine.ctxrepo("context").stdout
    (machine.project_folder / ".git/config").write_text(
        '[remote "origin"]\n\turl = https://example.org/new\n'
    )
    refused = machine.ctxrepo("remember", "Use spaces")
    assert (refused.returncode, "until then no new project is known" in refused.stderr) == (2, True)
    assert machine.read("ctxrepo.toml") == spoilt
