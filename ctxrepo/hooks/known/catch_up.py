"""The cache and the place that a hook answers from, once the worker has caught up with what is there."""

import _sqlite3
import time

from ctxrepo.hooks.known.cache import last_round_of, open_cache
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, SessionFolder, place_of
from ctxrepo.hooks.known.staleness import is_unwatched, news

WORKER_SECONDS = 0.8
"""How long a hook waits for the worker at most."""

_POLL = 0.015
"""Seconds between two looks at the cache."""


View = tuple[_sqlite3.Connection | None, Place, bool]
"""(the cache, the place, whether waiting longer would bring nothing more: the cache is up to date, or a round
of the worker that began late enough is over)"""


def open_when_current(
    db: _sqlite3.Connection,
    world: World,
    folder: SessionFolder,
    since: float,
    patience: float,
    is_fetch_due: bool = False,
) -> View:
    """Open the cache and find the place of the folder, waiting up to `patience` seconds until they hold all
    that is there, or a round of the worker that began after `since` is over. The caller closes the cache.

    What that round did not bring in will not come by waiting longer. `is_fetch_due`: the remote may have more
    than the clone, so only the end of a round counts.
    """
    end = time.monotonic() + patience
    while True:
        cache = open_cache(f"{world.repo.state}/cache.db")
        place = place_of(db, world, folder)
        if cache is not None:
            is_over = last_round_of(cache) >= since
            scopes = place.scopes
            is_final = is_over or not (
                is_fetch_due or is_unwatched(cache, scopes) or news(world, cache, scopes)
            )
            if is_over or (is_final and place.is_known) or time.monotonic() >= end:
                return cache, place, is_final
            cache.close()
        elif time.monotonic() >= end:
            return None, place, False
        time.sleep(_POLL)
