"""What others can write into the clone's `.git` neither sends the memory elsewhere nor runs anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from long import rotating
from machines import Machine, make_remote

TEXT = "the tide turns at noon"

Attack = Callable[["Scene"], None]


class Scene:
    """A memory, and what an attacker has beside it: a remote, and a program that leaves a mark."""

    def __init__(self, machine: Machine, remote: Path, folder: Path) -> None:
        self.machine, self.remote, self.git = machine, remote, machine.clone / ".git"
        self.evil = make_remote(folder)
        self.mark = folder / "sprung"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.mark}'\nexec git-upload-pack \"$@\"\n")
        self.program.chmod(0o755)
        self.config = folder / "config"
        self.config.write_text(
            f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsshCommand = {self.program}\n"
            f'[url "{self.evil}"]\n\tinsteadOf = {remote}\n\tpushInsteadOf = {remote}\n'
            f'[remote "origin"]\n\turl = {self.evil}\n'
        )

    def configure(self, *words: str) -> None:
        subprocess.run(["git", "config", "--file", str(self.git / "config"), *words], check=True)

    def log(self, remote: Path) -> str:
        words = ["git", "log", "-p", "--all"]
        return subprocess.run(words, cwd=remote, capture_output=True, text=True, check=True).stdout


def address_as_a_name(scene: Scene) -> None:
    scene.configure(f"remote.{scene.remote}.url", str(scene.evil))
    scene.configure(f"remote.{scene.remote}.pushurl", str(scene.evil))


def another_common_directory(scene: Scene) -> None:
    common = scene.config.parent / "common"
    common.mkdir()
    for name in ("objects", "refs", "packed-refs"):
        (common / name).symlink_to(scene.git / name)
    (common / "config").write_bytes(scene.config.read_bytes())
    (scene.git / "commondir").write_text(f"{common}\n")


def a_common_directory_that_never_answers(scene: Scene) -> None:
    os.mkfifo(scene.git / "commondir")


def a_nested_repository(scene: Scene) -> None:
    scene.configure("push.recurseSubmodules", "on-demand")
    nested = scene.machine.clone / "nested"
    subprocess.run(["git", "init", "-q", str(nested)], check=True)
    for words in (
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["remote", "add", "origin", "ssh://git@host.invalid/x.git"],
        ["config", "core.sshCommand", str(scene.program)],
    ):
        subprocess.run(["git", *words], cwd=nested, check=True)
    (scene.machine.clone / ".gitmodules").write_text('[submodule "nested"]\n\tpath = nested\n\turl = ../x\n')
    scene.machine.git("add", "-f", "nested", ".gitmodules")
    scene.machine.git("commit", "-q", "-m", "a repository inside")


def two_addresses(scene: Scene) -> None:
    scene.configure("--unset-all", "remote.origin.url")
    scene.configure("--add", "remote.origin.url", str(scene.evil))
    scene.configure("--add", "remote.origin.url", str(scene.remote))
    scene.configure("remote.origin.promisor", "true")


def other_addresses_by_an_include(scene: Scene) -> None:
    scene.configure("include.path", str(scene.config))
    scene.configure("includeIf.gitdir:/.path", str(scene.config))


def an_include_that_never_answers(scene: Scene) -> None:
    os.mkfifo(scene.git / "pipe")
    scene.configure("include.path", str(scene.git / "pipe"))


def a_configuration_of_the_worktree(scene: Scene) -> None:
    scene.configure("extensions.worktreeConfig", "true")
    (scene.git / "config.worktree").write_bytes(scene.config.read_bytes())


def a_configuration_that_is_no_file(scene: Scene) -> None:
    os.mkfifo(scene.git / "config.worktree")


def a_work_tree_elsewhere(scene: Scene) -> None:
    scene.configure("core.worktree", str(scene.evil))
    scene.configure("core.sshCommand", str(scene.program))
    scene.configure("remote.origin.uploadpack", str(scene.program))
    scene.configure("remote.origin.receivepack", str(scene.program))
    scene.configure("uploadpack.packObjectsHook", str(scene.program))


def objects_of_others(scene: Scene) -> None:
    (scene.git / "objects/info").mkdir(exist_ok=True)
    os.mkfifo(scene.git / "objects/info/alternates")
    os.mkfifo(scene.git / "objects/info/commit-graph")
    scene.configure("core.alternateRefsCommand", str(scene.program))


def filters(scene: Scene) -> None:
    (scene.git / "info").mkdir(exist_ok=True)
    (scene.git / "info/attributes").write_text("* filter=x merge=x diff=x\n")
    for key in ("filter.x.clean", "filter.x.process", "diff.x.textconv", "diff.external"):
        scene.configure(key, str(scene.program))


def refs_that_stand_for_others(scene: Scene) -> None:
    (scene.git / "refs/replace").mkdir()
    head = scene.machine.git("rev-parse", "HEAD")
    (scene.git / "refs/replace" / head).write_text("0" * 39 + "1\n")
    os.mkfifo(scene.git / "refs/heads/pipe")
    (scene.git / "refs/heads/link").symlink_to("/dev/zero")


ATTACKS = (
    address_as_a_name, another_common_directory, a_common_directory_that_never_answers, a_nested_repository,
    two_addresses, other_addresses_by_an_include, an_include_that_never_answers,
    a_configuration_of_the_worktree, a_configuration_that_is_no_file, a_work_tree_elsewhere,
    objects_of_others, filters, refs_that_stand_for_others,
)  # fmt: skip


@pytest.mark.parametrize("attack", rotating(ATTACKS, keep=4), ids=lambda attack: attack.__name__)
def test_the_memory_goes_where_config_toml_says_and_nothing_is_run(
    ada: Machine, remote: Path, tmp_path: Path, attack: Attack
) -> None:
    ada.init(str(remote))
    (tmp_path / "evil").mkdir()
    scene = Scene(ada, remote, tmp_path / "evil")
    attack(scene)
    ada.remember(TEXT)
    result = ada.sync()
    if (
        attack is filters
    ):  # no filter is run, so what git would store in another form waits until none is named
        assert {refusal.rule for refusal in result.held} == {"converted"}
        (scene.git / "info/attributes").unlink()
        result = ada.sync()
    assert result.remote.ok, result.remote
    assert result.sent
    assert TEXT in scene.log(remote)
    assert scene.log(scene.evil) == ""
    assert not scene.mark.exists()


@pytest.mark.parametrize("name", ["objects", "refs", "info", "objects/pack"])
def test_a_folder_of_the_clones_that_is_a_link_is_refused_in_a_sentence(
    ada: Machine, remote: Path, tmp_path: Path, name: str
) -> None:
    ada.init(str(remote))
    place = ada.clone / ".git" / name
    place.mkdir(exist_ok=True)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    ada.remember(TEXT)
    before = sorted(path.name for path in (tmp_path / "moved").rglob("*"))
    run = ada.process("sync")
    assert run.returncode == 1
    assert f"{place} is a link to a folder, where a folder of its own belongs" in run.stderr
    assert sorted(path.name for path in (tmp_path / "moved").rglob("*")) == before
