"""restore brings back what was forgotten, archived or edited, to where it was."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada
from marked import marks_of

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.project.target import Target, parse_destination, parse_target
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import NotFound, Refused, UsageError
from ctxrepo.services.history.restore import RestoreResult, restore
from ctxrepo.services.notes.changing import EditRequest, Passage, edit
from ctxrepo.services.notes.placing import archive, forget, move
from ctxrepo.services.notes.requests import RestoreRequest
from ctxrepo.services.projects.link_project import rename_project
from ctxrepo.services.reading.find import require_project
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/gotcha.md"
TEXT = "---\ndescription: Traps\n---\n\n# Traps\n\n- one\n- two\n- three\n\n## Old\n\n- four\n"


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(begun)


def begun(place: Path) -> Machine:
    ada = make_ada(place)
    ada.remember("a start")
    ada.write(NOTE, TEXT)
    save(ada)
    return ada


def save(machine: Machine) -> str:
    done = commit(machine.open(), NOW)
    assert done.head is not None
    return done.head


def again(machine: Machine, target: str, to: str = "", **how: Any) -> RestoreResult:
    memory, there = machine.open(), parse_destination(to) if to else None
    who = Origin(memory.host)
    later = NOW + timedelta(minutes=1)
    request = RestoreRequest(parse_target(target), there, **how)
    return restore(memory, request, machine.project(), who, later)


def act(machine: Machine, verb: Any, target: str, *more: Any) -> Any:
    memory = machine.open()
    return verb(memory, parse_target(target), *more, machine.project(), Origin(memory.host), NOW)


def id_of(machine: Machine, words: str, path: str = NOTE) -> str:
    return next(f"^{e.id}" for e in entries_of(path, machine.read(path)) if words in e.text)


def said(machine: Machine, path: str = NOTE) -> list[str]:
    return [e.plain for e in entries_of(path, machine.read(path))]


def marks(machine: Machine) -> Marks:
    memory = machine.open()
    return marks_of(memory, memory.objects.tree_of(save(machine)))


def test_a_forgotten_note_is_back_to_the_byte(mine: Machine) -> None:
    act(mine, forget, "topics/gotcha")
    assert again(mine, "topics/gotcha") == RestoreResult(NOTE, source=NOTE)
    assert mine.read(NOTE) == TEXT


def test_a_note_that_was_held_back_for_a_secret_comes_back_with_the_secret_masked(mine: Machine) -> None:
    token = "ghp_" + "1bcdefghijKLMNopqrstuvwxyz0123456789"
    mine.write(NOTE, TEXT + f"- the `token` {token} of `bob`\n")
    save(mine)
    assert mine.ctxrepo("remember", "written meanwhile", "--note", "topics/gotcha").returncode == 0
    held = mine.read(NOTE)
    act(mine, forget, "topics/gotcha")
    save(mine)
    assert again(mine, "topics/gotcha").lines == ("~ the token [github-token] of bob",)
    assert mine.read(NOTE) == held.replace(f"the `token` {token} of `bob`", "the token [github-token] of bob")
    assert not commit(mine.open(), NOW).held


def test_what_was_removed_by_hand_is_found_as_well(mine: Machine) -> None:
    two = id_of(mine, "two")
    mine.write(NOTE, TEXT.replace("- two\n", ""))
    save(mine)
    assert again(mine, two).at == f"{NOTE}#L8"
    assert mine.read(NOTE) == TEXT
    save(mine)
    mine.git("rm", "-q", NOTE)
    mine.git("commit", "-q", "-m", "by hand")
    again(mine, "topics/gotcha")
    assert mine.read(NOTE) == TEXT


@pytest.mark.parametrize("words", ["one", "two", "three", "four"])
def test_a_forgotten_entry_stands_where_it_stood(mine: Machine, words: str) -> None:
    entry = id_of(mine, words)
    act(mine, forget, entry)
    save(mine)
    mine.write(NOTE, mine.read(NOTE) + "\n## New\n\n- five\n")
    done = again(mine, entry[:8])
    assert f"^{done.id}" == entry
    assert mine.read(NOTE) == f"{TEXT}\n## New\n\n- five\n"
    assert again(mine, entry).existing


def test_the_place_that_forget_printed_brings_it_back(mine: Machine) -> None:
    gone = act(mine, forget, f"{NOTE}#L13")
    assert "four" not in said(mine)
    save(mine)
    assert again(mine, f"{NOTE}#L13").at == f"{NOTE}#L13"
    assert gone
    assert mine.read(NOTE).endswith("- four\n")


def test_a_pin_holds_again_and_a_tombstone_no_more(mine: Machine) -> None:
    made = mine.remember("pinned", pin=True)
    act(mine, forget, f"^{made.id}")
    assert not marks(mine).pinned
    again(mine, f"^{made.id}")
    assert marks(mine).pinned == {made.id}


def test_an_entry_of_a_note_that_is_gone_brings_its_head_along(mine: Machine) -> None:
    entry = id_of(mine, "four")
    act(mine, forget, "topics/gotcha")
    save(mine)
    again(mine, entry)
    assert mine.read(NOTE) == "---\ndescription: Traps\n---\n\n## Old\n\n- four\n"


def test_out_of_the_archive_to_where_it_was(mine: Machine) -> None:
    act(mine, archive, "topics/gotcha")
    assert again(mine, "topics/gotcha").at == NOTE
    assert not (mine.clone / "shop/archive/topics/gotcha.md").exists()
    assert said(mine) == ["one", "two", "three", "four"]
    save(mine)
    entry = id_of(mine, "two")
    act(mine, archive, entry)
    save(mine)
    again(mine, entry)
    assert "two" in said(mine)
    assert said(mine, "shop/archive/topics/gotcha.md") == []


def test_a_note_that_was_archived_is_one_note_by_its_name_alone(mine: Machine) -> None:
    act(mine, archive, "topics/gotcha")
    save(mine)
    assert again(mine, "gotcha").at == NOTE


def test_an_edited_entry_reads_as_it_did(mine: Machine) -> None:
    mine.write(NOTE, TEXT.replace("two", "the port is 6379"))
    save(mine)
    before = mine.read(NOTE)
    old = id_of(mine, "6379")
    memory = mine.open()
    change = Passage("6379", "6380")
    edit(memory, EditRequest(Target(entry_id=old[1:]), change), mine.project(), Origin(memory.host), NOW)
    save(mine)
    done = again(mine, old)
    assert f"^{done.id}" == old
    assert mine.read(NOTE) == before


def test_what_a_key_replaced_takes_its_place_again(mine: Machine) -> None:
    first = mine.remember("argo", key="deploy")
    save(mine)
    second = mine.remember("flux", key="deploy")
    save(mine)
    again(mine, f"^{first.id}")
    assert said(mine, "shop/MEMORY.md") == ["a start", "deploy: argo"]
    assert first.id not in marks(mine).struck
    assert second.id in marks(mine).struck


def test_what_was_superseded_and_is_there_holds_again(mine: Machine) -> None:
    first = mine.remember("argo")
    mine.remember("flux", supersedes=Target(entry_id=first.id))
    assert again(mine, f"^{first.id}") == RestoreResult(first.at, first.id, first.at)
    assert first.id not in marks(mine).struck


def test_a_version_by_its_commit_and_elsewhere(mine: Machine) -> None:
    first = mine.git("rev-parse", "HEAD")
    mine.write(NOTE, "- all new\n")
    save(mine)
    with pytest.raises(UsageError, match="which version") as caught:
        again(mine, "topics/gotcha")
    assert first[:10] in caught.value.hint
    again(mine, "topics/gotcha", to="topics/was", version=first[:8])
    assert mine.read("shop/topics/was.md") == TEXT
    again(mine, "topics/gotcha", version=first[:8])
    assert mine.read(NOTE) == TEXT
    with pytest.raises(Refused, match="already"):
        again(mine, "topics/gotcha", to="MEMORY", version=first[:8])


def test_an_entry_goes_to_the_note_that_is_named(mine: Machine) -> None:
    made = mine.remember("pinned", pin=True)
    act(mine, forget, f"^{made.id}")
    done = again(mine, f"^{made.id}", to="global:MEMORY")
    assert said(mine, "global/MEMORY.md")[-1] == "pinned"
    assert marks(mine).pinned == {done.id}


def test_across_a_move_and_a_renamed_project(mine: Machine) -> None:
    act(mine, move, "topics/gotcha", parse_destination("topics/traps"))
    save(mine)
    project = require_project(mine.project())
    rename_project(mine.open(), project, "store", Origin(mine.open().host), NOW)
    save(mine)
    with pytest.raises(UsageError, match=r"moved to store/topics/traps\.md"):
        again(mine, "shop/topics/gotcha.md")
    act(mine, forget, "topics/traps")
    assert again(mine, "shop/topics/gotcha.md").at == "store/topics/traps.md"
    assert said(mine, "store/topics/traps.md") == ["one", "two", "three", "four"]


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_what_was_forgotten_before_its_project_was_renamed_comes_back_to_the_project(
    mine: Machine, is_by_hand: bool
) -> None:
    four = id_of(mine, "four")
    act(mine, forget, four)
    save(mine)
    act(mine, forget, "topics/gotcha")
    save(mine)
    if is_by_hand:
        (mine.clone / "shop").rename(mine.clone / "store")
    else:
        rename_project(mine.open(), require_project(mine.project()), "store", Origin(mine.open().host), NOW)
    save(mine)
    assert again(mine, "topics/gotcha").at == "store/topics/gotcha.md"
    assert said(mine, "store/topics/gotcha.md") == ["one", "two", "three"]
    assert again(mine, four).at.startswith("store/topics/gotcha.md#")
    assert not (mine.clone / "shop").exists()


@pytest.mark.slow
def test_what_another_machine_removed_comes_back_on_both(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    made = ada.remember("kept", pin=True)
    ada.sync()
    ben.sync()
    ben.remember("from ben")
    act(ben, forget, f"^{made.id}")
    ben.sync()
    ada.remember("from ada")
    ada.sync()
    again(ada, f"^{made.id}")
    ada.sync()
    ben.sync()
    for machine in pair:
        assert "kept" in said(machine, "shop/MEMORY.md")
        assert marks(machine).pinned == {made.id}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        ("move topics/gotcha.md topics/a.md", "move topics/gotcha.md topics/b.md", "topics/a.md"),
        ("project rename store", "project rename stock", "stock/topics/gotcha.md"),
        ("project rename store", "move topics/gotcha.md global:", "store/topics/gotcha.md"),
    ],
    ids=["both moved it", "both renamed its project", "one moved it, one renamed its project"],
)
def test_of_a_note_that_a_merge_put_elsewhere_it_is_said_where(
    pair: tuple[Machine, Machine], first: str, second: str, asked: str
) -> None:
    ada, ben = pair
    ada.remember("a start")
    ada.write(NOTE, TEXT)
    ada.sync()
    ben.sync()
    for machine, words in zip(pair, (first, second), strict=True):
        assert machine.ctxrepo(*words.split()).returncode == 0
    notices = [line for machine in (ada, ben, ada) for line in machine.sync().notices if "removed on" in line]
    assert not notices
    (now,) = (str(file.relative_to(ada.clone)) for file in ada.clone.glob("*/topics/*.md"))
    for machine in pair:
        with pytest.raises(UsageError, match=f"{asked} was moved to {now}"):
            again(machine, asked)
        assert f"* renamed to {now}" in machine.ctxrepo("history", asked).stdout


def advice(machine: Machine, target: str) -> str:
    """The commit that `restore` of a note that is there names as the version before, COMMIT for none."""
    with pytest.raises(UsageError, match="say which version") as refused:
        again(machine, target)
    return refused.value.hint.partition("`--at ")[2].partition("`")[0]


def test_the_version_before_is_one_that_has_the_note_and_reads_otherwise(mine: Machine) -> None:
    before = mine.open().head
    mine.write(NOTE, TEXT.replace("four", "five"))
    save(mine)
    for verb in ("forget topics/gotcha", "undo"):
        mine.ctxrepo(*verb.split())
        save(mine)
    assert advice(mine, "topics/gotcha") == str(before)[:10]
    again(mine, "topics/gotcha", version=advice(mine, "topics/gotcha"))
    assert said(mine) == ["one", "two", "three", "four"]


def test_no_version_is_called_the_one_before_a_merge_of_two(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    for machine, words in zip(pair, ("from ada", "from ben"), strict=True):
        assert machine.ctxrepo("remember", words, "--note", "topics/new.md").returncode == 0
    for machine in (ada, ben, ada):
        machine.sync()
    assert sorted(said(ada, "shop/topics/new.md")) == ["from ada", "from ben"]
    assert advice(ada, "shop/topics/new.md") == "COMMIT"


@pytest.mark.slow
def test_a_fact_for_a_note_that_a_merge_put_elsewhere_goes_into_it(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.write(NOTE, TEXT)
    ada.sync()
    ben.sync()
    for machine, name in zip(pair, "ab", strict=True):
        act(machine, move, "topics/gotcha", parse_destination(f"topics/{name}"))
    for machine in (ada, ben, ada):
        machine.sync()
    assert ada.ctxrepo("remember", "five", "--note", "topics/a.md").returncode == 0
    assert said(ada, "shop/topics/b.md") == ["one", "two", "three", "four", "five"]


def test_what_was_never_there_is_not_found(mine: Machine) -> None:
    for target in ("topics/never", "^ffffffffffff"):
        with pytest.raises(NotFound):
            again(mine, target)


def test_no_other_fact_makes_way_for_what_it_superseded(mine: Machine) -> None:
    old = mine.remember("gizmo uses port 7777")
    mine.remember("the gadget moved to socket 8888", supersedes=Target(entry_id=old.id))
    save(mine)
    act(mine, lambda m, t, *more: edit(m, EditRequest(t, Passage("7777", "7778")), *more), f"^{old.id}")
    done = again(mine, f"^{old.id}")
    text = mine.read("shop/MEMORY.md")
    assert text.count("gizmo") == 1
    assert "- gizmo uses port 7777\n" in text
    assert "- the gadget moved to socket 8888\n" in text
    save(mine)
    assert done.id not in marks_of(mine.open(), mine.open().head_tree).struck


def test_nor_a_neighbour_that_is_much_like_what_was_deleted(mine: Machine) -> None:
    lines = [
        f"- {name} listens on port {port}\n" for name, port in (("basket", 81), ("mail", 82), ("wiki", 83))
    ]
    mine.write(NOTE, "".join(lines[:2]))
    save(mine)
    gone = id_of(mine, "basket")
    mine.write(NOTE, "".join(lines[1:]))
    save(mine)
    again(mine, gone)
    assert sorted(mine.read(NOTE).splitlines(keepends=True)) == lines


def test_what_was_superseded_and_has_moved_holds_again_by_the_id_it_had(mine: Machine) -> None:
    first = mine.remember("River on port 602")
    mine.remember("River on port 999", supersedes=Target(entry_id=first.id))
    moved = act(mine, move, f"^{first.id}", parse_destination("topics/q.md"))
    assert again(mine, f"^{first.id}") == RestoreResult(moved.at, moved.id, moved.at)
    assert moved.id not in marks(mine).struck


def test_a_keys_value_that_comes_out_of_the_archive_holds_instead_of_the_later_one(mine: Machine) -> None:
    first = act(mine, archive, f"^{mine.remember('argo', key='deploy').id}")
    later = mine.remember("flux", key="deploy", supersedes=Target(entry_id=first.id))
    back = again(mine, f"^{first.id}")
    assert back.id not in marks(mine).struck
    assert later.id in marks(mine).struck
