"""Machines that the tests of a module find as a maker left them: made once, and copied for each test.

To write a few notes and send them takes a tenth of a second, and a copy of what is there a tenth of that.
"""

from __future__ import annotations

import gc
import json
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from processes import wait_for_all_in

Value = TypeVar("Value")


@dataclass(frozen=True)
class _Made:
    """What a maker returned, where what it made is kept, and when that was, by the monotonic clock."""

    value: Any
    kept: Path
    at: float


class Copies:
    """Every copy stands in the same `place`, so that paths in settings and databases are true of it."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "place"
        self._folder = folder
        self._made: dict[Callable[[Path], Any], _Made] = {}

    def of(self, make: Callable[[Path], Value]) -> Value:
        """What `make` returns when it has filled the place, which is as it left it."""
        original = self._made.get(make)
        if original is None:
            self.place.mkdir()
            original = _Made(make(self.place), self._folder / str(len(self._made)), time.monotonic())
            gc.collect()
            _prune(self.place)
            shutil.copytree(self.place, original.kept, symlinks=True)
            self._made[make] = original
        else:
            shutil.copytree(original.kept, self.place, symlinks=True)
            _delay(self.place, time.monotonic() - original.at)
        value: Value = original.value
        return value

    def leave(self, folder: Path) -> None:
        """Give a test's copy to the test's own folder, with which it is deleted or kept.

        A database that is still open would delete files by their names later, those of the next copy; and a
        worker that an operation has woken would go on there.
        """
        gc.collect()
        wait_for_all_in(self.place)
        with suppress(FileNotFoundError):
            self.place.rename(folder / self.place.name)


def _prune(place: Path) -> None:
    """Delete some 250 folders of each repository in which there is no object yet."""
    for objects in place.glob("*/.ctxrepo/.git/objects"):
        for fan_out in objects.iterdir():
            with suppress(OSError):
                fan_out.rmdir()


def _delay(place: Path, seconds: float) -> None:
    """Let the last exchange with a remote be as long ago as it was when the copy was made."""
    for file in place.glob("*/.local/state/ctxrepo/*/exchange.json"):
        record = json.loads(file.read_text())
        file.write_text(json.dumps(record | {name: record[name] + seconds for name in ("began", "ended")}))
