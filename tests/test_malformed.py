"""A few of the malformed notes and lists; `python tools/malformed.py` makes many."""

from __future__ import annotations

from pathlib import Path

import malformed
import pytest
from long import mostly_long


@pytest.mark.slow
@pytest.mark.parametrize("cases", mostly_long([60, 200], keep=1))
def test_no_promise_is_broken_by_what_nobody_meant(tmp_path: Path, cases: int) -> None:
    assert list(malformed.broken(tmp_path, cases=cases, seed=11)) == []
