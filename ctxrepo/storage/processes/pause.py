"""A pause of random length, so that processes that wait for one thing don't all come back at once."""

from __future__ import annotations

import time
from random import SystemRandom

_CHANCE = SystemRandom()
"""Processes that were forked from one must not draw alike."""


def pause(least: float, most: float) -> None:
    """Sleep between `least` and `most` seconds."""
    time.sleep(_CHANCE.uniform(least, most))
