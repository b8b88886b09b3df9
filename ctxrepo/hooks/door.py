"""From an agent's event to the answer. A moment's module is imported when it is that moment's turn: a tool
hook needs a third of what a prompt needs, and imports are most of what a hook costs."""

import _sqlite3
import os
import sys

from ctxrepo.hooks.dialect import Dialect, Event
from ctxrepo.hooks.dialect.payload import as_json, texts
from ctxrepo.hooks.files.private import fault_of_place, make
from ctxrepo.hooks.known.compiled import World, open_hooks, settings_of


def answer(dialect: Dialect, event: str, state: str, raw: bytes) -> str:
    """What to print for `event` with `raw` on standard input, in the shape that the agent reads, or ''."""
    name, moment = dialect.events.get(event.lower(), ("", ""))
    if not moment or is_off() or fault_of_place(state):
        return ""
    db = open_hooks(state)
    if db is None:
        if moment in ("start", "stop", "end") and os.path.exists(f"{state}/hooks.db"):
            _mend(state)
        return ""
    try:
        settings = settings_of(db, state)
        json = as_json(raw)
        del raw  # of a large event each copy counts
        found = texts(db, json, dialect.fields)
        if settings is None or not found:
            return ""
        world = World(settings)
        if not make(world.folder):
            return ""
        world.most_bytes = dialect.most_bytes
        told = Event(dialect.name, name, found)
        told.silence = _why_silent(db, told.cwd or os.getcwd())
        if moment == "start" and told.source == "fork":
            told.origin = dialect.origin(told.transcript)
        text = _at(moment, db, world, dialect, told, json)
        return dialect.reply(db, name, text) if text else ""
    finally:
        db.close()


def is_off() -> bool:
    """Switched off by the user, or called below the worker."""
    return os.environ.get("CTXREPO_OFF", "0") not in ("", "0") or "CTXREPO_HOOK" in os.environ


def log_error(state: str, words: list[str], error: BaseException) -> None:
    """One line about a hook that failed, where there is a state folder."""
    if fault_of_place(state):
        return
    from ctxrepo.hooks.files.logs import note

    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    place = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}" if at else "?"
    note(f"{state}/hook-errors.log", f"{' '.join(words)} {place} {type(error).__name__}: {error}")


def _mend(state: str) -> None:
    """Have hooks.db made anew; until it is, a session goes on as without us."""
    from ctxrepo.hooks.files.daemon import start_worker
    from ctxrepo.hooks.files.logs import note

    note(f"{state}/hook-errors.log", f"{state}/hooks.db can't be read; it is made anew")
    start_worker(sys.executable, state, state)


def _why_silent(db: _sqlite3.Connection, folder: str) -> str:
    """Why nothing is given in this folder, or ''. It is asked before anything is answered, so that no ledger
    notes what was never given; what agents do there is kept all the same.

    Most folders have no such file, and their hooks load nothing for it.
    """
    if not os.path.exists(f"{folder}/.pi"):
        return ""
    from ctxrepo.hooks.known.quiet import why_silent

    return why_silent(db, folder)


def _at(
    moment: str,
    db: _sqlite3.Connection,
    world: World,
    dialect: Dialect,
    event: Event,
    json: str,
) -> str:
    if moment == "start":
        from ctxrepo.hooks.moments import start

        return start.answer(db, world, event)
    if moment == "prompt":
        from ctxrepo.hooks.moments import prompt

        return prompt.answer(db, world, event)
    if moment == "tool":
        from ctxrepo.hooks.moments import tool

        return tool.answer(db, world, dialect, event, json)
    if moment == "sub":
        from ctxrepo.hooks.moments import subagent

        return subagent.answer(db, world, event)
    from ctxrepo.hooks.moments import turn

    return turn.answer(db, world, moment, event)
