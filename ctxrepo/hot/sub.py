"""A subagent starts: it may look things up, and what is worth keeping it tells the one that started it."""

import _sqlite3

from ctxrepo.hot.block import OVERHEAD, seal, size
from ctxrepo.hot.cache import generation_of, index_of, open_cache
from ctxrepo.hot.ledger import add, is_hushed, ledger_path
from ctxrepo.hot.mode import gives
from ctxrepo.hot.packet import GLOBAL_SHARE
from ctxrepo.hot.render import budget_of, today
from ctxrepo.hot.sections import index_section
from ctxrepo.hot.where import place_of, scopes_at

BUDGET = 3000
"""Most bytes of its block: a subagent has one thing to do, and there may be many of them."""

_ROWS = 100

WORDS = """\
There is a memory of earlier sessions: `ctxrepo search WORDS` finds notes, `ctxrepo read PATH` prints one.
Don't write to it: report what is worth keeping to the agent that started you.
"""


def answer(db: _sqlite3.Connection, settings: dict[str, str], agent: str, said: dict[str, str]) -> str:
    """One short block: how to read, and the index where the mode has it given."""
    folder = settings["folder"]
    if is_hushed(ledger_path(folder, agent, said["session"])):
        return ""
    cache = open_cache(f"{folder}/cache.db")
    if cache is None:
        return ""
    try:
        place = place_of(db, said["cwd"], settings["home"])
        scopes = scopes_at(place, settings.get("global", "global")) if gives(settings, "subindex") else []
        text = _index(cache, scopes, min(BUDGET, budget_of(settings, agent)) - OVERHEAD - size(WORDS))
        noted = ["of " + said["session"].replace("\n", " "), f"generation {generation_of(cache)}"]
        add(ledger_path(folder, agent, said["session"], said["sub"]), noted)
        return seal(text, settings.get("secret", ""), WORDS)
    finally:
        cache.close()


def _index(cache: _sqlite3.Connection, scopes: list[str], room: int) -> str:
    shown = [(name, "", *index_of(cache, name, _ROWS)) for name in scopes]
    allowed = {name: room // GLOBAL_SHARE if name != scopes[-1] else room for name in scopes}
    return index_section(shown, allowed, today(), room)
