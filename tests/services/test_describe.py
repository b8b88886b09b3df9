"""What a commit says of itself names what was written, not the files it lies in."""

from __future__ import annotations

import pytest
from machines import NOW, Machine

from ctxrepo.domain.origin import Origin
from ctxrepo.services.commit import commit
from ctxrepo.services.tape import anchor


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
    anchor(memory, "checkout/begin", mine.project(), Origin(memory.host), NOW)
    assert subject(mine) == "memory(shop): anchor checkout/begin"


def test_several_files_are_counted(mine: Machine) -> None:
    for name in ("a", "b", "c"):
        mine.write(f"global/{name}.md", "- x\n")
    assert subject(mine) == "memory(global): add a, +2"
