"""`make demo` tells its week to the end, leaves nothing behind, and is what the README shows of it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from checkout import PYTHONPATH
from long import mostly_long

README = Path(__file__).resolve().parents[1] / "README.md"


SLOW_GIT = """\
#!/bin/sh
case " $* " in *" fetch "*) sleep 2 ;; esac
PATH={path} exec git "$@"
"""


@pytest.fixture(scope="module", params=mostly_long(["at once", "late"], keep=1))
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the demo tells where a fetch is done at once, or later than a session start waits for it."""
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
    done = subprocess.run(
        [sys.executable, str(README.with_name("tools") / "demo.py")],
        env={"PATH": path, "HOME": str(home), "TMPDIR": str(scratch), "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert list(scratch.iterdir()) == []
    return done.stdout


def test_the_next_session_on_the_other_machine_goes_on_with_the_work(told: str) -> None:
    wednesday = told[told.index("# Wednesday") : told.index("# Thursday")]
    for line in (
        "## shop/SCRATCHPAD.md",
        "- [ ] Ask the bank",
        "Next: Ask the bank, then release",
        "/daily/",
    ):
        assert line in wednesday


def test_nothing_is_lost_where_both_write(told: str) -> None:
    thursday = told[told.index("# Thursday") : told.index("# Friday")]
    note = thursday[thursday.rindex("description: Traps and the way around each") :]
    for fact in ("6380", "counts in cents", "sandbox is down", "CI caches"):
        assert note.count(fact) == 1


def test_the_readme_shows_what_is_told(told: str) -> None:
    """Each line, but for ids, times and numbers; what is in brackets is left out there."""
    block = re.search(r"<!-- transcript -->.*?```text\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert block
    shown = [
        line for line in map(_plain, block[1].splitlines()) if line and not line.startswith(("[", "│ ["))
    ]
    assert len(shown) > 60
    missing = Counter(shown) - Counter(map(_plain, told.splitlines()))
    assert not missing, f"take it anew from `make demo`: {[*missing]}"
    commands = [line for line in shown if re.match(r"\w+[$>] ", line)]
    rest = iter(map(_plain, told.splitlines()))
    assert all(command in rest for command in commands), "in another order than they are told"


def _plain(line: str) -> str:
    return re.sub(r"\^[0-9a-f]{7,12}|\d+", "N", line.strip())
