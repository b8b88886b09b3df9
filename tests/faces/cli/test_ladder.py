"""A checkout that changes goes on with its memory: what was written before is read, and new facts join it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from checkouts import facts, git, remember, repository
from terminal import Terminal

Change = Callable[[Path], Path | None]


def goes_on(cli: Terminal, before: Path, change: Change) -> str:
    """Write, change something, read and write; the folder of the memory it all is in."""
    folder = remember(cli, before, "before")
    after = change(before) or before
    assert facts(cli, after) == ["before"]
    assert remember(cli, after, "after") == folder
    assert facts(cli, after) == ["before", "after"]
    return folder


def test_an_address_in_another_form(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", "https://git.example.org/ada/tool")
    remember(cli, tool, "before")
    for url in (
        "git@git.example.org:ada/tool.git",
        "ssh://git@git.example.org/ada/tool",
        "ssh://git@git.example.org:22/ada/tool.git/",
        "https://ada:pw@git.example.org:443/ada/tool.git",
        "https://GIT.example.org/ada/tool",
    ):
        git(tool, "remote", "set-url", "origin", url)
        assert facts(cli, tool) == ["before"]
    assert remember(cli, tool, "after") == "tool"


def test_a_clone_elsewhere_under_another_name(cli: Terminal) -> None:
    def clone(_: Path) -> Path:
        return repository(cli.machine.home / "deep" / "other name", "git@git.example.org:ada/tool")

    tool = repository(cli.machine.home / "tool", "https://git.example.org/ada/tool")
    assert goes_on(cli, tool, clone) == "tool"


@pytest.mark.parametrize(("url", "commits"), [("https://git.example.org/ada/tool", 1), ("", 1), ("", 0)])
def test_a_checkout_that_is_moved_and_renamed(cli: Terminal, url: str, commits: int) -> None:
    def move(at: Path) -> Path:
        new = cli.machine.home / "Ünï cødé 'q\" $x/renamed"
        new.parent.mkdir()
        at.rename(new)
        return new

    assert goes_on(cli, repository(cli.machine.home / "tool", url, commits), move) == "tool"


def test_a_folder_below_and_a_link_to_it(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool")
    (tool / "src/deep").mkdir(parents=True)
    assert goes_on(cli, tool, lambda at: at / "src/deep") == "tool"
    (cli.machine.home / "link").symlink_to(tool / "src")
    assert facts(cli, cli.machine.home / "link/deep") == ["before", "after"]


def test_a_first_commit(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", commits=0)
    goes_on(cli, tool, lambda at: git(at, "commit", "-q", "--allow-empty", "-m", "first"))
    git(tool, "commit", "-q", "--amend", "--allow-empty", "-m", "the first one, told better")
    assert facts(cli, tool) == ["before", "after"]


@pytest.mark.parametrize("commits", [0, 1])
def test_a_first_remote(cli: Terminal, commits: int) -> None:
    tool = repository(cli.machine.home / "tool", commits=commits)
    goes_on(cli, tool, lambda at: git(at, "remote", "add", "origin", "https://git.example.org/ada/tool"))
    shutil.rmtree(tool)
    clone = repository(cli.machine.home / "clone", "git@git.example.org:ada/tool")
    assert facts(cli, clone) == ["before", "after"]


def test_a_first_commit_and_then_a_remote(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", commits=0)
    goes_on(cli, tool, lambda at: git(at, "commit", "-q", "--allow-empty", "-m", "first"))
    git(tool, "remote", "add", "origin", "https://git.example.org/ada/tool")
    assert facts(cli, tool) == ["before", "after"]


def test_a_remote_called_otherwise(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", "https://git.example.org/ada/tool")
    goes_on(cli, tool, lambda at: git(at, "remote", "rename", "origin", "forge"))


def test_another_remote_beside_origin(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", "https://git.example.org/ada/tool")
    goes_on(cli, tool, lambda at: git(at, "remote", "add", "a-fork", "https://git.example.org/ben/tool"))


@pytest.mark.parametrize(("url", "commits"), [("https://git.example.org/ada/tool", 1), ("", 1), ("", 0)])
def test_a_linked_worktree(cli: Terminal, url: str, commits: int) -> None:
    def add(at: Path) -> Path:
        if not commits:
            git(at, "commit", "-q", "--allow-empty", "-m", "a worktree needs one")
        git(at, "worktree", "add", "-q", "../fix")
        return at.parent / "fix"

    goes_on(cli, repository(cli.machine.home / "tool", url, commits), add)


@pytest.mark.parametrize(
    ("bare", "url"),
    [("tool.git", ""), ("tool/.bare", ""), ("tool/.bare", "https://git.example.org/ada/tool")],
)
def test_worktrees_of_a_bare_repository(cli: Terminal, bare: str, url: str) -> None:
    code = cli.machine.home / "code"
    source = repository(code / "source")
    git(code, "clone", "-q", "--bare", str(source), str(code / bare))
    git(code / bare, "remote", "remove", "origin")
    if url:
        git(code / bare, "remote", "add", "origin", url)
    for name in ("one", "two"):
        git(code / bare, "worktree", "add", "-q", "-b", name, str(code / name))
    assert goes_on(cli, code / "one", lambda at: at.parent / "two") == "tool"


def test_a_project_that_the_user_names(cli: Terminal) -> None:
    tool = repository(cli.machine.home / "tool", "https://git.example.org/ada/tool")
    git(tool, "config", "ctxrepo.project", "team/tool")
    goes_on(cli, tool, lambda at: git(at, "remote", "set-url", "origin", "https://git.example.org/x/y"))
