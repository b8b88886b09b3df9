"""Files that a person names, with a pipe, a device or a file without end in their place."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import Machine

PATIENT = 25


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(20 * 2**30)


def run(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [sys.executable, "-m", "ctxrepo", *words],
        cwd=machine.project_folder,
        env=machine.env,
        capture_output=True,
        text=True,
        timeout=PATIENT,
    )
    assert "Traceback" not in run.stderr, run.stderr
    assert "unexpected" not in run.stderr, run.stderr
    return run


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    ada.remember("a fact")
    ada.sync()
    return ada


@pytest.mark.parametrize("make", [_pipe, _endless, _huge, Path.mkdir])
def test_files_that_a_person_names_are_read_up_to_a_size(
    mine: Machine, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    named = tmp_path / "named"
    make(named)
    batch = [
        "recall",
        "--in",
        str(mine.project_folder),
        "--batch",
        str(named),
        "--out",
        str(tmp_path / "out"),
    ]
    for words in (["new", "shop.md", "-d", "The shop", "--from", str(named)], batch):
        process = run(mine, *words)
        assert process.returncode == 2, (words, process.stderr)
        assert str(named) in process.stderr


def test_what_a_shell_hands_over_is_read_as_a_stream(mine: Machine) -> None:
    words = [sys.executable, "-m", "ctxrepo", "new", "piped.md", "-d", "Piped", "--from", "/dev/stdin"]
    run = subprocess.run(
        words, cwd=mine.project_folder, env=mine.env, input="a fact from a pipe", text=True, timeout=PATIENT
    )
    assert run.returncode == 0
    assert "a fact from a pipe" in mine.read("shop/piped.md")
