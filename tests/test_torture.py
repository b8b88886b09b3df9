"""A short seed of the kill run; `python tests/torture.py --kills 200` is the long one."""

from __future__ import annotations

from pathlib import Path

from torture import torture


def test_killed_anywhere_nothing_acknowledged_is_missing(tmp_path: Path) -> None:
    report = torture(tmp_path, kills=12, seed=7)
    assert report.killed >= 12
    assert report.acknowledged
    assert report.faults == []
