"""A project whose folder somebody renamed by hand is in view under its new name, on every machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.services.locate.identify import read_registry

Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(pair: Pair) -> Pair:
    ada, ben = pair
    for text in ("the cache is warm at nine", "deploys go by the queue"):
        ada.remember(text)
    ada.write("shop/topics/ports.md", "- The till listens on port 8081\n")
    assert ada.ctxrepo("anchor", "ports/settled", "--summary", "8081 it is").returncode == 0
    ada.sync()
    ben.sync()
    return pair


def folders(machine: Machine) -> list[str]:
    return [*read_registry(machine.open()).projects.values()]


def rename(machine: Machine) -> None:
    (machine.clone / "shop").rename(machine.clone / "store")


def rename_with_git(machine: Machine) -> None:
    machine.git("mv", "shop", "store")
    machine.git("commit", "-qm", "store is the name now")


@pytest.mark.slow
@pytest.mark.parametrize("way", [rename, rename_with_git])
def test_its_notes_and_its_tape_are_in_view_under_the_new_name(
    pair: Pair, way: Callable[[Machine], None]
) -> None:
    ada, ben = pair
    way(ada)
    ada.sync()
    ben.sync()
    for machine in pair:
        assert folders(machine) == ["store"]
        assert "store/topics/ports.md" in machine.ctxrepo("search", "till").stdout
        assert "the cache is warm" in machine.ctxrepo("context").stdout
        assert "ports/settled" in machine.ctxrepo("tape", "list").stdout
        assert not [*Path(machine.clone, "TAPE").glob("shop/*.jsonl")]
    assert ben.remember("written after it").at.startswith("store/")


@pytest.mark.parametrize(
    "words", [("remember", "written right after it"), ("scratch", "add", "right after it")]
)
def test_a_command_right_after_it_writes_under_the_new_name(pair: Pair, words: tuple[str, ...]) -> None:
    ada, _ = pair
    rename(ada)
    done = ada.ctxrepo(*words)
    assert done.returncode == 0
    assert " store/" in done.stdout
    assert folders(ada) == ["store"]
    assert not (ada.clone / "shop").exists()


def test_a_folder_that_a_command_has_just_named_anew_and_then_a_hand_is_the_same(pair: Pair) -> None:
    ada, ben = pair
    assert ada.ctxrepo("project", "rename", "depot").returncode == 0
    (ada.clone / "depot").rename(ada.clone / "store")
    ada.sync()
    ben.sync()
    for machine in pair:
        assert folders(machine) == ["store"]
        assert "store/topics/ports.md" in machine.ctxrepo("search", "till").stdout


def test_what_is_only_like_it_is_no_new_name(pair: Pair) -> None:
    ada, _ = pair
    notes = {path.name: path.read_text() for path in (ada.clone / "shop").glob("*.md")}
    (ada.clone / "shop/topics/ports.md").unlink()
    for name in notes:
        (ada.clone / "shop" / name).unlink()
    ada.write("store/other.md", "- something else\n")
    ada.sync()
    assert folders(ada) == ["shop"]
    assert not (ada.clone / "TAPE/store").exists()


@pytest.mark.slow
def test_a_folder_that_another_project_has_is_not_taken(pair: Pair) -> None:
    ada, ben = pair
    toml = ada.clone / "ctxrepo.toml"
    toml.write_text(toml.read_text() + '"git.example.org/ada/depot" = "store"\n')
    ada.sync()
    rename(ada)
    ada.sync()
    ben.sync()
    assert sorted(folders(ben)) == ["shop", "store"]
