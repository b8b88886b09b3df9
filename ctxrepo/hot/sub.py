"""A subagent starts: it may look things up, and what is worth keeping it tells the one that started it."""

import _sqlite3

from ctxrepo.hot.block import today
from ctxrepo.hot.cache import generation_of, index_of, open_cache
from ctxrepo.hot.claim import is_held
from ctxrepo.hot.held import Held
from ctxrepo.hot.ledger import add, is_hushed, ledger_path
from ctxrepo.hot.mode import gives
from ctxrepo.hot.packet import packet
from ctxrepo.hot.presets import SUBAGENT
from ctxrepo.hot.render import budget_of
from ctxrepo.hot.where import place_of, scopes_at

_ROWS = 100

WORDS = """\
There is a memory of earlier sessions: `ctxrepo search WORDS` finds notes, `ctxrepo read PATH` prints one.
Don't write to it: report what is worth keeping to the agent that started you.
"""


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """One short block: how to read, and the index where the mode has it given."""
    folder = settings["folder"]
    if said["silence"] or is_hushed(ledger_path(folder, agent, said["session"])):
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
        text, _ = packet(held, today(), settings.get("secret", ""), SUBAGENT, budget_of(settings, agent))
        noted = ["of " + said["session"].replace("\n", " "), f"generation {generation_of(cache)}"]
        add(ledger_path(folder, agent, said["session"], said["sub"]), noted)
        return text
    finally:
        cache.close()
