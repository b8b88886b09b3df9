"""The list: notes of the scopes in view, in one order, odd ones marked and none left out."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.errors import NotFound
from ctxrepo.services.list_notes import list_notes


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    (ada.clone / "global/MEMORY.md").unlink()
    return ada


def names(machine: Machine, scope: str = "") -> list[str]:
    return [f"{n.scope}/{n.path}" for n in list_notes(machine.open(), scope, machine.project())]


def test_the_projects_before_mine_each_by_path(mine: Machine) -> None:
    for path in ("shop/b.md", "shop/a/z.md", "global/A.md", "other/x.md", "shop/B.md", "shop/data.jsonl"):
        mine.write(path, "- x\n")
    assert names(mine) == ["shop/B.md", "shop/a/z.md", "shop/b.md", "global/A.md"]
    assert names(mine, "global") == ["global/A.md"]
    mine.remember("registers the project")
    assert names(mine, "shop")[-1] == "shop/b.md"
    with pytest.raises(NotFound):
        names(mine, "other")


def test_what_it_says_of_a_note(mine: Machine) -> None:
    mine.write("shop/a.md", "---\ndescription: About\ntags: [x]\ncreated: 2020-01-02\n---\n- 1\n- 2\n")
    mine.write("shop/b.md", "---\ntorn\n")
    first, second = list_notes(mine.open(), "", mine.project())
    assert (first.description, first.tags, first.updated, first.entries, first.problem) == (
        "About",
        ("x",),
        "2020-01-02",
        2,
        "",
    )
    assert "never closed" in second.problem


def test_an_empty_memory_is_an_empty_list(mine: Machine) -> None:
    assert names(mine) == []
