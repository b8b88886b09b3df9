"""`make demo` tells its story to the end, in a minute, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_the_demo_ends_well_and_leaves_nothing(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    told = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("demo.py"))],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode == 0, told.stdout[-2000:] + told.stderr
    assert "shop/topics/gotcha.md — Traps and the way around each [gotcha]" in told.stdout
    assert "The payment sandbox resets at midnight UTC" in told.stdout
    assert list(scratch.iterdir()) == []
