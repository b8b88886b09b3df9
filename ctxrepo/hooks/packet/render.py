"""What a session is given at its start: the packet of what memory holds where it is, and what to note."""

import _sqlite3

from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import Hit, generation_of
from ctxrepo.hooks.known.compiled import number
from ctxrepo.hooks.known.locate import Place, scopes_at
from ctxrepo.hooks.packet.contents import Held, hold
from ctxrepo.hooks.packet.packet import Given, packet, shown
from ctxrepo.hooks.packet.preamble import PREAMBLE, filled
from ctxrepo.hooks.packet.presets import OWN, PRESETS
from ctxrepo.hooks.packet.sections import told
from ctxrepo.hooks.session.session import Session

BUDGET = 9500
"""Bytes of a block where the settings say nothing."""

NO_LIMIT = 1 << 30

MD = "md"


class Rendered:
    """A packet, and what the session that is given it is to be said to know."""

    __slots__ = ("entries", "faults", "generation", "handoff", "lanes", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.generation: int | None = None
        """Of the cache that it was made from."""
        self.handoff: str | None = None
        """The moment of the handoff in it, '-' for none; None where it was not looked for."""
        self.faults: list[str] = []
        """Hashes of the faults that it tells."""
        self.entries: dict[str, str] = {}
        """Entries that stand whole in it: id -> hash."""
        self.lanes: list[Given] = []
        """What each lane gave."""

    def note(self, session: Session) -> None:
        """Note in a session's ledger what it was given by this."""
        if self.generation is not None:
            session.saw(self.generation)
        if self.handoff is not None:
            session.began_with(self.handoff)
        for key in self.faults:
            session.told_fault(key)
        session.gave(self.entries)


def render(
    cache: _sqlite3.Connection | None,
    settings: dict[str, str],
    place: Place,
    budget: int,
    already: frozenset[str] | set[str] = frozenset(),
    asked: list[str] | None = None,
) -> Rendered:
    """The packet that a session at `place` starts with, of at most `budget` bytes; without a usable cache it
    is the preamble alone.

    `already` are hashes of faults told before. `asked` is what the last prompts of a session were about that
    was compacted in the middle of its work: what they recall comes again.
    """
    general = settings.get("global", "global")
    preamble = filled(
        settings.get("preamble", PREAMBLE), settings["home"], place[1], general, is_known=place[2]
    )
    if cache is not None:
        try:
            if settings.get("preset") == MD:
                return _md(cache, settings, scopes_at(place, general), budget)
            held = Held(preamble)
            faults = _hold(held, cache, settings, place, scopes_at(place, general))
            faults = told([fault for fault in faults if fault[0] not in already])
            held.faults = [text for _, text in faults]
            rendered = Rendered()
            rendered.faults = [key for key, _ in faults]
            rendered.handoff = held.handoff[1] if held.handoff else "-"
            rendered.generation = generation_of(cache)
            held.recalled = _asked_again(cache, settings, scopes_at(place, general), asked or [])
            return _rendered(rendered, held, settings, budget)
        except _sqlite3.Error:
            pass
    return _rendered(Rendered(), Held(preamble), settings, budget)


def render_late(
    cache: _sqlite3.Connection, settings: dict[str, str], place: Place, budget: int
) -> tuple[str, dict[str, str]]:
    """The project's part of the packet, for a session that began before its project was known, and the
    entries in it: id -> hash."""
    if settings.get("preset") == MD or budget <= 0:
        return "", {}
    held = Held()
    _hold(held, cache, settings, place, [place[1]])
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
    hold(held, cache, lanes, scopes, "", budget)
    text, given = packet(held, today(), settings.get("secret", ""), name, budget)
    return text, dict(shown(held, given, today())) if text else {}


def _md(cache: _sqlite3.Connection, settings: dict[str, str], scopes: list[str], budget: int) -> Rendered:
    from ctxrepo.hooks.packet.md import md_packet

    text = md_packet(cache, settings["home"], scopes, budget - 1)
    rendered = Rendered(text and text + "\n")
    rendered.generation = generation_of(cache)
    return rendered


def budget_of(settings: dict[str, str], most: int = NO_LIMIT) -> int:
    """Most bytes of a packet: what the settings say, and no more than the `most` that an agent takes."""
    return min(number(settings, "budget_bytes", BUDGET), most)


def taken_by_agent(settings: dict[str, str]) -> int:
    """The most bytes that the agent whose hook this is takes."""
    return number(settings, "most_bytes", NO_LIMIT)


def _hold(
    held: Held,
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    place: Place,
    scopes: list[str],
) -> list[tuple[str, str]]:
    """Fill `held`; the faults there are."""
    lanes = PRESETS[preset_of(settings)][1]
    return hold(held, cache, lanes, scopes, place[0], budget_of(settings))


def preset_of(settings: dict[str, str]) -> str:
    """The preset that is set; our own where it is one that this version doesn't know."""
    name = settings.get("preset", OWN)
    return name if name in PRESETS else OWN


def _rendered(rendered: Rendered, held: Held, settings: dict[str, str], budget: int) -> Rendered:
    text, lanes = packet(held, today(), settings.get("secret", ""), preset_of(settings), max(1, budget))
    rendered.text, rendered.lanes = text, lanes
    rendered.entries = dict(shown(held, lanes, today())) if text else {}
    return rendered


def _asked_again(
    cache: _sqlite3.Connection, settings: dict[str, str], scopes: list[str], asked: list[str]
) -> list[Hit]:
    if not asked:
        return []
    from ctxrepo.hooks.recall.recall import LIMIT, recall

    limit = number(settings, "recall_limit", LIMIT)
    return recall(cache, asked[-1], asked[:-1], scopes, limit, settings.get("gate") != "off")[1]
