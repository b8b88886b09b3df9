"""A text that names a file is as active as that file."""

from __future__ import annotations

import pytest

from ctxrepo.domain.score.activity import days_by_name, last_changed

NAMED = days_by_name({"src/Pay.py": 9, "lib/pay.py": 4, "src/deep/index.ts": 7, "Makefile": 3})


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("`src/pay.py` has the limit", 9),
        ("see ctx/src/pay.py", 9),
        ("lib/pay.py is older", 4),
        ("pay.py by itself may be any", 9),
        ("web/pay.py is another", 0),
        ("both lib/pay.py and deep/index.ts", 7),
        ("run the Makefile", 3),
        ("no file at all", 0),
    ],
)
def test_the_last_day(text: str, day: int) -> None:
    assert last_changed(text, NAMED) == day


def test_where_nothing_changes_nothing_is_active() -> None:
    assert last_changed("src/pay.py", {}) == 0
