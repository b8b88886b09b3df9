"""Builders for tests of a person's own git: programs that note that they ran, memories that are exchanged."""

from __future__ import annotations

import shlex
from pathlib import Path

from machines import Machine


def noting(program: Path, command: str) -> Path:
    """Make `program`, a script that notes how it was called in `program.log` and goes on as `command`."""
    program.parent.mkdir(parents=True, exist_ok=True)
    log = shlex.quote(f"{program}.log")
    program.write_text(f'#!/bin/sh\nprintf \'%s\\n\' "$*" >> {log}\nexec {command} "$@"\n')
    program.chmod(0o755)
    return program


def calls(program: Path) -> list[str]:
    """How a script of `noting` was called, call by call."""
    log = Path(f"{program}.log")
    return log.read_text().splitlines() if log.exists() else []


def cli(machine: Machine, *words: str) -> str:
    """What a command printed. It ended with 0."""
    run = machine.ctxrepo(*words)
    assert run.returncode == 0, run.stderr
    return run.stdout


def both_ways(mine: Machine, other: Machine, url: str, theirs: str = "", *options: str) -> None:
    """Connect `mine` to `url` and `other` to `theirs`; each writes, sends, and is given what the other wrote.

    So `mine` has cloned or connected, fetched, merged and pushed by what its git was told.
    """
    cli(other, "init", theirs or url)
    cli(other, "remember", "written before mine came")
    cli(other, "sync")
    cli(mine, "init", *options, url)
    cli(mine, "remember", "written by mine")
    cli(mine, "sync")
    cli(other, "remember", "written afterwards")
    cli(other, "sync")
    cli(mine, "sync")
    for machine in (mine, other):
        memory = machine.read("shop/MEMORY.md")
        for fact in ("written before mine came", "written by mine", "written afterwards"):
            assert fact in memory
    assert mine.tree() == other.tree()
    assert mine.git("status", "--porcelain") == ""
