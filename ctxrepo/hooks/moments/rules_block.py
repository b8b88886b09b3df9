"""A session start in a mode in which the hooks don't give the packet: faults, and perhaps how to ask."""

import _sqlite3

from ctxrepo.domain.text.block import seal
from ctxrepo.hooks.known.cache import generation_of
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.moments.prompt import fault_block
from ctxrepo.hooks.packet.preamble import PREAMBLE, filled
from ctxrepo.hooks.packet.render import render


def bare(
    cache: _sqlite3.Connection | None, settings: dict[str, str], place: Place, already: frozenset[str]
) -> tuple[str, list[str]]:
    """What is told at `place`, and what the ledger notes of it; `already` are hashes of faults
    told before."""
    text = ""
    if gives(settings, "preamble") and (rules := settings.get("preamble", PREAMBLE)):
        general = settings.get("global", "global")
        rules = filled(rules, settings["home"], place[1], general, has_index=False, is_known=place[2])
        text = seal("", settings.get("secret", ""), rules)
    if cache is None:
        return text, []
    try:
        lines = [f"generation {generation_of(cache)}"]
        if gives(settings, "elsewhere"):
            # What stands there whole needn't come beside a prompt too.
            lines += [line for line in render(cache, settings, place)[1] if line.startswith("entry ")]
        return text + fault_block(cache, settings, already, lines), lines
    except _sqlite3.Error:
        return text, []
