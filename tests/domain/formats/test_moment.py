"""Moments are written in UTC, so that machines agree on days."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.formats.moment import day, month, stamp


def test_an_evening_in_the_west_is_the_next_day() -> None:
    now = datetime(2026, 12, 31, 20, 30, 1, 999_999, tzinfo=timezone(timedelta(hours=-8)))
    assert (stamp(now), day(now), month(now)) == ("2027-01-01T04:30:01.999Z", "2027-01-01", "202701")


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2999, 1, 1), timezones=st.timezones()))
def test_a_stamp_reads_back_and_sorts_as_time_does(now: datetime) -> None:
    read = datetime.fromisoformat(stamp(now))
    assert timedelta() <= now.astimezone(UTC) - read < timedelta(milliseconds=1)
    later = now.astimezone(UTC) + timedelta(seconds=1)
    assert stamp(later) > stamp(now)
    assert stamp(now).startswith(day(now))
    assert day(now).replace("-", "").startswith(month(now))
