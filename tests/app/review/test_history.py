"""What happened and what lost a merge, as operations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.review import changes, decisions, past
from ctxrepo.domain.project.target import parse_target
from ctxrepo.errors import NotFound, UsageError


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    ada.remember("Tests need redis")
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_what_was_just_written_is_in_the_history_and_brought_out(desk: Desk) -> None:
    about = parse_target("MEMORY")
    (commit,) = desk.perform(past.history, past.HistoryRequest(about)).data["history"]
    request = past.VersionRequest(about, commit["commit"])
    assert "redis" in desk.perform(past.version, request).data["text"]
    assert desk.perform(past.history, past.HistoryRequest(limit=1)).value.is_more


def test_nothing_waits_and_nothing_was_struck_out(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.perform(changes.in_review, None)
    assert desk.perform(decisions.list_declined, None).data == {"declined": []}
    assert desk.perform(decisions.list_conflicts, None).data == {"conflicts": []}


@pytest.mark.parametrize(
    "request_",
    [
        decisions.ResolveRequest("kept"),
        decisions.ResolveRequest("mine", "aa"),
        decisions.ResolveRequest("both", every=True),
    ],
)
def test_what_cannot_be_settled_is_refused(desk: Desk, request_: decisions.ResolveRequest) -> None:
    with pytest.raises(UsageError):
        desk.perform(decisions.resolve, request_)
