"""A line of the day: its moment as it was where it was written, and one entry whatever it says."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.note.frontmatter import read
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.working.daily import day_of, days, line, logged, parse_day, path_of, words_of
from ctxrepo.errors import UsageError

NOW = datetime(2026, 11, 20, 0, 47, tzinfo=timezone(timedelta(hours=5, minutes=30)))
DAY = "2026-11-20"
PI = "<!-- 2026-11-19 19:00:00 [abcd1234] -->\nDid a thing #decision\n\n<!-- x -->\n\n- a list"

moments = st.datetimes(
    timezones=st.integers(-720, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
)


def test_a_line_has_the_local_time_and_its_offset() -> None:
    assert line("  Moved it #decision ", NOW) == "- 00:47 +0530 Moved it #decision"
    assert line("- one\n- two", NOW) == "- 00:47 +0530 one\n  - two"
    assert line("```\ncode", NOW).split("\n")[-1] == "  code"
    (entry,) = entries_of("x", line("Moved [[the basket]] #decision", NOW))
    assert entry.tags == ("decision",)


@pytest.mark.parametrize("text", ["", " \n\t", "- ", "x" * 70_000])
def test_what_is_no_line(text: str) -> None:
    with pytest.raises(UsageError):
        line(text, NOW)


@given(st.text(min_size=1), moments)
def test_whatever_is_logged_is_one_entry_with_its_moment(text: str, now: datetime) -> None:
    try:
        entry = line(text, now)
    except UsageError:
        return
    (made,) = entries_of("x", entry)
    assert made.text == entry.rstrip("\r\n")
    assert made.plain.startswith(now.strftime("%H:%M %z"))


def test_the_day_is_that_of_whoever_writes() -> None:
    assert day_of(NOW) == DAY
    assert day_of(NOW.astimezone(timezone(timedelta(hours=-8)))) == "2026-11-19"
    assert path_of("shop", DAY) == "shop/daily/2026-11-20.md"


def test_a_new_note_is_begun_alike_wherever_and_whenever_that_is() -> None:
    text = logged(None, "- 00:47 +0530 x", DAY)
    head = "---\ndescription: Log of 2026-11-20\ncreated: 2026-11-20\nupdated: 2026-11-20\n---\n"
    assert text == f"{head}\n- 00:47 +0530 x\n"
    assert logged(text, "- 23:59 +0530 y", DAY) == text + "- 23:59 +0530 y\n"


@pytest.mark.parametrize(
    "before", [PI, PI + "\n", "", "# Day\r\n\r\nwords\r\n", "- a\n\n\n", "- a\n  ```\n  x"]
)
def test_what_is_there_keeps_its_bytes(before: str) -> None:
    after = logged(before, "- 00:47 +0530 x", DAY)
    assert after.startswith(before.rstrip("\r\n"))
    assert lines_of(after.rstrip("\r\n"))[-1] == "- 00:47 +0530 x"
    assert entries_of("x", after)[-1].text == "- 00:47 +0530 x"
    assert read(after).fields == read(before).fields


@pytest.mark.parametrize(
    ("text", "day"), [("today", DAY), ("yesterday", "2026-11-19"), ("2024-02-29", "2024-02-29")]
)
def test_which_day_is_meant(text: str, day: str) -> None:
    assert parse_day(text, NOW) == day


@pytest.mark.parametrize(
    "text",
    ["", "2026-02-30", "2026-13-01", "2026-1-1", "20261120", "2026-11-20/../x", "../x", "2026-11-20\n",
     "٢٠٢٦-١١-٢٠", "2026-W47-5", "now", "0000-01-01"],
)  # fmt: skip
def test_what_is_no_day_is_no_path_either(text: str) -> None:
    with pytest.raises(UsageError):
        parse_day(text, NOW)


def test_days_come_newest_first_and_nothing_else_is_one() -> None:
    names = ["2026-11-19", "2026-11-20", "2026-02-30", "notes", "2026-11-20-x"]
    paths = [f"shop/daily/{name}.md" for name in names] + ["shop/daily/2026-11-18.txt"]
    assert days(paths) == ["2026-11-20", "2026-11-19"]


def test_the_words_stand_behind_the_time() -> None:
    assert words_of("09:47 +0100 Moved it") == "Moved it"
    assert words_of("Moved it at 09:47 +0100 x") == "Moved it at 09:47 +0100 x"
