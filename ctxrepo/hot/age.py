"""How old a file is by its stamp.

A clock that was put back leaves stamps of the future: what waited for them to pass would wait for ever.
"""

import os
import time

_SKEW = 60
"""Seconds by which another machine's disk may be ahead of our clock."""


def age_of(path: str) -> float:
    """Seconds since the file was last written to; of one that isn't there, or is of the future, more than
    anybody waits for."""
    try:
        return age(os.stat(path).st_mtime)
    except OSError:
        return float("inf")


def age(moment: float) -> float:
    """Seconds since `moment`, told in the same way."""
    passed = time.time() - moment
    return max(passed, 0.0) if passed >= -_SKEW else float("inf")
