"""A git of the future on PATH, and clones in the formats that it makes by default."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from machines import Machine

_GIT_3 = """#!/bin/sh
# What git announces for version 3: SHA-256 and reftable, unless somebody asks for other formats.
export GIT_DEFAULT_HASH="${{GIT_DEFAULT_HASH:-sha256}}"
export GIT_DEFAULT_REF_FORMAT="${{GIT_DEFAULT_REF_FORMAT:-reftable}}"
echo "$GIT_DEFAULT_HASH $GIT_DEFAULT_REF_FORMAT $*" >> '{log}'
exec '{git}' "$@"
"""


@cache
def knows_reftable() -> bool:
    """Whether the installed git can convert refs, as git 2.46 and newer can."""
    words = ["git", "refs", "migrate", "-h"]
    return "--ref-format" in subprocess.run(words, capture_output=True, text=True, check=False).stdout


def git_3(folder: Path) -> tuple[str, Path]:
    """(a PATH on which `git` has other defaults, the file in which it writes down what it was asked)."""
    real = shutil.which("git")
    assert real
    folder.mkdir()
    log = folder / "log"
    log.touch()
    (folder / "git").write_text(_GIT_3.format(git=real, log=log))
    (folder / "git").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}", log


def make_sha256(machine: Machine) -> None:
    """Make the machine's memory a SHA-256 repository that holds the same files."""
    shutil.rmtree(machine.clone / ".git")
    machine.git("init", "-q", "-b", "main", "--object-format=sha256")
    machine.git("add", "--all")
    machine.git("commit", "-q", "-m", "everything")


def make_reftable(machine: Machine) -> None:
    """Make the machine's memory one whose refs are a reftable, as far as the installed git goes.

    A git that doesn't know reftable can't make one: then the configuration and the files are as git
    documents them, and the table is empty.
    """
    if knows_reftable():
        machine.git("refs", "migrate", "--ref-format=reftable")
        return
    machine.git("config", "core.repositoryFormatVersion", "1")
    machine.git("config", "extensions.refStorage", "reftable")
    folder = machine.clone / ".git"
    shutil.rmtree(folder / "refs")
    (folder / "refs").mkdir()
    (folder / "refs" / "heads").write_text("this repository uses the reftable format\n")
    (folder / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (folder / "reftable").mkdir()
    (folder / "reftable" / "tables.list").touch()
