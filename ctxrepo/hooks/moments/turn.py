"""A turn or a session ends, or a compaction is near: the worker is told and woken, nothing is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.session.spool import spool


def answer(db: _sqlite3.Connection, world: World, moment: str, event: Event) -> str:
    """Always ''. Before a compaction the agent would put any output into the text that is summarised."""
    spool(db, world.repo, moment, event)
    # Where the settings say to do nothing at this moment, the line waits in the spool until something else
    # wakes the worker.
    if (moment != "stop" or world.wakes_at_stop) and (moment != "end" or world.wakes_at_end):
        start_worker(world.interpreter, world.state, world.repo.state)
    return ""
