"""Where git can't tell which project a checkout is, nobody acts as if it were none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from damages import DAMAGES, lose_its_head
from machines import Machine
from needs import needs_root
from repositories import make_checkout

from ctxrepo.errors import GitFailed
from ctxrepo.services.locate.look import find_location, find_project
from ctxrepo.storage.memory import Memory


def _put_a_pipe_there(checkout: Path) -> None:
    (checkout / ".git/config").unlink()
    os.mkfifo(checkout / ".git/config")


def _give_it_away(checkout: Path) -> None:
    for path in (checkout, checkout / ".git"):
        os.chown(path, 12345, 12345)


EVERY_DAMAGE = [
    *DAMAGES,
    _put_a_pipe_there,
    pytest.param(_give_it_away, marks=needs_root),
]


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


@pytest.mark.parametrize("damage", EVERY_DAMAGE)
def test_a_checkout_that_git_does_not_take_is_unknown_and_not_none(
    mine: Machine, damage: Callable[[Path], None]
) -> None:
    damage(mine.project_folder)
    below = mine.project_folder / "src"
    below.mkdir()
    for folder in (mine.project_folder, below):
        here = find_location(mine.open(), folder, mine.env)
        assert here.project is None
        assert here.unknown is not None
        assert str(mine.project_folder) in here.unknown.message
    with pytest.raises(GitFailed, match="isn't known which project"):
        mine.remember("The basket needs Postgres")
    assert "Postgres" not in mine.read("global/MEMORY.md")


def test_nor_is_it_the_repository_around_it(mine: Machine) -> None:
    around = make_checkout(mine.home / "all", "https://h.example/zoe/all.git")
    inner = around / "inner"
    inner.mkdir()
    make_checkout(inner)
    lose_its_head(inner)
    here = find_location(mine.open(), inner, mine.env)
    assert here.unknown
    assert "passes over" in here.unknown.message
    assert find_project(mine.open(), around, mine.env)


@needs_root
def test_what_was_found_before_still_stands(mine: Machine) -> None:
    mine.remember("The basket needs Postgres")
    known = mine.project()
    _give_it_away(mine.project_folder)
    here = find_location(mine.open(), mine.project_folder, mine.env)
    assert (here.project, here.unknown) == (known, None)


def test_a_history_that_can_not_be_read_is_no_other_project(mine: Machine) -> None:
    bare = make_checkout(mine.home / "bare")
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-mx"], cwd=bare, check=True, env=mine.env)
    shutil.rmtree(bare / ".git/objects")
    (bare / ".git/objects").mkdir()
    assert find_location(mine.open(), bare, mine.env).unknown


@pytest.mark.usefixtures("one_thread")
def test_without_git_or_an_answer_it_is_unknown_as_well(
    mine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory.open(mine.places, {**mine.env, "PATH": str(tmp_path)})
    assert find_location(memory, mine.project_folder, mine.env).unknown
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr("ctxrepo.storage.user.code._TIMEOUT", 0.3)
    memory = Memory.open(mine.places, {**mine.env, "PATH": f"{slow.parent}:{mine.env['PATH']}"})
    here = find_location(memory, mine.project_folder, mine.env)
    assert here.unknown
    assert "no answer" in here.unknown.message


def test_the_home_folder_and_the_memory_are_nobodys_even_where_git_refuses_them(mine: Machine) -> None:
    make_checkout(mine.home)
    lose_its_head(mine.home)
    (mine.home / "loose").mkdir()
    here = find_location(mine.open(), mine.home / "loose", mine.env)
    assert (here.project, here.unknown) == (None, None)


@needs_root
def test_commands_say_why_and_the_way_on_and_need_it_not_where_the_scope_is_named(mine: Machine) -> None:
    _give_it_away(mine.project_folder)
    refused = mine.ctxrepo("remember", "Tests need node 22")
    assert refused.returncode == 1
    assert "dubious ownership" in refused.stderr
    assert f"git config --global --add safe.directory {mine.project_folder}" in refused.stderr
    assert "--scope global" in refused.stderr
    for words in (["list"], ["search", "node"], ["move", "global:MEMORY.md", "topics/a.md"], ["project"]):
        assert mine.ctxrepo(*words).returncode == 1, words
    for words in (
        ["remember", "Use tabs", "--scope", "global"],
        ["search", "tabs", "--scope", "global"],
        ["list", "--scope", "global"],
        ["read", "global:MEMORY.md"],
    ):
        done = mine.ctxrepo(*words)
        assert done.returncode == 0, done.stderr
    output = mine.ctxrepo("status").stdout
    assert "dubious ownership" in output
    assert "global only" not in output
    mine.git("config", "--global", "--add", "safe.directory", str(mine.project_folder))
    assert mine.ctxrepo("remember", "Tests need node 22").returncode == 0
    assert "node 22" in mine.read("shop/MEMORY.md")
