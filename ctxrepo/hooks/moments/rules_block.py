"""A session start in a mode in which the hooks don't give the packet: faults, and perhaps how to ask."""

import _sqlite3

from ctxrepo.domain.text.block import seal
from ctxrepo.hooks.known.cache import generation_of
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.moments.prompt import fault_block
from ctxrepo.hooks.packet.preamble import PREAMBLE, filled
from ctxrepo.hooks.packet.render import budget_of, render
from ctxrepo.hooks.session.session import Session


def bare(cache: _sqlite3.Connection | None, settings: dict[str, str], place: Place, session: Session) -> str:
    """What the session is told at `place`."""
    text = ""
    if gives(settings, "preamble") and (rules := settings.get("preamble", PREAMBLE)):
        general = settings.get("global", "global")
        rules = filled(rules, settings["home"], place[1], general, has_index=False, is_known=place[2])
        text = seal("", settings.get("secret", ""), rules)
    if cache is None:
        return text
    try:
        session.saw(generation_of(cache))
        if gives(settings, "elsewhere"):
            # What stands there whole needn't come beside a prompt too.
            session.gave(render(cache, settings, place, budget_of(settings)).entries)
        return text + fault_block(cache, settings, session)
    except _sqlite3.Error:
        return text
