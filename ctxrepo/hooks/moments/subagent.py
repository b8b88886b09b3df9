"""A subagent starts: it may look things up, and what is worth keeping it tells the one that started it."""

import _sqlite3

from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import generation_of, index_of, open_cache
from ctxrepo.hooks.known.locate import place_of, scopes_at
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.moments.claim import is_held
from ctxrepo.hooks.packet.contents import Held
from ctxrepo.hooks.packet.packet import packet
from ctxrepo.hooks.packet.presets import SUBAGENT
from ctxrepo.hooks.packet.render import budget_of, taken_by_agent
from ctxrepo.hooks.session.session import Session

_ROWS = 100

WORDS = """\
There is a memory of earlier sessions: `ctxrepo search WORDS` finds notes, `ctxrepo read PATH` prints one.
Don't write to it: report what is worth keeping to the agent that started you.
"""


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """One short block: how to read, and the index where the mode has it given."""
    folder = settings["folder"]
    if said["silence"] or Session(folder, agent, said["session"]).record.is_off:
        return ""
    if is_held(db, settings, said["cwd"]):
        return ""
    cache = open_cache(f"{folder}/cache.db")
    if cache is None:
        return ""
    try:
        place = place_of(db, said["cwd"], settings["home"])
        scopes = scopes_at(place, settings.get("global", "global")) if gives(settings, "subindex") else []
        held = Held(WORDS)
        held.scopes = [(name, "", *index_of(cache, name, _ROWS)) for name in scopes]
        budget = budget_of(settings, taken_by_agent(settings))
        text, _ = packet(held, today(), settings.get("secret", ""), SUBAGENT, budget)
        session = Session(folder, agent, said["session"], said["sub"])
        session.is_of(said["session"])
        session.saw(generation_of(cache))
        session.save()
        return text
    finally:
        cache.close()
