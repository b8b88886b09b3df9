"""The cache and the place that a hook answers from, once the worker has caught up with what is there."""

import _sqlite3
import time

from ctxrepo.hooks.known.cache import open_cache, settled_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, place_of
from ctxrepo.hooks.known.staleness import is_unseen, news

PATIENCE = 0.8
"""Seconds a hook waits for the worker at most."""

_POLL = 0.015

View = tuple[_sqlite3.Connection | None, Place, bool]
"""(the cache, the place, whether all that is there by now is in that cache)"""


def look(
    db: _sqlite3.Connection,
    world: World,
    cwd: str,
    since: float,
    patience: float,
    is_due: bool = False,
) -> View:
    """Cache and place of `cwd`: as soon as they hold what is there, or a round of the worker is over that
    began after `since`, or at the end of `patience` (seconds).

    What such a round didn't bring can't be brought. With `is_due` the remote may have more, and only the end
    of a round tells.
    """
    general = world.general
    end = time.monotonic() + patience
    while True:
        cache = open_cache(f"{world.folder}/cache.db")
        place = place_of(db, cwd, world.home)
        if cache is not None:
            is_over = settled_of(cache) >= since
            scopes = place.scopes(general)
            is_all = is_over or not (is_due or is_unseen(cache, scopes) or news(world, cache, scopes))
            if is_over or (is_all and place.is_known) or time.monotonic() >= end:
                return cache, place, is_all
            cache.close()
        elif time.monotonic() >= end:
            return None, place, False
        time.sleep(_POLL)
