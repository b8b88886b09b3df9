"""A pause of random length, so that processes that wait for one thing don't all come back at once."""

from __future__ import annotations

import time

from ctxrepo.storage.disk.chance import random_between


def pause(least: float, most: float) -> None:
    """Sleep between `least` and `most` seconds."""
    time.sleep(random_between(least, most))
