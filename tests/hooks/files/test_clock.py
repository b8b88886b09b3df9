"""How old a file is, whatever the clock did."""

from __future__ import annotations

import os
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.hooks.own_files import age, age_of


@given(st.floats(0, 1e9))
def test_what_was_long_ago_is_old(passed: float) -> None:
    assert passed - 1 < age(time.time() - passed) < passed + 60


@given(st.floats(600, 1e10))
def test_a_moment_of_the_future_is_longer_ago_than_anybody_waits_for(ahead: float) -> None:
    assert age(time.time() + ahead) == float("inf")


@given(st.floats(0, 30))
def test_a_disk_that_is_a_little_ahead_says_now(ahead: float) -> None:
    assert age(time.time() + ahead) < 60


def test_of_a_file_its_stamp_tells_and_a_missing_one_is_old(tmp_path: Path) -> None:
    file = tmp_path / "fetched"
    assert age_of(str(file)) == float("inf")
    file.touch()
    assert age_of(str(file)) < 60
    os.utime(file, (time.time() + 3600,) * 2)
    assert age_of(str(file)) == float("inf")
