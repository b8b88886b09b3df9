"""edit, move, archive, forget, touch and what takes them back, as operations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import NOW, Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes import browsing, writing
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.domain.project.target import parse_destination, parse_target
from ctxrepo.errors import Refused
from ctxrepo.services.notes.changing import EditRequest, Passage
from ctxrepo.services.notes.requests import Fact, RestoreRequest
from ctxrepo.services.saving.commit import commit


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("Tests need redis")
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_a_note_is_edited_moved_archived_and_brought_back(desk: Desk) -> None:
    edit = EditRequest(parse_target("MEMORY"), Passage("redis", "valkey"))
    assert desk.perform(writing.edit, edit).data["changed"]
    there = writing.MoveRequest(parse_target("MEMORY"), parse_destination("topics/tests.md"))
    assert desk.perform(writing.move, there).data["at"] == "shop/topics/tests.md"
    about = TargetRequest(parse_target("topics/tests"))
    assert desk.perform(writing.archive, about).value.before == "shop/topics/tests.md"
    restore = RestoreRequest(parse_target("topics/tests.md"))
    assert desk.perform(writing.restore, restore).data["at"] == "shop/topics/tests.md"
    assert "valkey" in desk.perform(browsing.read, TargetRequest(about.target)).value.text


def test_what_is_forgotten_is_undone(desk: Desk) -> None:
    entry = desk.perform(browsing.find, TargetRequest(parse_target("MEMORY"))).value.note.entries[0]
    about = TargetRequest(parse_target(f"^{entry.id}"))
    assert desk.perform(writing.forget, about).data["id"] == f"^{entry.id}"
    assert desk.perform(writing.undo, writing.UndoRequest()).data["what"] == "forget"
    assert desk.perform(browsing.find, about).value.entry == entry


def test_a_note_without_a_date_is_told_of(ada: Machine, desk: Desk) -> None:
    ada.write("global/bare.md", "bare\n")
    answer = desk.perform(writing.touch, TargetRequest(parse_target("global:bare.md")))
    assert (answer.data["path"], answer.data["updated"]) == ("global/bare.md", "")
    assert desk.take_notices() == ["global/bare.md has no `updated` in its head, and none is added"]


def test_what_an_editor_left_is_committed_or_refused(ada: Machine, desk: Desk) -> None:
    path = desk.perform(browsing.find_file, TargetRequest(parse_target("MEMORY"))).value
    before = ada.read(path)
    ada.write(path, "- by hand\n")
    desk.perform(writing.edit_by_hand, writing.EditorRequest(path, before))
    assert "by hand" in ada.git("show", f"HEAD:{path}")
    ada.write(path, "- ghp_" + "a1B2" * 9 + "\n")
    with pytest.raises(Refused) as refused:
        desk.perform(writing.edit_by_hand, writing.EditorRequest(path, "- by hand\n"))
    assert refused.value.hint == "The file is as you left it, and in no commit."


@pytest.mark.parametrize("is_seen", [True, False])
def test_what_an_editor_left_is_a_step_of_undo_whether_a_look_saw_it_before(
    ada: Machine, desk: Desk, *, is_seen: bool
) -> None:
    path = desk.perform(browsing.find_file, TargetRequest(parse_target("MEMORY"))).value
    before = ada.read(path)
    ada.write(path, before.replace("redis", "valkey") + "- by hand\n")
    if is_seen:
        ada.sync()
    desk.perform(writing.edit_by_hand, writing.EditorRequest(path, before))
    undone = desk.perform(writing.undo, writing.UndoRequest()).value
    assert (undone.what, undone.saying, undone.next_undo) == ("edit", path, "remember: Tests need redis")
    assert ada.read(path) == before
    desk.perform(writing.undo, writing.UndoRequest(redo=True))
    assert ada.read(path) == before.replace("redis", "valkey") + "- by hand\n"


def test_pins_that_sessions_are_not_given_whole_are_told_of(ada: Machine, desk: Desk) -> None:
    def pin(text: str) -> list[str]:
        desk.perform(writing.remember, Fact(text, category="gotcha", pin=True))
        commit(ada.open(), NOW)
        return [line.rpartition(", so ")[2] for line in desk.take_notices() if "a session's start" in line]

    assert pin("never push on fridays") == []
    assert pin("so much to say of it " * 500) == ["what is pinned now is cut: make it shorter"]
    notices = [pin(f"{number} is said with {'so many words ' * 60}") for number in range(12)]
    assert (notices[0], notices[-1]) == ([], ["those pinned first are cut"])
