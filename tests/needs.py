"""What a test needs of the machine: where it is missing the test is skipped, and says what helps."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

INSTALLED = frozenset(
    [
        "bash",
        "cc",
        "chromedriver",
        "chromium",
        "fcgiwrap",
        "fish",
        "gpg",
        "mkfs.btrfs",
        "mkfs.ext4",
        "mkfs.xfs",
        "nginx",
        "openssl",
        "rg",
        "ssh",
        "ssh-keygen",
        "sshd",
        "tmux",
        "zstd",
        "zsh",
    ]
)
"""The programs that `make servers` installs, which CI calls first."""

PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/sbin:/bin"
"""Where a system has its programs, also those that no user's PATH leads to."""


def unless(why: str) -> pytest.MarkDecorator:
    """Skip a test for `why`, a sentence that says what is missing and how it is had; run it for ''."""
    assert not why or " " in why, "a reason is a sentence"
    # A developer's machine may lack a program, npm, a kernel feature or root, and should run all other tests.
    # CI lacks none of what can be installed: .ci/run calls `make servers` and `make pi-types` first, and only
    # the real agents are left out (360 MB each; `make live` plays them). `-ra` prints every reason.
    return pytest.mark.skipif(bool(why), reason=f"can't run here: {why}")


def place_of(tool: str) -> str:
    """The program's file. A test of a machine that lacks it was skipped."""
    place = _which(tool)
    assert place is not None, tool
    return place


def lacks(*tools: str) -> str:
    """Why a test that starts these programs of INSTALLED can't be run here; '' where it can."""
    assert INSTALLED.issuperset(tools), tools
    missing = [tool for tool in tools if _which(tool) is None]
    if not missing:
        return ""
    return f"it starts {' and '.join(missing)}, which this machine lacks: `make servers` installs all of them"


def _which(tool: str) -> str | None:
    return shutil.which(tool, path=f"{os.environ.get('PATH', '')}:{PLACES}")


def older_git(wanted: tuple[int, int], what: str) -> str:
    """Why a test of something that git learned in version `wanted` can't be run here; '' where it can."""
    answer = subprocess.check_output(["git", "--version"], text=True)
    version = tuple(int(part) for part in answer.split()[2].split(".")[:2])
    return (
        ""
        if version >= wanted
        else f"git knows {what} since {wanted[0]}.{wanted[1]}; this is {answer.strip()}"
    )


needs_root = unless(
    ""
    if os.geteuid() == 0
    else "the system lets only root give files to others, or become one of them: run the tests as root"
)

needs_proc = unless(
    ""
    if Path("/proc/locks").exists()
    else "what processes run and lock is in /proc, which only Linux has; elsewhere ctxrepo does without"
)
