"""log: a line a time into the note of the day that it is where one is."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from terminal import Terminal

EAST, WEST = "XST-14", "XST12"
"""Fourteen hours ahead of UTC and twelve behind: two days at any moment."""


@contextmanager
def at(monkeypatch: pytest.MonkeyPatch, zone: str, now: datetime) -> Iterator[None]:
    """A person in this zone, at this moment."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        patch.setattr("ctxrepo.faces.cli.answer.clock", lambda: now)
        try:
            yield
        finally:
            patch.undo()
            time.tzset()


def notes(cli: Terminal) -> dict[str, str]:
    folder = Path(cli.machine.clone / "shop" / "daily")
    return {file.stem: file.read_text() for file in sorted(folder.glob("*.md"))}


def test_a_line_is_written_acknowledged_and_printed(cli: Terminal) -> None:
    answer = cli("log", "Moved", "the", "basket", "--json")
    assert (answer.code, answer.err) == (0, "")
    (day,) = notes(cli)
    assert answer.data["at"] == f"shop/daily/{day}.md#L7"
    assert cli("read", answer.data["id"]).out == answer.data["text"] + "\n"
    cli("log", "Then\nthe tests")
    first, second, third = cli("log").out.splitlines()
    assert (first.endswith(" Moved the basket"), second[-4:], third) == (True, "Then", "  the tests")
    assert len(cli.woken) == 2
    assert cli("log", "--list").out == f"{day}\n"
    assert cli("log", "--date", day, "--json").data["path"] == f"shop/daily/{day}.md"


def test_the_day_and_the_time_are_those_of_where_one_is(
    cli: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 11, 20, 11, 30, tzinfo=UTC)
    for zone in (EAST, WEST):
        with at(monkeypatch, zone, now):
            assert cli("log", f"in {zone}").code == 0
    assert {day: text.splitlines()[-1] for day, text in notes(cli).items()} == {
        "2026-11-21": f"- 01:30 +1400 in {EAST}",
        "2026-11-19": f"- 23:30 -1200 in {WEST}",
    }
    with at(monkeypatch, EAST, now):
        assert cli("log").out == f"- 01:30 +1400 in {EAST}\n"
        assert cli("log", "--date", "yesterday").code == 3
    with at(monkeypatch, WEST, now):
        assert cli("log").out == f"- 23:30 -1200 in {WEST}\n"
    assert cli("log", "--list").out == "2026-11-21\n2026-11-19\n"


@pytest.mark.parametrize(
    ("now", "offset"),
    [
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "+0200"),
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "+0100"),
    ],
)
def test_an_hour_that_comes_twice_is_told_apart(
    cli: Terminal, monkeypatch: pytest.MonkeyPatch, now: datetime, offset: str
) -> None:
    with at(monkeypatch, "CET-1CEST,M3.5.0,M10.5.0/3", now):
        assert cli("log", "x", "--json").data["text"] == f"- 02:30 {offset} x"


def test_a_daily_note_of_pi_memory_stays_as_it_is(cli: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    theirs = "<!-- 2026-11-20 08:00:00 [abcd1234] -->\nFound it #lesson\n"
    cli.machine.write("shop/daily/2026-11-20.md", theirs)
    with at(monkeypatch, "UTC", now):
        cli("log", "Mended it")
        assert cli("log").out == f"{theirs}\n- 12:00 +0000 Mended it\n"


def test_there_may_be_no_log(cli: Terminal) -> None:
    assert (cli("log").code, cli("log").out) == (
        0,
        "nothing was logged today; `ctxrepo log TEXT` adds a line\n",
    )
    assert cli("log", "--json").data["entries"] == []
    assert (cli("log", "--list").code, cli("log", "--list").out) == (
        0,
        "no day has a log; `ctxrepo log TEXT` begins one\n",
    )
    answer = cli("log", "--date", "2026-01-01")
    assert (answer.code, answer.is_one_line()) == (3, True)
    assert not (cli.machine.clone / "shop").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--date", "2026-02-30"], ["--date", "../../global/MEMORY"], ["--date", "1-1-2026"],
        ["x", "--date", "2026-01-01"], ["x", "--list"], ["--list", "--date", "today"], [" "], ["--", "- "],
    ],
)  # fmt: skip
def test_2_what_is_not_understood(cli: Terminal, words: list[str]) -> None:
    answer = cli("log", *words)
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert not (cli.machine.clone / "shop").exists()


def test_6_no_secret_gets_in(cli: Terminal) -> None:
    answer = cli("log", "used ghp_" + "a1B2" * 9)
    assert (answer.code, answer.is_one_line()) == (6, True)
    assert not (cli.machine.clone / "shop").exists()


def test_the_scope_is_that_of_the_project_or_the_one_that_is_named(cli: Terminal) -> None:
    assert cli("log", "x", "--scope", "global", "--json").data["at"].startswith("global/daily/")
    cli.cwd = cli.machine.home
    assert cli("log", "y", "--json").data["at"].startswith("global/daily/")
    assert len(cli("log").out.splitlines()) == 2
