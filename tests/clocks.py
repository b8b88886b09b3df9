"""A machine whose clock is ahead: its processes are told that time, and its files get the stamps of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from machines import Machine
from needs import lacks, unless
from processes import processes_of
from sessions import eventually

_SOURCE = Path(__file__).with_suffix(".c")

needs_clock = unless(lacks("cc"))


@contextmanager
def clock_ahead(machine: Machine, seconds: int) -> Iterator[Machine]:
    """The machine while its clock is ahead; behind it the clock has been put back."""
    library = machine.home.parent / f"{machine.home.name}-clock.so"
    words = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE)]
    subprocess.run(words, check=True, capture_output=True)
    before = _stamps(machine.home)
    yield replace(machine, more={**machine.more, "LD_PRELOAD": str(library), "AHEAD": str(seconds)})
    eventually(lambda: not processes_of(machine), 60)
    for path, stamp in _stamps(machine.home).items():
        if stamp != before.get(path):
            os.utime(path, ns=(stamp + seconds * 10**9,) * 2, follow_symlinks=False)


def _stamps(folder: Path) -> dict[Path, int]:
    """When each file was written, by the clock of the disk, which is the right one."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
