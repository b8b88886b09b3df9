"""Where git may be started: whatever of its own it would open first is a file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from repositories import make_bare, make_checkout

from ctxrepo.storage.user.sound import is_path, is_sound


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    shop = tmp_path / "shop"
    (shop / "deep").mkdir(parents=True)
    make_checkout(shop)
    git(shop, "commit", "-q", "--allow-empty", "-m", "first")
    return shop


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(20 * 2**30)


ODD = [_pipe, _endless]


def test_checkouts_of_every_kind_are_sound(shop: Path, tmp_path: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "fix"))
    git(tmp_path, "clone", "-q", "--bare", str(shop), "shop.git")
    (tmp_path / "around").mkdir()
    (tmp_path / "around/.git").write_text("gitdir: ../shop.git\n")
    (tmp_path / "linked").symlink_to(shop / ".git")
    for folder in (shop, shop / "deep", tmp_path / "fix", tmp_path / "shop.git", tmp_path / "around"):
        assert is_sound(folder), folder
    assert is_sound(tmp_path), "where there is none git says so"


@pytest.mark.parametrize("make", [*ODD, _huge])
@pytest.mark.parametrize("name", [".git/HEAD", ".git/config", ".git/commondir", ".git/config.worktree"])
def test_a_pipe_a_device_and_a_file_without_end_are_not(
    shop: Path, name: str, make: Callable[[Path], None]
) -> None:
    (shop / name).unlink(missing_ok=True)
    make(shop / name)
    assert not is_sound(shop / "deep")


@pytest.mark.parametrize("make", ODD)
@pytest.mark.parametrize(
    "name", [".git/index", ".git/packed-refs", ".git/objects/info/alternates", ".git/shallow"]
)
def test_nor_are_those_that_git_opens_later(shop: Path, name: str, make: Callable[[Path], None]) -> None:
    (shop / name).unlink(missing_ok=True)
    make(shop / name)
    assert not is_sound(shop)


@pytest.mark.parametrize("make", [*ODD, _huge])
def test_nor_is_a_git_that_is_neither_file_nor_folder(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / ".git")
    assert not is_sound(tmp_path)


@pytest.mark.parametrize("make", ODD)
def test_nor_is_a_folder_that_looks_bare(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make_bare(tmp_path / "bare")
    bare = tmp_path / "bare"
    assert is_sound(bare)
    make(bare / ".git")
    assert not is_sound(bare)
    (bare / ".git").unlink()
    (bare / "HEAD").unlink()
    make(bare / "HEAD")
    assert not is_sound(bare)


@pytest.mark.parametrize("make", ODD)
@pytest.mark.parametrize("name", ["HEAD", "commondir"])
def test_nor_is_a_worktree_whose_link_leads_to_one(
    shop: Path, tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "fix"))
    own = shop / ".git/worktrees/fix"
    (own / name).unlink()
    make(own / name)
    assert not is_sound(tmp_path / "fix")
    assert is_sound(shop)


def test_links_that_go_round_in_a_circle_are_nothing(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / ".git").symlink_to("loop")
    assert is_sound(tmp_path)
    assert is_sound(tmp_path / "loop")


def test_no_path_is_longer_than_the_system_takes() -> None:
    assert is_path("/a/ü/\udcff")
    for odd in ("", "a\0b", "/a" * 100_000, "/\ud800"):
        assert not is_path(odd)
