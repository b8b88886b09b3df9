"""Where files are by now."""

from __future__ import annotations

from pathlib import Path

import pytest
from copies import Copies
from machines import Machine, make_ada

from ctxrepo.services.reading.places import places_by_now

OLD = "shop/topics/a.md"


@pytest.fixture
def ada(copies: Copies) -> Machine:
    return copies.of(with_a_note)


def with_a_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.remember("which registers the project")
    ada.write(OLD, "- alpha fact\n- beta fact\n")
    ada.sync()
    return ada


def move(machine: Machine, *words: str) -> None:
    assert machine.ctxrepo("move", *words).returncode == 0
    machine.sync()


def rename(machine: Machine, name: str) -> None:
    assert machine.ctxrepo("project", "rename", name).returncode == 0
    machine.sync()


def places(machine: Machine, before: str, *paths: str) -> dict[str, str]:
    return places_by_now(machine.open().objects, paths, before, machine.git("rev-parse", "HEAD"))


def test_what_was_recorded_before_leads_nowhere(ada: Machine) -> None:
    """The path had another note until a while ago, which moved on since."""
    move(ada, "topics/a.md", "topics/z.md")
    ada.write(OLD, "- of something else\n- and more of it\n")
    ada.sync()
    before = ada.git("rev-parse", "HEAD")
    move(ada, "topics/z.md", "topics/far.md")
    move(ada, "topics/a.md", "topics/b.md")
    assert places(ada, before, OLD, "shop/topics/z.md", "shop/MEMORY.md", "shop/none.md") == {
        OLD: "shop/topics/b.md",
        "shop/topics/z.md": "shop/topics/far.md",
    }


def test_a_note_is_followed_through_names_that_its_folder_had_for_a_while(ada: Machine) -> None:
    before = ada.git("rev-parse", "HEAD")
    rename(ada, "store")
    move(ada, "topics/a.md", "topics/z.md")
    rename(ada, "mart")
    ada.write("mart/topics/z.md", "- nothing of that\n")
    ada.sync()
    assert places(ada, before, OLD) == {OLD: "mart/topics/z.md"}
