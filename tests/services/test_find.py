"""From names to scopes, notes and entries: nearest first, and never another project's by accident."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.domain.target import Target, parse_target
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.services.find import (
    find_entry,
    find_note,
    live_entries,
    note_paths,
    placed,
    scope_named,
    search_order,
)


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.write("shop/topics/x.md", "- of the project\n")
    ada.write("global/topics/x.md", "- of mine\n")
    ada.write("other/topics/y.md", "- of another\n")
    ada.write("shop/archive/old.md", "- db: gone\n")
    ada.write("ctxrepo.toml", '[projects]\n"git.example.org/ada/shop" = "shop"\n"host/other" = "other"\n')
    return ada


def found(machine: Machine, target: str) -> str:
    return find_note(machine.open(), parse_target(target), machine.project()).path


def test_scopes_by_every_name(mine: Machine) -> None:
    memory, project = mine.open(), mine.project()
    for name in ("", "project", "shop", "git.example.org/ada/shop"):
        assert scope_named(memory, name, project).folder == "shop"
    assert scope_named(memory, "global", project).folder == scope_named(memory, "", None).folder == "global"
    for name in ("other", "host/other"):
        scope = scope_named(memory, name, project)
        assert (scope.folder, scope.project and scope.project.id) == ("other", "host/other")
    with pytest.raises(NotFound) as caught:
        scope_named(memory, "othr", project)
    assert caught.value.hint == "Did you mean other?"
    with pytest.raises(NotFound) as caught:
        scope_named(memory, "zzz", project)
    assert caught.value.hint == "There are global, shop, other."
    with pytest.raises(UsageError, match="no project"):
        scope_named(memory, "project", None)


def test_a_project_is_known_by_its_name_before_it_is_registered(mine: Machine) -> None:
    mine.write("ctxrepo.toml", "")
    assert scope_named(mine.open(), "shop", mine.project()).folder == "shop"


def test_notes_are_looked_for_in_the_project_first(mine: Machine) -> None:
    assert search_order(mine.open(), mine.project()) == ["shop", "global"]
    assert found(mine, "topics/x") == "shop/topics/x.md"
    assert found(mine, "global:topics/x") == "global/topics/x.md"
    assert find_note(mine.open(), parse_target("topics/x"), None).path == "global/topics/x.md"


def test_a_path_as_we_print_it_is_understood(mine: Machine) -> None:
    assert found(mine, "global/topics/x.md") == "global/topics/x.md"
    assert found(mine, "other/topics/y.md") == "other/topics/y.md"
    with pytest.raises(NotFound):
        found(mine, "topics/y.md")
    with pytest.raises(NotFound):
        found(mine, "global:shop/topics/x.md")


@pytest.mark.parametrize(
    ("target", "where"),
    [
        ("topics/x", Target("", "topics/x.md")),
        ("shop/topics/x", Target("project", "topics/x.md")),
        ("global/topics/x", Target("global", "topics/x.md")),
        # Another project's folder might as well be a folder of this one: it is only written to by name.
        ("other/topics/x", Target("", "other/topics/x.md")),
        ("global:shop/x", Target("global", "shop/x.md")),
    ],
)
def test_where_something_new_goes(mine: Machine, target: str, where: Target) -> None:
    assert placed(mine.open(), parse_target(target), mine.project()) == where


def test_beside_an_entry(mine: Machine) -> None:
    memory, project = mine.open(), mine.project()
    entry = find_note(memory, parse_target("other:topics/y"), project).entries[0]
    assert placed(memory, Target(entry_id=entry.id), project) == Target("other", "topics/y.md")


def test_an_entry_is_found_wherever_it_is_committed_or_not(mine: Machine) -> None:
    written = mine.remember("just now")
    memory, project = mine.open(), mine.project()
    for entry_id in (written.id, find_note(memory, parse_target("other:topics/y"), project).entries[0].id):
        note, entry = find_entry(memory, entry_id, project)
        assert entry.id == entry_id
        assert entry in note.entries
        assert find_note(memory, Target(entry_id=entry_id), project).path == note.path
    with pytest.raises(NotFound, match="no entry"):
        find_entry(memory, "0" * 12, project)


def test_an_entry_of_another_place_than_the_cache_says_is_found(mine: Machine) -> None:
    made = mine.remember("moves soon", with_id=True)
    mine.sync()
    text = mine.read("shop/MEMORY.md")
    (mine.clone / "shop/MEMORY.md").unlink()
    mine.write("global/moved.md", text)
    assert find_entry(mine.open(), made.id, mine.project())[0].path == "global/moved.md"


def test_what_is_there_and_no_note_is_not_said_to_be_missing(mine: Machine) -> None:
    (mine.clone / "shop/link.md").symlink_to("/etc/passwd")
    (mine.clone / "shop/folder.md").mkdir()
    for name in ("link", "folder"):
        with pytest.raises(CtxrepoError, match=f"shop/{name}.md is there"):
            found(mine, name)


def test_near_names_are_told(mine: Machine) -> None:
    with pytest.raises(NotFound) as caught:
        found(mine, "topic/x")
    assert caught.value.hint == "Near it: topics/x.md."


def test_archived_entries_are_not_live(mine: Machine) -> None:
    mine.write("shop/live.md", "- db: here\n- other: there\n")
    assert [e.text for _, e in live_entries(mine.open(), "shop", "db:")] == ["- db: here"]


def test_only_notes_in_scopes_are_notes(mine: Machine) -> None:
    mine.write("README.md", "- not in a scope\n")
    mine.write("shop/data.jsonl", "{}\n")
    assert note_paths(mine.open(), ["shop"]) == ["shop/archive/old.md", "shop/topics/x.md"]
    assert not any(p == "README.md" or p.endswith("l") for p in note_paths(mine.open()))
