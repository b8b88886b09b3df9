"""Rows of a panel: which of them fit what somebody types, in which order, and how old they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ctxrepo.app.panels.panel import PanelRow, fitting, short_age

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ROWS = [
    PanelRow("1", "deployed by hand"),
    PanelRow("2", "how to deploy"),
    PanelRow("3", "Dunkel", words="موقع 部署"),
]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("", "123"),
        ("deploy", "21"),
        ("DEPLOY hand", "1"),
        ("hand deploy", "1"),
        ("dpl", "12"),
        ("d p l", "12"),
        ("d p k", ""),
        ("部署", "3"),
        ("موقع", "3"),
        ("dunk(", ""),
        ("x", ""),
    ],
)
def test_whole_words_come_first_and_the_letters_of_one_word_last(typed: str, names: str) -> None:
    assert "".join(row.name for row in fitting(ROWS, typed)) == names


@pytest.mark.parametrize(
    ("age", "cells"),
    [
        (timedelta(days=3, hours=5), "3d"),
        (timedelta(hours=5), "5h"),
        (timedelta(minutes=1), "1m"),
        (timedelta(0), "now"),
        (timedelta(days=-1), "now"),
    ],
)
def test_an_age_takes_three_cells(age: timedelta, cells: str) -> None:
    assert short_age(NOW - age, NOW) == cells
    assert short_age(None, NOW) == ""
