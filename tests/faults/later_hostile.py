"""What hostile remotes still bring about. Waits for the engine: part of `test_hostile.py` once it holds.

Run it as it is: `pytest tests/faults/later_hostile.py`.
"""

from __future__ import annotations

from pathlib import Path

from torture.assail import assail
from torture.hostile import all_at_once, cases

KNOWN = {case.name: case for case in cases()}


def test_all_that_never_reaches_the_disk_is_listed_by_check_or_doctor(tmp_path: Path) -> None:
    assert assail(tmp_path, all_at_once()).untold == []


def test_a_note_of_32_mb_is_passed_over(tmp_path: Path) -> None:
    """Four million entries would take minutes to be read into the cache."""
    assert assail(tmp_path, KNOWN["32 MB"]).faults == []
