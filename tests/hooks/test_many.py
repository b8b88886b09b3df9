"""Many hooks in a row and at once, as `python -m bench load` has them by the thousand."""

from __future__ import annotations

from pathlib import Path

from bench.hooks import settle
from bench.load import load


def test_many_hooks_leave_nothing_behind(tmp_path: Path) -> None:
    figures = load(settle(tmp_path, 400), calls=36, at_once=20)
    assert figures.problems == []
    assert len(figures.cpu) >= 36
    assert figures.late < figures.early + 8
