"""A text that names a file is as active as that file."""

from __future__ import annotations

import pytest

from ctxrepo.domain.score.standing import Activity, activity_in, activity_of, by_name

NAMED = by_name(
    {
        "src/Pay.py": Activity(2, 9),
        "lib/pay.py": Activity(1, 4),
        "src/deep/index.ts": Activity(3, 7),
        "Makefile": Activity(0, 3),
    }
)


@pytest.mark.parametrize(
    ("text", "activity"),
    [
        ("`src/pay.py` has the limit", (2, 9)),
        ("see ctx/src/pay.py", (2, 9)),
        ("lib/pay.py is older", (1, 4)),
        ("pay.py by itself may be any", (2, 9)),
        ("web/pay.py is another", (0, 0)),
        ("both lib/pay.py and deep/index.ts", (4, 7)),
        ("run the Makefile", (0, 3)),
        ("no file at all", (0, 0)),
    ],
)
def test_how_active_what_a_text_names_is(text: str, activity: tuple[int, int]) -> None:
    assert activity_in(text, NAMED) == activity


def test_where_nothing_changes_nothing_is_active() -> None:
    assert activity_in("src/pay.py", {}) == (0, 0)


def test_changes_of_two_weeks_count_and_the_last_day_is_known() -> None:
    assert activity_of([100, 86, 85, 40], today=100) == (2, 100)
    assert activity_of([85, 40], today=100) == (0, 85)
    assert activity_of([], today=100) == (0, 0)
