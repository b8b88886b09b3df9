"""`make demo` runs to its end, leaves nothing behind, and prints what the README shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import page_output
import pytest
from checkout import PYTHONPATH
from long import mostly_long

README = Path(__file__).resolve().parents[1] / "README.md"


SLOW_GIT = """\
#!/bin/sh
case " $* " in *" fetch "*) sleep 2 ;; esac
PATH={path} exec git "$@"
"""


@pytest.fixture(scope="module", params=mostly_long(["quick", "late"], keep=1))
def output(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo prints when the fetch is quick, and when it takes longer than a session start waits."""
    home = tmp_path_factory.mktemp("demo")
    path = os.environ["PATH"]
    if request.param == "late":
        git = home / "bin/git"
        git.parent.mkdir()
        git.write_text(SLOW_GIT.format(path=shlex.quote(path)))
        git.chmod(0o755)
        path = f"{git.parent}:{path}"
    scratch = home / "scratch"
    scratch.mkdir()
    run = subprocess.run(
        [sys.executable, str(README.with_name("tools") / "demo.py")],
        env={"PATH": path, "HOME": str(home), "TMPDIR": str(scratch), "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr
    assert list(scratch.iterdir()) == []
    return run.stdout


def test_the_next_session_on_the_other_machine_goes_on_with_the_work(output: str) -> None:
    wednesday = output[output.index("# Wednesday") : output.index("# Thursday")]
    for line in (
        "## shop/SCRATCHPAD.md",
        "- [ ] Ask the bank",
        "Next: Ask the bank, then release",
        "/daily/",
    ):
        assert line in wednesday


def test_nothing_is_lost_where_both_write(output: str) -> None:
    thursday = output[output.index("# Thursday") : output.index("# Friday")]
    note = thursday[thursday.rindex("description: Traps and the way around each") :]
    for fact in ("6380", "counts in cents", "sandbox is down", "CI caches"):
        assert note.count(fact) == 1


def test_the_readme_shows_the_output(output: str) -> None:
    """Apart from ids, times and numbers, each line there is printed, and commands are in the same order."""
    block = page_output.TRANSCRIPT.search(README.read_text("utf-8"))
    assert block
    shown = [line for line in map(_plain, block[2].splitlines()) if line and not line.startswith("│ [")]
    assert len(shown) > 60
    printed = [*map(_plain, page_output.without_timing(output).splitlines())]
    missing = Counter(shown) - Counter(printed)
    assert not missing, f"run tools/page_output.py: the demo doesn't print {[*missing]}"
    rest = iter(printed)
    assert all(command in rest for command in shown if re.match(r"\w+[$>] ", command)), "in another order"


def test_the_transcript_leaves_out_rules_frames_and_silent_hooks(output: str) -> None:
    lines = page_output.transcript(output).splitlines()
    assert sum("rules for using the memory]" in line for line in lines) == 1
    assert not [line for line in lines if "<ctxrepo-memory" in line or "Where: `global/`" in line]
    assert not [line for line in lines if "· Stop" in line or "· SessionEnd" in line]
    assert [line for line in lines if re.match(r"  · UserPromptSubmit, \d+ ms$", line)]
    assert lines[0].startswith("# Monday")


def _plain(line: str) -> str:
    return re.sub(r"\^[0-9a-f]{7,12}|\d+", "N", line.strip())
