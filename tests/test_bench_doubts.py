"""`python -m bench doubts` measures looks that find what they are to find."""

from __future__ import annotations

import pytest
from bench import doubts


@pytest.mark.slow  # some commands of a person, each a process, and their workers
def test_a_file_that_goes_leaves_the_entry_in_doubt_that_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert doubts.main(["--entries", "12", "--files", "60"]) == 0
    count, _, *_, first, unchanged, gone = capsys.readouterr().out.splitlines()
    assert count == "16 entries, 60 files"
    assert [row.split(" | ")[-1] for row in (first, unchanged, gone)] == ["0 |", "0 |", "1 |"]
