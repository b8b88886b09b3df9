"""From names to scopes, notes and entries: nearest first, and never another project's by accident."""

from __future__ import annotations

import pytest
from machines import Machine

from ctxrepo.domain.project.target import Target, parse_target
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.services.reading.find import (
    destination_of,
    entries_of_key,
    find_entry,
    note_paths,
    scope_named,
    search_order,
)
from ctxrepo.services.reading.targets import find_note, resolve


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


def test_a_note_is_found_however_its_name_is_spelt_and_the_very_name_comes_first(mine: Machine) -> None:
    assert found(mine, "topics/X") == "shop/topics/x.md"
    assert found(mine, "shop:Topics/X") == "shop/topics/x.md"
    mine.write("global/topics/X.md", "- of mine too\n")
    assert found(mine, "topics/X") == "global/topics/X.md"
    assert found(mine, "global:topics/x") == "global/topics/x.md"


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
    assert destination_of(mine.open(), parse_target(target), mine.project()) == where


def test_beside_an_entry(mine: Machine) -> None:
    memory, project = mine.open(), mine.project()
    entry = find_note(memory, parse_target("other:topics/y"), project).entries[0]
    assert destination_of(memory, Target(entry_id=entry.id), project) == Target("other", "topics/y.md")


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


def test_only_near_names_are_told(mine: Machine) -> None:
    mine.write("shop/topics/bom.md", "- text\n")
    with pytest.raises(NotFound) as caught:
        found(mine, "topics/nope")
    assert caught.value.hint == "`ctxrepo list` shows the notes."


def entry_at(machine: Machine, target: str) -> str:
    entry = resolve(machine.open(), parse_target(target), machine.project())[1]
    assert entry is not None
    return entry.text


def test_a_place_that_we_print_names_the_entry_there(mine: Machine) -> None:
    mine.write("shop/topics/z.md", "# Title\n\n- one\n- two\n  goes on\n- three\n")
    for entry in find_note(mine.open(), parse_target("topics/z"), mine.project()).entries:
        assert entry_at(mine, entry.at) == entry.text
    assert entry_at(mine, "z#L5") == "- two\n  goes on"
    assert entry_at(mine, "shop:topics/z.md#L1-L3") == "- one"


@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        ("#L1", NotFound, "no entry stands at line 1 of shop/topics/z.md"),
        ("#L99", NotFound, "no entry stands at line 99"),
        ("#L3-L4", UsageError, "2 entries stand at lines 3 to 4"),
    ],
)
def test_a_place_without_one_entry_is_said(
    mine: Machine, lines: str, error: type[CtxrepoError], message: str
) -> None:
    mine.write("shop/topics/z.md", "# Title\n\n- one\n- two\n")
    with pytest.raises(error, match=message):
        entry_at(mine, f"topics/z.md{lines}")


def test_the_name_of_a_note_does_without_its_folders(mine: Machine) -> None:
    mine.write("shop/topics/gotcha.md", "- text\n")
    mine.write("global/deep/down/lone.md", "- text\n")
    assert found(mine, "gotcha") == found(mine, "gotcha.md") == found(mine, "shop:gotcha")
    assert found(mine, "lone") == "global/deep/down/lone.md"
    mine.write("global/topics/gotcha.md", "- text\n")
    assert found(mine, "gotcha") == "shop/topics/gotcha.md"
    mine.write("shop/core/gotcha.md", "- text\n")
    with pytest.raises(UsageError) as caught:
        found(mine, "gotcha")
    assert caught.value.hint == "They are shop/core/gotcha.md, shop/topics/gotcha.md."
    with pytest.raises(NotFound):
        found(mine, "y")  # another project's


def test_what_is_in_the_archive_is_not_meant_by_its_name(mine: Machine) -> None:
    with pytest.raises(NotFound) as caught:
        found(mine, "old")
    assert caught.value.hint == "It is in the archive: archive/old.md."


@pytest.mark.parametrize("is_committed", [False, True])
def test_the_beginning_of_an_id_does(mine: Machine, is_committed: bool) -> None:
    entry_id = mine.remember("a fact").id
    if is_committed:
        mine.sync()
    for name in (f"^{entry_id}", f"^{entry_id[:4]}", entry_id, entry_id[:7]):
        assert entry_at(mine, name) == "- a fact"
    with pytest.raises(NotFound) as caught:
        entry_at(mine, f"^{entry_id[:3]}")
    assert caught.value.hint == "Give at least 4 characters of an id."


def test_a_beginning_that_several_ids_have_names_them(mine: Machine) -> None:
    mine.write("shop/two.md", "- one <!-- ^abcd1 -->\n- two <!-- ^abcd2 -->\n- three <!-- ^abcd -->\n")
    mine.write("other/three.md", "- four <!-- ^abcd3 -->\n- five <!-- ^beef1 -->\n")
    mine.sync()
    assert entry_at(mine, "^abcd").startswith("- three")
    mine.write("shop/two.md", "- one <!-- ^abcd1 -->\n- two <!-- ^abcd2 -->\n")
    mine.sync()
    with pytest.raises(UsageError) as caught:
        entry_at(mine, "^abcd")
    assert caught.value.message == "abcd begins 2 ids"
    assert caught.value.hint == "They are ^abcd1 shop/two.md#L1, ^abcd2 shop/two.md#L2."
    assert entry_at(mine, "^beef").startswith("- five")


def test_a_note_comes_before_an_id_that_begins_so(mine: Machine) -> None:
    entry_id = mine.remember("a fact").id
    mine.write(f"shop/{entry_id[:6]}.md", "- a note of that name\n")
    assert found(mine, entry_id[:6]) == f"shop/{entry_id[:6]}.md"
    assert entry_at(mine, f"^{entry_id[:6]}") == "- a fact"


def test_what_became_of_an_entry_is_told_by_the_beginning_of_its_id_too(mine: Machine) -> None:
    former = mine.remember("a fact that is pinned", pin=True)
    mine.sync()
    mine.write("shop/MEMORY.md", mine.read("shop/MEMORY.md").replace("is pinned", "was pinned"))
    mine.sync()
    with pytest.raises(NotFound, match="no entry") as caught:
        entry_at(mine, f"^{former.id[:6]}")
    assert caught.value.hint.startswith("It is ^")
    find_entry(mine.open(), former.id[:6], mine.project(), follows=True)


@pytest.mark.parametrize("name", ["zzzz", "no-such"])
def test_what_is_no_id_is_said(mine: Machine, name: str) -> None:
    with pytest.raises(NotFound) as caught:
        find_entry(mine.open(), name, mine.project())
    assert caught.value.hint.startswith("An id has 12 characters, 0-9 and a-f")


def test_archived_entries_are_not_live(mine: Machine) -> None:
    mine.write("shop/live.md", "- db: here\n- other: there\n")
    assert [e.text for e in entries_of_key(mine.open(), "shop", "DB")] == ["- db: here"]


def test_only_notes_in_scopes_are_notes(mine: Machine) -> None:
    mine.write("README.md", "- not in a scope\n")
    mine.write("shop/data.jsonl", "{}\n")
    assert note_paths(mine.open(), ["shop"]) == ["shop/archive/old.md", "shop/topics/x.md"]
    assert not any(p == "README.md" or p.endswith("l") for p in note_paths(mine.open()))
