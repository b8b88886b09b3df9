"""Remotes that mean harm: nothing they hold is run, followed or written elsewhere, and work goes on.

`make torture` meets every case alone; here those stand together that can.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from long import rotating
from torture.assail import assail
from torture.hostile import Case, all_at_once, cases

KNOWN = {case.name: case for case in [*cases(), all_at_once()]}

TRIED = (
    "all at once",
    "link in place of a project",
    "another root",
    "submodule that is an option",
    ".GIT with config and hook",
    "32 MB",
    "a mode of old",
    "a part that is ..",
)


@pytest.mark.parametrize(
    "case", rotating([KNOWN[name] for name in TRIED], keep=2), ids=lambda case: case.name
)
def test_a_hostile_remote_does_no_harm(tmp_path: Path, case: Case) -> None:
    """And what never reaches the disk is listed by `check` or `doctor`."""
    assault = assail(tmp_path, case)
    assert assault.faults == []
    assert assault.untold == []


def test_there_are_more_hostile_remotes_than_can_be_tried_here() -> None:
    assert len(KNOWN) >= 54
