"""The cache and the place that a hook answers from, once the worker has caught up with what is there."""

import _sqlite3
import time

from ctxrepo.hooks.known.cache import last_round_of, open_cache
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, place_of
from ctxrepo.hooks.known.staleness import is_unwatched, news

HOOK_WAIT = 0.8
"""Seconds that a hook waits for the worker at most."""

_POLL = 0.015
"""Seconds between two looks at the cache."""


View = tuple[_sqlite3.Connection | None, Place, bool]
"""(the cache, the place, whether the cache holds all that is there now)"""


def look(
    db: _sqlite3.Connection,
    world: World,
    cwd: str,
    since: float,
    patience: float,
    is_due: bool = False,
) -> View:
    """The cache, and the place of `cwd`. It returns as soon as they hold all that is there, or a round of the
    worker that began after `since` is over, or `patience` seconds have passed.

    What such a round didn't bring in doesn't come by waiting. With `is_due` a fetch is due: the remote may
    have more, and only the end of a round tells.
    """
    end = time.monotonic() + patience
    while True:
        cache = open_cache(f"{world.repo.state}/cache.db")
        place = place_of(db, world, cwd)
        if cache is not None:
            is_over = last_round_of(cache) >= since
            scopes = place.scopes
            is_complete = is_over or not (is_due or is_unwatched(cache, scopes) or news(world, cache, scopes))
            if is_over or (is_complete and place.is_known) or time.monotonic() >= end:
                return cache, place, is_complete
            cache.close()
        elif time.monotonic() >= end:
            return None, place, False
        time.sleep(_POLL)
