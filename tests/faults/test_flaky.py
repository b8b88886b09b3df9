"""A short seed of the run over a line that keeps breaking; `python tests/flaky.py` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest
from flaky import flaky
from long import rotating
from servers.line import Line

from .conftest import BOTH


@pytest.mark.parametrize("line", rotating(reversed(BOTH), keep=1), indirect=True)
def test_over_a_line_that_keeps_breaking_nothing_is_lost(line: Line, tmp_path: Path) -> None:
    report = flaky(tmp_path, line, entries=12, cut=0.1, seed=7)
    assert report.faults == []
    assert len(report.acknowledged) == 12
    assert report.broken > 0
