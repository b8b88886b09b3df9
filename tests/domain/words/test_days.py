"""The days and months that a prompt names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.words.prompt_terms import MOST, days_in


@pytest.mark.parametrize(
    ("prompt", "days"),
    [
        ("what broke on 2026-05-12?", [("2026", "05", "12")]),
        ("logs of 2026/5", [("2026", "05", "")]),
        ("in may 2026", [("2026", "05", "")]),
        ("on the 3rd of march", [("", "03", "03")]),
        ("May 12, 2026: deploy", [("2026", "05", "12")]),
        ("am 7. märz 2026", [("2026", "03", "07")]),
        ("le 14 juillet", [("", "07", "14")]),
        ("o que fizemos em março de 2026", [("2026", "03", "")]),
        ("2026年5月の会議", [("2026", "05", "")]),
        ("3月に決めたこと", [("", "03", "")]),
        ("from june to august", [("", "06", ""), ("", "08", "")]),
        ("you may march on", []),
        ("in may", [("", "05", "")]),
        ("version 3.11.2 of 10-20 things at 1.2.3.4", []),
        ("2026-13-01 is no day", []),
        ("", []),
    ],
)
def test_days_and_months(prompt: str, days: list[tuple[str, str, str]]) -> None:
    assert days_in(prompt) == days


@given(st.text(alphabet="0123456789-/. mayjune年月日,of"))
def test_whatever_is_said_a_day_is_one(prompt: str) -> None:
    days = days_in(prompt)
    assert len(days) <= MOST
    for year, month, day in days:
        assert (len(year), len(month), len(day)) in {(a, 2, b) for a in (0, 4) for b in (0, 2)}
        assert 1 <= int(month) <= 12
