"""A turn or a session ends, or a compaction is near: the worker is told and woken, nothing is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.session.spool import spool


def answer(db: _sqlite3.Connection, world: World, moment: str, event: Event) -> str:
    """Always ''. Before a compaction even plain output would reach whoever summarises."""
    spool(db, world.repo, moment, event)
    # Told to leave a moment alone, the worker finds the line when another one wakes it.
    if (moment != "stop" or world.wakes_at_stop) and (moment != "end" or world.wakes_at_end):
        start_worker(world.interpreter, world.state, world.repo.state)
    return ""
