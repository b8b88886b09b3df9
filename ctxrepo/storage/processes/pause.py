"""A pause of random length, so that processes that wait for the same thing don't all come back at once."""

from __future__ import annotations

import os
import time


def pause(least: float, most: float) -> None:
    """Sleep between `least` and `most` seconds."""
    # The module `random` takes long to load, and its state is the same in processes that one parent forked.
    fraction = int.from_bytes(os.urandom(4), "big") / 2**32
    time.sleep(least + (most - least) * fraction)
