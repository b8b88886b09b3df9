"""What a prompt would be given, as operations: outcomes and their exit codes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.sessions import anchor_operations, delivered
from ctxrepo.app.sessions.recall import FolderRecallRequest, MemoryRecallRequest, recall, recall_in_folder
from ctxrepo.domain.tape.handoff_parts import Handoff
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.anchors.leave_anchor import AnchorRequest
from ctxrepo.services.anchors.session_anchors import NAME
from ctxrepo.services.recall.recall import Question


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("Tests need redis on port 6380", category="gotcha")
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_what_a_prompt_is_given_and_why(desk: Desk) -> None:
    answer = desk.perform(
        recall, MemoryRecallRequest(Question("which redis port do the tests need?"), is_explained=True)
    )
    assert (answer.exit_code, answer.error, answer.data["status"]) == (0, None, "ok")
    assert answer.data["hits"][0]["explanation"]


def test_silence_is_an_outcome_with_an_exit_code(desk: Desk) -> None:
    answer = desk.perform(recall, MemoryRecallRequest(Question("how do I bake an apple pie in winter?")))
    assert (answer.exit_code, answer.error, answer.data["hits"]) == (3, None, [])


def test_a_broken_cache_is_an_outcome_with_an_error(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("ctxrepo.services.recall.recall.recall", fail)
    answer = desk.perform(recall, MemoryRecallRequest(Question("which redis port?")))
    assert answer.exit_code == 1
    assert answer.error
    assert answer.error.code == answer.data["status"] == "backend_error"


def test_a_scope_that_is_not_there_is_an_error(desk: Desk) -> None:
    with pytest.raises((NotFound, UsageError)):
        desk.perform(recall, MemoryRecallRequest(Question("which redis port?"), "nowhere"))


def test_a_folder_needs_no_memory(ada: Machine, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("- Tests need redis on port 6380\n")
    desk = Desk(Call(tmp_path, ada.env), lambda: datetime.now(UTC), sys.executable)
    request = FolderRecallRequest(Question("which redis port do the tests need?"), tmp_path)
    assert desk.perform(recall_in_folder, request).data["hits"][0]["at"] == "a.md#L1"


def test_a_handoff_is_drafted_left_and_read_and_stands_in_the_packet(desk: Desk) -> None:
    request = AnchorRequest(NAME, handoff=Handoff("Retries", next="Test the limit"))
    drafted = desk.perform(anchor_operations.draft_handoff, request).data
    left = desk.perform(anchor_operations.hand_over, request)
    assert left.data["text"] == drafted["text"]
    newest = anchor_operations.NewestHandoffRequest()
    assert desk.perform(anchor_operations.read_handoff, newest).data["handoff"] == drafted["handoff"]
    assert "Test the limit" in desk.perform(delivered.context, delivered.ContextRequest()).value.text
    anchored = desk.perform(anchor_operations.anchor, AnchorRequest("release/ready", "All pass"))
    assert (anchored.data["name"], anchored.data["path"]) == ("release/ready", left.data["path"])
