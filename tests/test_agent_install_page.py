"""docs/how-to/let-your-agent-install-it.md: each check ends with 0 once its step is done, and not before."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from checkout import CHECKOUT
from faces.cli.repository.test_starting import year
from homes import snapshot
from machines import make_machine

PAGE = (CHECKOUT / "docs/how-to/let-your-agent-install-it.md").read_text("utf-8")
Run = Callable[[str], int]


def block(title: str, number: int = 0) -> str:
    """A block to run of the section with this heading."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    blocks: list[str] = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return blocks[number]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return year(make_machine(tmp_path, "ada")).home


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Run:
    """Runs a block in a project of this home, where `ctxrepo` is installed; its exit code."""
    program = tmp_path / "bin/ctxrepo"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ctxrepo "$@"\n')
    program.chmod(0o755)
    env = {"HOME": str(home), "PATH": f"{program.parent}:/usr/bin:/bin", "LANG": "C.UTF-8"}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(CHECKOUT)}

    def code(commands: str) -> int:
        words = ["sh", "-c", commands]
        return subprocess.run(words, cwd=home / "shop", env=env, capture_output=True, timeout=60).returncode

    return code


@pytest.mark.slow
def test_each_check_ends_with_0_once_its_step_is_done_and_not_before(run: Run, home: Path) -> None:
    assert run(block("1. Install the program", 1)) == 0
    before = snapshot(home)
    for title, is_last in (("2. Make the memory repository", False), ("4. Do it", True)):
        assert run(block(title, 1)) != 0
        if is_last:
            assert run(block("3. Show what would be done")) == 0
            assert run(block(title, 1)) != 0
        assert run(block(title)) == 0
        assert run(block(title, 1)) == 0
    assert run(block("5. See that it works", 0)) == 0
    assert run(block("5. See that it works", 1)) == 0
    assert run("ctxrepo context | grep 'Invoices are rounded'") == 0
    assert run(block("Take it back")) == 0
    assert run("ctxrepo undo") == 0
    left = {name: of for name, of in snapshot(home).items() if not name.startswith(".config/ctxrepo")}
    assert left == before
