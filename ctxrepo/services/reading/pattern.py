"""Patterns that a person or agent gives us: matched within a time, and nothing but matched.

The only owner of `regex`, whose matching can be bounded; a pattern for Python's own `re` can take for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import regex

from ctxrepo.errors import UsageError

MAX_CHARS = 1000

SEARCH_SECONDS = 2.0
"""Seconds that all of one search may take."""


def matcher(pattern: str, patience: float = SEARCH_SECONDS) -> Callable[[str], bool]:
    """Whether a text holds the pattern, the case of letters ignored unless it says `(?-i:…)`.

    UsageError for what is no pattern, and once matching has taken longer than `patience` seconds.
    """
    if len(pattern) > MAX_CHARS:
        raise UsageError(f"the pattern is longer than {MAX_CHARS} characters", "Search for less at once.")
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE | regex.VERSION0)
    except (regex.error, RecursionError, OverflowError) as error:
        raise UsageError(f"{pattern[:80]!r} is not a regular expression: {error}") from error
    end = time.monotonic() + patience

    def matches(text: str) -> bool:
        try:
            return compiled.search(text, timeout=max(0.001, end - time.monotonic())) is not None
        except TimeoutError:
            raise UsageError(
                f"the pattern takes longer than {patience:g} seconds",
                "Repetitions within repetitions, such as (a+)+, do; say it with fewer.",
            ) from None

    return matches
