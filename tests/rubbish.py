"""Folders of tests that have passed, deleted many at a time: pytest would delete each of them in Python, file
by file, which takes twice as long."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

MANY = 40
"""Folders that are deleted together."""


class Rubbish:
    """A folder on the disk of the tests. What cannot be moved there is left to pytest."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.count = 0

    def take(self, folder: Path) -> None:
        """Have a folder out of the way at once, and delete it later."""
        with suppress(OSError):
            folder.rename(self.place / str(self.count))
            self.count += 1
            if self.count % MANY == 0:
                self.empty()

    def empty(self) -> None:
        """Delete what is there. A folder that nobody may enter is passed over."""
        words = ["rm", "-rf", "--one-file-system", "--", *map(str, self.place.iterdir())]
        subprocess.run(words, stderr=subprocess.DEVNULL)
