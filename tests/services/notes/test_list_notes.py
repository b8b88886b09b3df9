"""The list: notes of the scopes in view, in one order, odd ones marked and none left out."""

from __future__ import annotations

import shutil

import pytest
from machines import NOW, Machine

from ctxrepo.errors import NotFound
from ctxrepo.services.notes.list_notes import list_notes
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.cache import all_faults


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    (ada.clone / "global/MEMORY.md").unlink()
    return ada


def names(machine: Machine, scope: str = "") -> list[str]:
    return [f"{n.scope}/{n.path}" for n in list_notes(machine.open(), scope, machine.project(), None)]


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
    first, second = list_notes(mine.open(), "", mine.project(), None)
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


def test_after_a_commit_the_same_is_listed_without_another_look(mine: Machine) -> None:
    """Also what it held back, what it passed over, and what somebody deleted too much of."""

    def are_alike() -> list[str]:
        memory = mine.open()
        done = commit(memory, NOW)
        summaries = list_notes(memory, "", mine.project(), done)
        assert summaries == list_notes(memory, "", mine.project(), None)
        return [note.path for note in summaries]

    for n in range(12):
        mine.write(f"shop/{n}.md", f"- fact number {n}\n")
    assert len(are_alike()) == 12
    for path in ("shop/secret.md", "shop/0.md"):
        mine.write(path, f"- ghp_{'a1B2' * 9}\n")
    (mine.clone / "shop/link.md").symlink_to("/etc/passwd")
    (mine.clone / "shop/1.md").unlink()
    (mine.clone / "shop/1.md").mkdir()
    (mine.clone / "shop/2.md").unlink()
    (mine.clone / "shop/2.md").symlink_to("/etc/passwd")
    names = are_alike()
    assert {"secret.md", "0.md"} <= {*names}
    assert not {"link.md", "1.md", "2.md"} & {*names}
    for n in range(3, 11):
        (mine.clone / f"shop/{n}.md").unlink()
    held = [f"{n}.md" for n in range(3, 11)]  # their deletion is
    assert are_alike() == sorted(["0.md", "11.md", "secret.md", *held])
    for folder in ("shop", "global"):
        shutil.rmtree(mine.clone / folder, ignore_errors=True)
    are_alike()


@pytest.mark.parametrize("name", ["Release 2026: notes.md", "two\nlines.md", "CON.md", "odd\udcff.md"])
def test_a_name_that_no_note_may_have_hides_no_other_note(mine: Machine, name: str) -> None:
    """Faults and `check` tell of it."""
    mine.write("shop/fine.md", "- x\n")
    mine.write(f"shop/{name}", "- y\n")
    memory = mine.open()
    listed = list_notes(memory, "", mine.project(), commit(memory, NOW))
    assert [note.path for note in listed] == ["fine.md"]
    assert [fault.kind for fault in memory.cache.ask(all_faults)] == ["skipped"]
