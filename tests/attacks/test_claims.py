"""A checkout that passes itself off as another project, in sessions: an unpacked archive, a stray `.git`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from checkouts import git, repository
from long import rotating
from machines import PROJECT_URL, Machine, make_remote
from processes import wait_for_workers
from sessions import Session, connected, eventually

from ctxrepo.services.locate.look import is_known

ID = "git.example.org/ada/shop"
SECRET_OF_SHOP = "the vault stands in the cellar"
OF_ADA = "ada wants answers in German"


@pytest.fixture
def desk(ada: Machine) -> Machine:
    """A machine with a memory of one project, whose checkout has a history."""
    git(ada.project_folder, "commit", "-q", "--allow-empty", "-m", "first")
    connected(ada)
    for words in (("remember", SECRET_OF_SHOP), ("remember", OF_ADA, "--scope", "global")):
        run = ada.process(*words)
        assert run.returncode == 0, run.stderr
    wait_for_workers(ada)
    assert SECRET_OF_SHOP in begin(ada, ada.project_folder, "own")
    return ada


def begin(desk: Machine, folder: Path, session: str) -> str:
    """What a session is given when it starts in a folder, and by its first prompt once that was looked at."""
    given = Session(desk, session).hook("SessionStart", cwd=str(folder))
    eventually(lambda: is_known(desk.open(), folder), 60)
    return given + ask(desk, folder, session)


def ask(desk: Machine, folder: Path, session: str) -> str:
    return Session(desk, session).hook(
        "UserPromptSubmit", prompt="where is the vault, in the cellar?", cwd=str(folder)
    )


def archive(desk: Machine, place: str) -> Path:
    """An unpacked archive whose `.git/config` claims the project's address, with a history of its own."""
    return repository(desk.home / place, PROJECT_URL)


def asking(desk: Machine) -> None:
    run = desk.ctxrepo("config", "set", "project.trust", "ask")
    assert run.returncode == 0, run.stderr


def test_an_archive_among_the_downloads_is_told_once_and_in_status(desk: Machine) -> None:
    folder = archive(desk, "Downloads/shop-1.4")
    first = begin(desk, folder, "a")
    assert f"{folder} says that it is {ID}" in first
    assert "downloaded" in first
    assert SECRET_OF_SHOP in first
    assert "says that it is" not in begin(desk, folder, "b")
    assert "claim    The checkout" in desk.ctxrepo("status", cwd=folder).stdout
    assert desk.ctxrepo("status").stdout.count("claim    ") == 0
    assert desk.ctxrepo("project", "trust", str(folder)).stdout == f"trusted: {folder} is {ID}, in shop/\n"
    assert "claim" not in desk.ctxrepo("status", cwd=folder).stdout


def test_a_folder_with_another_history_is_told(desk: Machine) -> None:
    folder = archive(desk, "code/shop")
    assert f"its first commit is another one than that of {desk.project_folder}" in begin(desk, folder, "a")


def test_what_lies_outside_the_home_folder_is_told(desk: Machine, tmp_path: Path) -> None:
    folder = repository(tmp_path / "elsewhere" / "shop", PROJECT_URL)
    assert f"it lies outside of {desk.home}" in begin(desk, folder, "a")


def test_a_known_checkout_that_takes_another_address_is_told(desk: Machine) -> None:
    folder = repository(desk.home / "evil", "https://h/x/evil")
    assert SECRET_OF_SHOP not in begin(desk, folder, "a")
    git(folder, "remote", "set-url", "origin", PROJECT_URL)
    assert "says that it is" in begin(desk, folder, "b")


@pytest.mark.parametrize("name", rotating([ID, "root:0123456789ab/shop"], keep=1))
def test_so_is_one_that_names_itself(desk: Machine, name: str) -> None:
    folder = repository(desk.home / "Downloads" / "x")
    git(folder, "config", "ctxrepo.project", name)
    assert ("says that it is" in begin(desk, folder, "a")) == (name == ID)


def test_one_that_must_be_trusted_gets_nothing_but_that_line(desk: Machine) -> None:
    asking(desk)
    folder = archive(desk, "code/shop")
    assert "It is given nothing" in desk.ctxrepo("status", cwd=folder).stdout  # from here on it is known
    for session in ("a", "b"):
        given = begin(desk, folder, session)
        assert "says that it is" in given
        assert "It is given nothing" in given
        assert SECRET_OF_SHOP not in given
        assert OF_ADA not in given
        assert ask(desk, folder, session) == ""
    sub = Session(desk, "a").hook("SubagentStart", cwd=str(folder))
    assert sub == ""
    for words in (
        ["remember", "x"],
        ["context"],
        ["list"],
        ["search", "vault"],
        ["read", "project:MEMORY.md"],
    ):
        refused = desk.ctxrepo(*words, cwd=folder)
        assert (refused.returncode, SECRET_OF_SHOP in refused.stdout) == (6, False), words
        assert "ctxrepo project trust" in refused.stderr
    assert "new on this machine" in desk.ctxrepo("project", cwd=folder).stdout
    assert SECRET_OF_SHOP in begin(desk, desk.project_folder, "own-2")


