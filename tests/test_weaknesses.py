"""docs/reference/weaknesses.md tells the truth: each row is there, and the tests it names exist."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
TEXT = (CHECKOUT / "docs/reference/weaknesses.md").read_text("utf-8")
ROWS = {cells[1].strip(): cells for line in TEXT.splitlines() if len(cells := line.split("|")) == 6}


def test_every_weakness_has_its_row() -> None:
    assert [row for row in ROWS if row.startswith("D-W")] == [f"D-W{n}" for n in range(1, 28)]


def test_every_row_that_is_not_open_names_a_test() -> None:
    for row, cells in ROWS.items():
        if row.startswith("D-W"):
            assert "tests/" in cells[4] or "**open**" in cells[3], row


def test_the_tests_it_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::Test\w+)?::(\w+)`", TEXT)
    assert len(named) == TEXT.count(".py::") > 40
    for file, name in named:
        assert re.search(rf"^ *def {name}\(", (CHECKOUT / file).read_text("utf-8"), re.MULTILINE), name
