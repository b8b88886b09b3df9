"""How old a file is by its stamp.

A clock that was put back leaves stamps of the future: what waited for them to pass would wait for ever.
"""

import os
import time

from ctxrepo.domain.text.block import day_of

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


def today() -> int:
    """The day it is where the user is, since 1970: the one day that ages and logs are counted from.

    A log belongs to a day of the user's. `updated` is a UTC date, which may be a day off from it; ages are
    told in months, where one day makes no difference.
    """
    return day_of(time.strftime("%Y-%m-%d")) or 0