def test_once_trusted_it_gets_what_its_project_has_also_in_sessions_that_have_begun(desk: Machine) -> None:
    asking(desk)
    folder = archive(desk, "code/shop")
    assert SECRET_OF_SHOP not in begin(desk, folder, "a")
    assert desk.ctxrepo("project", "trust", cwd=folder).returncode == 0
    assert desk.ctxrepo("project", "trust", cwd=folder).stdout.startswith("trusted already: ")
    assert SECRET_OF_SHOP in ask(desk, folder, "a")
    assert SECRET_OF_SHOP in begin(desk, folder, "b")


def test_trust_ends_when_the_checkout_takes_another_name(desk: Machine) -> None:
    asking(desk)
    folder = repository(desk.home / "other", "https://h/x/other")
    assert desk.ctxrepo("project", "trust", cwd=folder).returncode == 0
    git(folder, "remote", "set-url", "origin", PROJECT_URL)
    assert SECRET_OF_SHOP not in begin(desk, folder, "a")


def test_an_agent_may_not_trust_a_checkout(desk: Machine) -> None:
    asking(desk)
    folder = archive(desk, "code/shop")
    agent = Machine(desk.home, {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "a"})
    refused = agent.ctxrepo("project", "trust", cwd=folder)
    assert refused.returncode == 6
    assert "a terminal of their own" in refused.stderr


def test_a_stray_git_file_that_names_a_worktree_is_none_of_it(desk: Machine) -> None:
    asking(desk)
    git(desk.project_folder, "worktree", "add", "-q", "../fix")
    assert SECRET_OF_SHOP in begin(desk, desk.home / "fix", "fix")
    stray = desk.home / "stray"
    stray.mkdir()
    shutil.copy(desk.home / "fix" / ".git", stray / ".git")
    assert SECRET_OF_SHOP not in begin(desk, stray, "a")
    link = desk.home / "linked"
    link.mkdir()
    (link / ".git").write_text(f"gitdir: {desk.project_folder}/.git\n")
    assert SECRET_OF_SHOP not in begin(desk, link, "b")


def test_nothing_changes_for_clones_worktrees_and_moved_folders_of_ones_own(
    desk: Machine, tmp_path: Path
) -> None:
    bare = tmp_path / "shop.git"
    git(tmp_path, "clone", "-q", "--bare", str(desk.project_folder), str(bare))
    again = desk.home / "code" / "again"
    again.parent.mkdir()
    git(desk.home, "clone", "-q", str(bare), str(again))
    git(again, "remote", "set-url", "origin", PROJECT_URL)
    git(again, "worktree", "add", "-q", "../tree")
    assert_silent(desk, again, desk.home / "code" / "tree")
    asking(desk)  # what was known before goes on
    git(again, "worktree", "add", "-q", "../later")
    assert_silent(desk, desk.project_folder, again, desk.home / "code" / "later")
    again.rename(desk.home / "moved")
    assert_silent(desk, desk.home / "moved")


def test_nothing_changes_for_a_fork_and_for_a_new_repository(desk: Machine) -> None:
    fork = desk.home / "fork"
    git(desk.home, "clone", "-q", str(desk.project_folder), str(fork))
    git(fork, "remote", "set-url", "origin", "https://git.example.org/zoe/shop")
    new = repository(desk.home / "Downloads" / "new", "https://h/x/new")
    for folder in (fork, new):
        given = begin(desk, folder, folder.name)
        assert "says that it is" not in given
        assert SECRET_OF_SHOP not in given
        assert OF_ADA in given


def test_a_new_machine_with_the_first_clone_of_a_project_is_told_nothing(
    desk: Machine, tmp_path: Path
) -> None:
    remote = make_remote(tmp_path)
    assert desk.process("init", str(remote)).returncode == 0
    eventually(lambda: desk.ctxrepo("sync").returncode == 0, 30)
    other = Machine(tmp_path / "second")
    git(desk.home, "clone", "-q", str(desk.project_folder), str(other.project_folder))
    git(other.project_folder, "remote", "set-url", "origin", PROJECT_URL)
    shutil.copy(desk.home / ".gitconfig", other.home)
    connected(other, str(remote))
    assert_silent(other, other.project_folder)


def assert_silent(desk: Machine, *folders: Path) -> None:
    for folder in folders:
        given = begin(desk, folder, f"s-{folder.name}")
        assert "says that it is" not in given, given
        assert SECRET_OF_SHOP in given, folder
        assert "claim" not in desk.ctxrepo("status", cwd=folder).stdout
