"""What a commit says of itself names what was written, not the files it lies in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from machines import NOW, Machine

from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.notes.placing import archive, move
from ctxrepo.services.projects.link_project import rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import commit


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def subject(machine: Machine) -> str:
    commit(machine.open(), NOW)
    return machine.git("log", "-1", "--format=%s")


def test_an_entry_added_edited_and_removed(mine: Machine) -> None:
    mine.remember("the port of redis is 6380", category="gotcha")
    assert subject(mine) == "memory(shop): add topics/gotcha"
    note = "shop/topics/gotcha.md"
    mine.write(note, mine.read(note).replace("6380", "6381"))
    assert subject(mine) == "memory(shop): edit topics/gotcha"
    assert "~ [gotcha] the port of redis is 6381" in mine.git("log", "-1", "--format=%b")
    mine.write(note, mine.read(note).replace("- [gotcha] the port of redis is 6381\n", ""))
    subject(mine)
    assert "- [gotcha] the port of redis is 6381" in mine.git("log", "-1", "--format=%b")


def test_an_anchor_is_called_by_its_name(mine: Machine) -> None:
    memory = mine.open()
    anchor(memory, AnchorRequest("checkout/begin"), mine.project(), Origin(memory.host), NOW)
    assert subject(mine) == "memory(shop): anchor checkout/begin"


def test_several_files_are_counted(mine: Machine) -> None:
    for name in ("a", "b", "c"):
        mine.write(f"global/{name}.md", "- x\n")
    assert subject(mine) == "memory(global): add a, +2"


def go(machine: Machine, act: Callable[..., object], *words: str) -> str:
    """Move or archive, and what the commit says of it."""
    memory = machine.open()
    act(memory, *map(parse_target, words), machine.project(), Origin(memory.host), NOW)
    return subject(machine)


def test_a_note_that_is_moved_or_archived(mine: Machine) -> None:
    mine.remember("x y z", category="gotcha")
    mine.write("shop/MEMORY.md", "- [traps](topics/gotcha.md)\n")
    subject(mine)
    assert go(mine, move, "topics/gotcha", "topics/traps") == (
        "memory(shop): move topics/gotcha to topics/traps, +1"
    )
    assert "x y z" not in mine.git("log", "-1", "--format=%b")
    assert (
        go(mine, move, "topics/traps", "global:traps")
        == "memory(shop): move topics/traps to global/traps, +1"
    )
    assert go(mine, archive, "global:traps") == "memory(global): archive traps, +1"


def test_a_project_that_is_renamed(mine: Machine) -> None:
    for category in ("one", "two", "three"):
        mine.remember(f"{category} fact", category=category)
    mine.write("global/x.md", "- see [[shop/topics/one]]\n")
    subject(mine)
    memory = mine.open()
    rename_project(memory, require_project(mine.project()), "store", Origin(memory.host), NOW)
    assert subject(mine) == "memory: rename shop to store"
    body = mine.git("log", "-1", "--format=%b")
    assert "* shop/ is store/ now (3 files)\n~ see [[store/topics/one]]\n" in body
    assert "fact" not in body


def test_a_note_that_is_moved_and_edited_before_it_is_committed(mine: Machine) -> None:
    mine.remember("the first fact", category="gotcha")
    mine.remember("the second fact", category="gotcha")
    subject(mine)
    memory = mine.open()
    words = parse_target("topics/gotcha"), parse_target("topics/traps")
    move(memory, *words, mine.project(), Origin(memory.host), NOW)
    mine.remember("the third fact", note=parse_target("topics/traps"))
    assert subject(mine) == "memory(shop): move topics/gotcha to topics/traps"
    assert mine.git("log", "-1", "--format=%b").startswith("+ the third fact\n")
