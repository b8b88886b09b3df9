"""A turn or a session ends, or a compaction is near: the worker is told and woken, nothing is answered."""

import _sqlite3

from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.session.spool import spool

_SETTING = {"stop": "turn_end", "end": "session_end"}


def answer(
    db: _sqlite3.Connection, settings: dict[str, str], agent: str, moment: str, said: dict[str, str]
) -> str:
    """Always ''. Before a compaction even plain output would reach whoever summarises."""
    spool(db, settings["folder"], moment, agent, said)
    # Told to leave a moment alone, the worker finds the line when another one wakes it.
    if settings.get(_SETTING.get(moment, ""), "on") != "off":
        start_worker(settings)
    return ""
