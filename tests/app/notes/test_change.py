"""edit, move, archive, forget, touch and what takes them back, as operations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.app.desk import Desk
from ctxrepo.app.notes import back, change, files, notes
from ctxrepo.domain.project.target import parse_destination, parse_target
from ctxrepo.errors import Refused
from ctxrepo.services.history.restore import RestoreRequest
from ctxrepo.services.notes.edit import EditRequest, Passage


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("Tests need redis")
    return Desk(ada.env, ada.project_folder, lambda: datetime.now(UTC), sys.executable)


def test_a_note_is_edited_moved_archived_and_brought_back(desk: Desk) -> None:
    edit = EditRequest(parse_target("MEMORY"), Passage("redis", "valkey"))
    assert desk.perform(change.edit, edit).data["changed"]
    there = change.MoveRequest(parse_target("MEMORY"), parse_destination("topics/tests.md"))
    assert desk.perform(change.move, there).data["at"] == "shop/topics/tests.md"
    about = change.TargetRequest(parse_target("topics/tests"))
    assert desk.perform(change.archive, about).value.before == "shop/topics/tests.md"
    restore = RestoreRequest(parse_target("topics/tests.md"))
    assert desk.perform(back.restore, restore).data["at"] == "shop/topics/tests.md"
    assert "valkey" in desk.perform(notes.read, notes.ReadRequest(about.target)).value.text


def test_what_is_forgotten_is_undone(desk: Desk) -> None:
    entry = desk.perform(files.find, change.TargetRequest(parse_target("MEMORY"))).value.note.entries[0]
    about = change.TargetRequest(parse_target(f"^{entry.id}"))
    assert desk.perform(change.forget, about).data["id"] == f"^{entry.id}"
    assert desk.perform(back.undo, back.UndoRequest()).data["what"] == "forget"
    assert desk.perform(files.find, about).value.entry == entry


def test_a_note_without_a_date_is_told_of(ada: Machine, desk: Desk) -> None:
    ada.write("global/bare.md", "bare\n")
    done = desk.perform(change.touch, change.TargetRequest(parse_target("global:bare.md")))
    assert (done.data["path"], done.data["updated"]) == ("global/bare.md", "")
    assert desk.take_notices() == ["global/bare.md has no `updated` in its head, and none is added"]


def test_what_an_editor_left_is_committed_or_refused(ada: Machine, desk: Desk) -> None:
    path = desk.perform(files.find_file, change.TargetRequest(parse_target("MEMORY"))).value
    ada.write(path, "- by hand\n")
    desk.perform(files.commit_file, files.FileRequest(path))
    assert "by hand" in ada.git("show", f"HEAD:{path}")
    ada.write(path, "- ghp_" + "a1B2" * 9 + "\n")
    with pytest.raises(Refused):
        desk.perform(files.commit_file, files.FileRequest(path))
