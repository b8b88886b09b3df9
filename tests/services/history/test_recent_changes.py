"""What the last commits did to notes: each change once, under the name that the note has by now."""

from __future__ import annotations

from datetime import timedelta

import pytest
from invented import SECRET
from machines import NOW, Machine

from ctxrepo.services.history.recent_changes import NoteChange, diff_lines, recent_changes
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/a.md"


@pytest.fixture
def machine(ada: Machine) -> Machine:
    ada.init()
    return ada


def save(machine: Machine, files: dict[str, str | None], hours: int = 0) -> None:
    for path, text in files.items():
        if text is None:
            (machine.clone / path).unlink()
        else:
            machine.write(path, text)
    commit(machine.open(), NOW + timedelta(hours=hours))


def changes(machine: Machine, commits: int = 50, diffs: int = 50, of_note: int = 50) -> list[NoteChange]:
    changes = recent_changes(machine.open(), commits, diffs, of_note).changes
    return [change for change in changes if change.path.startswith("shop/")]


def test_entries_that_came_changed_and_went_are_counted(machine: Machine) -> None:
    save(machine, {NOTE: "- The port is 5432\n- Ask Ben\n"})
    save(machine, {NOTE: "- The port is 5433\n- Tests need redis\n- Twice\n"}, 1)
    second, first = changes(machine)
    assert (first.deed, first.came, first.changed, first.went) == ("new", 2, 0, 0)
    assert (second.deed, second.came, second.changed, second.went) == ("edited", 2, 1, 1)
    assert "-- The port is 5432" in second.diff
    assert "+- The port is 5433" in second.diff
    assert second.who == machine.open().host


def test_a_note_that_moved_keeps_its_past_under_its_new_name(machine: Machine) -> None:
    text = "- One fact of some length\n- Another fact of some length\n"
    save(machine, {NOTE: text})
    save(machine, {NOTE: None, "shop/b.md": text}, 1)
    save(machine, {"shop/b.md": f"{text}- And a third\n"}, 2)
    listing = changes(machine)
    assert [(change.deed, change.path, change.now) for change in listing] == [
        ("edited", "shop/b.md", "shop/b.md"),
        ("moved", "shop/b.md", "shop/b.md"),
        ("new", NOTE, "shop/b.md"),
    ]
    assert listing[1].former == NOTE
    assert not listing[1].diff


def test_a_note_that_went_is_told(machine: Machine) -> None:
    save(machine, {NOTE: "- One\n"})
    save(machine, {NOTE: None}, 1)
    assert [(change.deed, change.went) for change in changes(machine)] == [("gone", 1), ("new", 0)]


def test_a_merge_counts_with_what_neither_side_had(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    for machine, text in ((ada, "- Ada's fact\n"), (ben, "- Ben's fact\n")):
        machine.write(NOTE, f"# T\n\n{text}")
        machine.write(f"shop/{machine.home.name}.md", text)
    ada.sync()
    ben.sync()
    listing = changes(ben)
    assert len([change for change in listing if change.path == "shop/ben.md"]) == 1
    assert len([change for change in listing if change.path == "shop/ada.md"]) == 1


def test_no_more_is_looked_at_and_shown_than_was_asked_for(machine: Machine) -> None:
    for hour in range(5):
        save(machine, {NOTE: f"- Fact {hour}\n", f"shop/n{hour}.md": "- One\n"}, hour)
    recent = recent_changes(machine.open(), 2, 50, 50)
    assert len({change.commit for change in recent.changes}) == 2
    assert not recent.is_all
    assert recent_changes(machine.open(), 500, 50, 50).is_all
    assert sum(bool(change.diff) for change in changes(machine, diffs=3)) == 3
    of_one = [change for change in changes(machine, of_note=2) if change.path == NOTE]
    assert [bool(change.diff) for change in of_one] == [True, True, False, False, False]


def test_a_secret_that_an_old_version_has_is_masked(machine: Machine) -> None:
    machine.write(NOTE, f"- The key is {SECRET}\n")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "by hand, so nothing stopped it")
    save(machine, {NOTE: "- The key is in the vault\n"}, 1)
    listing = changes(machine)
    assert len(listing) == 2
    assert SECRET not in repr(listing)
    assert all("[stripe-key]" in "".join(change.diff) for change in listing)
    assert listing[1].who == "ada"


def test_a_long_diff_says_that_it_is_cut() -> None:
    lines = diff_lines("", "\n".join(map(str, range(500))))
    assert len(lines) == 61
    assert lines[-1] == "…"
    assert diff_lines("a", "a") == ()
