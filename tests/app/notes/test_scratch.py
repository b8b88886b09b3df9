"""Checklist and daily note, as operations."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest
from machines import Machine

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.notes import browsing, writing
from ctxrepo.app.notes.targets import ChecklistRequest
from ctxrepo.errors import UsageError
from ctxrepo.services.notes.requests import TickRequest
from ctxrepo.services.reading.searching import SearchQuery


@pytest.fixture
def desk(ada: Machine) -> Desk:
    ada.init()
    return Desk(Call(ada.project_folder, ada.env), lambda: datetime.now(UTC), sys.executable)


def test_items_are_added_ticked_listed_and_cleared(desk: Desk) -> None:
    for text in ("Ask the bank", "Ask the bank again"):
        desk.perform(writing.add_item, writing.LineRequest(text))
    with pytest.raises(UsageError, match="2 items have 'bank' in them") as ambiguous:
        desk.perform(writing.tick, TickRequest("bank", is_done=True))
    assert "Ask the bank; ^" in ambiguous.value.hint
    assert "Ask the bank again" in ambiguous.value.hint
    answer = desk.perform(writing.tick, TickRequest("ask the bank", is_done=True))
    assert answer.data["text"] == "Ask the bank"
    open_ones = desk.perform(browsing.list_items, ChecklistRequest()).value
    assert [row.item.text for row in open_ones] == ["Ask the bank again"]
    cleared = desk.perform(writing.clear_done, ChecklistRequest()).data["cleared"]
    assert [item["text"] for item in cleared] == ["Ask the bank"]


def test_a_line_is_logged_read_and_its_day_listed(desk: Desk) -> None:
    nothing = desk.perform(browsing.read_day, browsing.DayRequest())
    assert nothing.value is None
    answer = desk.perform(writing.log, writing.LineRequest("Moved the basket"))
    read = desk.perform(browsing.read_day, browsing.DayRequest())
    assert read.data["entries"][0]["id"] == answer.data["id"]
    assert desk.perform(browsing.list_days, browsing.ScopeRequest()).value == [nothing.data["date"]]


def test_what_is_written_is_found_at_once(desk: Desk) -> None:
    desk.perform(writing.log, writing.LineRequest("Moved the basket to Postgres"))
    (hit,) = desk.perform(browsing.search, browsing.SearchRequest(SearchQuery("postgres"), 1)).data["hits"]
    assert "basket" in hit["text"]
    desk.perform(writing.log, writing.LineRequest("Postgres is slow"))
    desk.perform(browsing.search, browsing.SearchRequest(SearchQuery("postgres"), 1))
    assert desk.take_notices() == ["only the first 1 matches are shown; --limit shows more"]
