"""A few of the malformed notes and lists; `python tools/malformed.py` makes many."""

from __future__ import annotations

from pathlib import Path

import malformed


def test_no_promise_is_broken_by_what_nobody_meant(tmp_path: Path) -> None:
    assert list(malformed.broken(tmp_path, cases=200, seed=11)) == []
