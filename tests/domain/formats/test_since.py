"""Since when: dates as people say them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.formats.moment import since
from ctxrepo.errors import UsageError

NOW = datetime(2026, 11, 25, 15, 30, tzinfo=timezone(timedelta(hours=1)))


def at_one(moment: datetime) -> datetime:
    return moment.replace(tzinfo=NOW.tzinfo)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", "2026-11-25T00:00:00+01:00"),
        ("Yesterday", "2026-11-24T00:00:00+01:00"),
        ("monday", "2026-11-23T00:00:00+01:00"),
        ("Wednesday", "2026-11-25T00:00:00+01:00"),
        ("thursday", "2026-11-19T00:00:00+01:00"),
        ("2026-11-20", "2026-11-20T00:00:00+01:00"),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00+00:00"),
        ("last week", "2026-11-18T00:00:00+01:00"),
        ("3 days ago", "2026-11-22T00:00:00+01:00"),
        ("a month ago", "2026-10-26T00:00:00+01:00"),
        ("2w", "2026-11-11T00:00:00+01:00"),
        ("last year", "2025-11-25T00:00:00+01:00"),
        ("6 hours", "2026-11-25T09:30:00+01:00"),
        ("may", "2026-05-01T00:00:00+01:00"),
        ("12 may", "2026-05-12T00:00:00+01:00"),
        ("december", "2025-12-01T00:00:00+01:00"),
        ("march 2024", "2024-03-01T00:00:00+01:00"),
    ],
)
def test_what_people_say(words: str, day: str) -> None:
    assert since(words, NOW, at_one).isoformat() == day


@pytest.mark.parametrize(
    "words", ["", "soon", "2026-13-01", "31 feb", "99999 years", "9999 years", "the day"]
)
def test_what_is_no_date_is_one_line_with_examples(words: str) -> None:
    with pytest.raises(UsageError, match="is no date") as caught:
        since(words, NOW, at_one)
    assert "yesterday" in caught.value.hint


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_a_mistake(words: str) -> None:
    try:
        moment = since(words, NOW.astimezone(UTC), at_one)
    except UsageError:
        return
    assert moment.tzinfo is not None


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("2026-07-01", "2026-07-01T00:00:00+02:00"),
        ("2026-07-01T10:00", "2026-07-01T10:00:00+02:00"),
        ("july", "2026-07-01T00:00:00+02:00"),
        ("6 months ago", "2026-05-29T00:00:00+02:00"),
        ("yesterday", "2026-11-24T00:00:00+01:00"),
    ],
)
def test_summer_time_is_what_it_was_then(words: str, day: str) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert since(words, NOW, lambda moment: moment.replace(tzinfo=berlin)).isoformat() == day
