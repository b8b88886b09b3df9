"""remember, new, read, list, as operations: what a caller without a command line is given."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes import browsing, writing
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.domain.project.target import parse_entry, parse_target
from ctxrepo.errors import UsageError
from ctxrepo.services.notes.requests import Fact, NewNoteRequest


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_a_fact_is_remembered_superseded_and_read_by_its_former_id(desk: Desk) -> None:
    first = desk.perform(writing.remember, Fact("Tests need redis"))
    assert first.data["id"] == f"^{first.value.id}"
    former = parse_entry(first.data["id"])
    second = desk.perform(writing.remember, Fact("Tests need valkey", supersedes=former))
    assert second.data["was"] == ["Tests need redis"]
    assert desk.take_notices() == []
    answer = desk.perform(browsing.read, TargetRequest(parse_target(second.data["id"])))
    assert answer.value.text == answer.data["text"] == "- Tests need valkey"


def test_several_facts_are_one_write_and_share_no_key(desk: Desk) -> None:
    answer = desk.perform(writing.remember_all, [Fact("One"), Fact("Two")])
    assert [fact["at"] for fact in answer.data["remembered"]] == [fact.at for fact in answer.value]
    with pytest.raises(UsageError, match="take one fact, not 2"):
        desk.perform(writing.remember_all, [Fact("One", key="k"), Fact("Two", key="k")])


def test_what_is_much_the_same_is_noticed(desk: Desk) -> None:
    desk.perform(writing.remember, Fact("Tests need redis on port 6380"))
    desk.perform(writing.remember, Fact("Tests need redis on port 6381"))
    (notice,) = desk.take_notices()
    assert "says much the same" in notice


def test_notes_are_listed_with_and_without_what_sessions_are_given(desk: Desk) -> None:
    desk.perform(writing.new, NewNoteRequest(parse_target("topics/x"), "About x"))
    request = browsing.ListRequest("topics")
    (listed,) = desk.perform(browsing.list_notes, request).value
    assert (listed.place, listed.description) == ("shop/topics/x.md", "About x")
    (weighed,) = desk.perform(browsing.list_delivered, request).data["notes"]
    assert weighed["delivered"] == "line"
    folders = desk.perform(browsing.list_folders, browsing.ListRequest()).data["folders"]
    assert {"path": "shop/topics", "notes": 1, "bytes": weighed["bytes"]} in folders
