"""What a session is given at its start: the packet of what memory holds where it is, and what to note."""

import _sqlite3

from ctxrepo.hooks.dialect.events import most_bytes
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import Hit, generation_of
from ctxrepo.hooks.known.compiled import number
from ctxrepo.hooks.known.locate import Place, scopes_at
from ctxrepo.hooks.packet.contents import Held, hold
from ctxrepo.hooks.packet.packet import Given, packet, shown
from ctxrepo.hooks.packet.preamble import PREAMBLE, filled
from ctxrepo.hooks.packet.presets import OWN, PRESETS
from ctxrepo.hooks.packet.sections import told

BUDGET = 9500
"""Bytes of a block where the settings say nothing."""

MD = "md"

Rendered = tuple[str, list[str], list[Given]]
"""(packet, what the session's ledger notes of it, what each lane gave)"""


def render(
    cache: _sqlite3.Connection | None,
    settings: dict[str, str],
    place: Place,
    agent: str = "",
    already: frozenset[str] = frozenset(),
    asked: list[str] | None = None,
    taken: int = 0,
) -> Rendered:
    """The packet a session at `place` starts with; without a usable cache it is the preamble alone.

    `agent` is who takes it, '' for no matter who. `already` are hashes of faults told before. `asked` is what
    the last prompts of a session were about that was compacted in the middle of its work: what they recall
    comes again. `taken` bytes are given to others.
    """
    general = settings.get("global", "global")
    budget = budget_of(settings, agent) - taken
    preamble = filled(
        settings.get("preamble", PREAMBLE), settings["home"], place[1], general, is_known=place[2]
    )
    if cache is not None:
        try:
            if settings.get("preset") == MD:
                return _md(cache, settings, scopes_at(place, general), budget)
            held = Held(preamble)
            lines = _hold(held, cache, settings, place, scopes_at(place, general), already)
            held.recalled = _asked_again(cache, settings, scopes_at(place, general), asked or [])
            return _rendered(held, settings, lines, budget)
        except _sqlite3.Error:
            pass
    return _rendered(Held(preamble), settings, [], budget)


def render_late(
    cache: _sqlite3.Connection, settings: dict[str, str], place: Place, budget: int
) -> tuple[str, dict[str, str]]:
    """The project's part of the packet, for a session that began before its project was known, and the
    entries in it: id -> hash."""
    held = Held()
    if settings.get("preset") == MD or budget <= 0:
        return "", {}
    _hold(held, cache, settings, place, [place[1]], frozenset())
    held.faults = []  # these have been told
    text, given = packet(held, today(), settings.get("secret", ""), preset_of(settings), budget)
    return text, dict(shown(held, given, today())) if text else {}


def render_bodies(
    cache: _sqlite3.Connection, settings: dict[str, str], scopes: list[str], budget: int
) -> tuple[str, dict[str, str]]:
    """The MEMORY.md of these scopes, as a packet has them, and the entries in them: id -> hash."""
    name = preset_of(settings)
    lanes = tuple([lane for lane in PRESETS[name][1] if lane[0] == "memory"])
    if settings.get("preset") == MD or budget <= 0 or not lanes:
        return "", {}
    held = Held()
    hold(held, cache, lanes, scopes, "", today(), budget)
    text, given = packet(held, today(), settings.get("secret", ""), name, budget)
    return text, dict(shown(held, given, today())) if text else {}


def _md(cache: _sqlite3.Connection, settings: dict[str, str], scopes: list[str], budget: int) -> Rendered:
    from ctxrepo.hooks.packet.md import md_packet

    text = md_packet(cache, settings["home"], scopes, budget - 1)
    return text and text + "\n", [f"generation {generation_of(cache)}"], []


def budget_of(settings: dict[str, str], agent: str = "") -> int:
    """Most bytes of a packet: what the settings say, and no more than the agent takes."""
    return min(number(settings, "budget_bytes", BUDGET), most_bytes(agent))


def _hold(
    held: Held,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    place: Place,
    scopes: list[str],
    already: frozenset[str],
) -> list[str]:
    """Fill `held`; what the ledger is to note of it."""
    lanes = PRESETS[preset_of(settings)][1]
    faults = hold(held, cache, lanes, scopes, place[0], today(), budget_of(settings))
    faults = told([fault for fault in faults if fault[0] not in already])
    held.faults = [text for _, text in faults]
    began_with = held.handoff[1] if held.handoff else "-"
    told_of = [f"fault {key}" for key, _ in faults]
    return [f"generation {generation_of(cache)}", f"handoff {began_with}", *told_of]


def preset_of(settings: dict[str, str]) -> str:
    """The preset that is set; our own where it is one that this version doesn't know."""
    name = settings.get("preset", OWN)
    return name if name in PRESETS else OWN


def _rendered(held: Held, settings: dict[str, str], lines: list[str], budget: int) -> Rendered:
    text, given = packet(held, today(), settings.get("secret", ""), preset_of(settings), max(1, budget))
    seen = [f"entry {key} {digest}" for key, digest in shown(held, given, today())] if text else []
    return text, lines + seen, given


def _asked_again(
    cache: _sqlite3.Connection, settings: dict[str, str], scopes: list[str], asked: list[str]
) -> list[Hit]:
    if not asked:
        return []
    from ctxrepo.hooks.recall.recall import LIMIT, recall

    limit = number(settings, "recall_limit", LIMIT)
    return recall(cache, asked[-1], asked[:-1], scopes, limit, settings.get("gate") != "off")[1]
