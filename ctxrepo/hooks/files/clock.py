"""How old a file is by its stamp, and which day it is.

Files from before a clock was put back have stamps in the future. They count as older than any age: a hook
that waited until such a file is old enough would wait for a long time.
"""

import os
import time

from ctxrepo.domain.text.block import day_of

_SKEW = 60
"""Seconds by which another machine's disk may be ahead of our clock."""


def age_of(path: str) -> float:
    """Seconds since the file was last written; infinity where it is missing or its stamp is in the future."""
    try:
        return age(os.stat(path).st_mtime)
    except OSError:
        return float("inf")


def age(moment: float) -> float:
    """Seconds since `moment`; infinity where it is in the future."""
    passed = time.time() - moment
    return max(passed, 0.0) if passed >= -_SKEW else float("inf")


def today() -> int:
    """Today in the user's time zone, in days since 1970: ages and daily notes are counted from it.

    A daily note belongs to a day of the user's. A note's `updated` is a UTC date, which may be a day off;
    ages are told in months, where one day makes no difference.
    """
    return day_of(time.strftime("%Y-%m-%d")) or 0
