"""Sessions, traces, usage and files that hold the packet, as operations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes import upkeep
from ctxrepo.app.sessions import delivered, measuring
from ctxrepo.app.sessions.recall import MemoryRecallRequest, recall
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.services.recall.recall import Question


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("Tests need redis on port 6380")
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_without_sessions_there_is_none_to_switch(desk: Desk) -> None:
    assert desk.perform(delivered.list_sessions, None).data == {"sessions": []}
    with pytest.raises(NotFound):
        desk.perform(delivered.switch, delivered.SwitchRequest(is_off=True, session="aa"))
    assert desk.perform(measuring.usage, measuring.UsageRequest()).data["entries"] == []


def test_what_a_prompt_was_given_leaves_a_trace(desk: Desk) -> None:
    answer = desk.perform(recall, MemoryRecallRequest(Question("which redis port do the tests need?")))
    (traced,) = desk.perform(measuring.list_traces, measuring.TraceRequest()).value
    assert traced.id == answer.data["trace_id"]


def test_a_file_holds_the_packet_until_it_is_taken_out(ada: Machine, desk: Desk) -> None:
    tried = desk.perform(delivered.add_block, delivered.BlockRequest("notes.md", is_trial=True))
    assert tried.data["diff"]
    assert not tried.data["changed"]
    assert "until `ctxrepo config set delivery.mode file`" in desk.take_notices()[-1]
    desk.perform(delivered.add_block, delivered.BlockRequest("notes.md"))
    file = ada.project_folder / "notes.md"
    assert "6380" in file.read_text()
    (held,) = desk.perform(delivered.list_blocks, None).value
    assert (Path(held.block.path), held.state) == (file, "current")
    assert desk.perform(delivered.renew_blocks, None).data["renewed"] == []
    assert desk.perform(delivered.remove_block, delivered.BlockRequest("notes.md")).value.was_there
    with pytest.raises(UsageError):
        desk.perform(delivered.add_block, delivered.BlockRequest("notes.md", "claude"))


def test_what_is_wrong_in_a_note_ends_with_1(ada: Machine, desk: Desk) -> None:
    assert desk.perform(upkeep.check, upkeep.CheckRequest()).exit_code == 0
    ada.write("shop/wrong.md", "---\ndescription: [\n---\n- a\n")
    answer = desk.perform(upkeep.check, upkeep.CheckRequest())
    assert answer.exit_code == 1
    assert {finding["path"] for finding in answer.data["findings"]} == {"shop/wrong.md"}
