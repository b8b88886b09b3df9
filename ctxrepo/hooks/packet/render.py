"""The packet that a session is given at its start, and what its ledger is to note of it."""

import _sqlite3

from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import EntryHit, generation_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, Scope, folders_of
from ctxrepo.hooks.known.notes import selected_of
from ctxrepo.hooks.packet.contents import PacketContents
from ctxrepo.hooks.packet.lane import DEFAULT, MEMORY, PacketLane, PacketSource, Section
from ctxrepo.hooks.packet.packet import packet
from ctxrepo.hooks.packet.preamble import PREAMBLE, fill_in
from ctxrepo.hooks.packet.presets import BUDGETS, lanes_of
from ctxrepo.hooks.packet.sections import first_faults
from ctxrepo.hooks.session.ledger_words import FAULT, GENERATION, HANDOFF
from ctxrepo.hooks.session.session import Session

MD = "md"


class RenderedPacket:
    """A packet, and what a session that is given it knows from then on."""

    __slots__ = ("entries", "faults", "generation", "handoff", "sections", "text")

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.generation: int | None = None
        """The generation of the cache that it was made from."""
        self.handoff: str | None = None
        """The time of the handoff in it, '-' for none; None where none was looked for."""
        self.faults: list[str] = []
        """Hashes of the faults that it tells."""
        self.entries: dict[str, str] = {}
        """Entries that stand whole in it: id -> hash."""
        self.sections: list[Section] = []
        """The sections of its lanes."""

    def note(self, session: Session) -> None:
        """Note in the session's ledger what this packet gave it."""
        if self.generation is not None:
            session.note(GENERATION, self.generation)
        if self.handoff is not None:
            session.note(HANDOFF, self.handoff)
        for key in self.faults:
            session.note(FAULT, key)
        session.note_given(self.entries)


def render(
    cache: _sqlite3.Connection | None,
    world: World,
    place: Place,
    budget: int,
    already: frozenset[str] | set[str] = frozenset(),
    asked: list[str] | None = None,
) -> RenderedPacket:
    """The packet that a session at `place` starts with, of at most `budget` bytes; without a usable cache the
    preamble alone.

    `already` are the hashes of faults that the session was told. `asked` is what the last prompts were about
    when a session is compacted in the middle of its work: the packet repeats what they recall.
    """
    preamble = fill_in(PREAMBLE, place) if world.gives_preamble else ""
    if cache is not None:
        try:
            if world.preset == MD:
                return _md(cache, world, place, budget)
            contents = PacketContents(preamble, place.scopes)
            _collect(contents, lanes_of(preset_of(world)), cache, world, place.project)
            contents.faults = first_faults([fault for fault in contents.faults if fault.hash not in already])
            rendered = RenderedPacket()
            rendered.faults = [fault.hash for fault in contents.faults]
            rendered.handoff = contents.handoff.ts if contents.handoff else "-"
            rendered.generation = generation_of(cache)
            contents.recalled = _asked_again(cache, world, place.scopes, asked or [])
            return _write(rendered, contents, world, budget)
        except _sqlite3.Error:
            pass
    return _write(RenderedPacket(), PacketContents(preamble), world, budget)


def render_late(
    cache: _sqlite3.Connection, world: World, place: Place, budget: int
) -> tuple[str, dict[str, str]]:
    """The project's part of the packet, and the entries in it (id -> hash), for a session that began before
    its project was known."""
    if world.preset == MD or budget <= 0:
        return "", {}
    contents = PacketContents(scopes=place.scopes[-1:])
    _collect(contents, lanes_of(preset_of(world)), cache, world, place.project)
    contents.faults = []
    late = packet(contents, today(), world.secret, preset_of(world), budget)
    return late.text, late.entries


def render_memory(
    cache: _sqlite3.Connection, world: World, scopes: list[Scope], budget: int
) -> tuple[str, dict[str, str]]:
    """The MEMORY.md of each of these scopes, as a packet shows it, and the entries in them: id -> hash."""
    lanes = [lane for lane in lanes_of(preset_of(world)) if lane.name == MEMORY]
    if world.preset == MD or budget <= 0 or not lanes:
        return "", {}
    contents = PacketContents(scopes=scopes)
    _collect(contents, lanes, cache, world, "")
    memory = packet(contents, today(), world.secret, preset_of(world), budget)
    return memory.text, memory.entries


def _md(cache: _sqlite3.Connection, world: World, place: Place, budget: int) -> RenderedPacket:
    """The packet of the preset `md`, which has no lanes: the index, or what the tape selects where the agent
    has tools for it and something is selected."""
    from ctxrepo.hooks.known.tape import tape_of
    from ctxrepo.hooks.packet.md import md_packet

    tape, text = tape_of(world, world.delivery.agent), ""
    selected = selected_of(cache, place.project, world.tape_owner) if tape.is_on and tape.has_tools else []
    if selected:
        from ctxrepo.hooks.packet.md_tape import md_tape_packet

        text = md_tape_packet(cache, selected, world.repo.home, tape.is_manual, budget - 1)
    text = text or md_packet(cache, place.scopes, budget - 1)
    rendered = RenderedPacket(text and text + "\n")
    rendered.generation = generation_of(cache)
    return rendered


def _collect(
    contents: PacketContents,
    lanes: list[PacketLane],
    cache: _sqlite3.Connection,
    world: World,
    project: str,
) -> None:
    """Have each lane put what it shows into `contents`; `project` is an id, or ''."""
    source = PacketSource(cache, selected_of(cache, project, world.tape_owner), world.budget)
    for lane in lanes:
        lane.collect(source, contents)


def preset_of(world: World) -> str:
    """The preset in the settings; our own where this version doesn't know it."""
    name = world.preset
    return name if name in BUDGETS else DEFAULT


def _write(rendered: RenderedPacket, contents: PacketContents, world: World, budget: int) -> RenderedPacket:
    """Write the packet of these contents into `rendered`."""
    made = packet(contents, today(), world.secret, preset_of(world), max(1, budget))
    rendered.text, rendered.sections, rendered.entries = made.text, made.sections, made.entries
    return rendered


def _asked_again(
    cache: _sqlite3.Connection, world: World, scopes: list[Scope], asked: list[str]
) -> list[EntryHit]:
    """What the last of these prompts recalls once more, after those before it."""
    if not asked:
        return []
    from ctxrepo.hooks.recall.choice import choose, is_social
    from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words

    *before, last = asked
    request = RecallRequest(last, before, folders_of(scopes), world.recall_limit)
    if world.is_gated and is_social(request):
        return []
    return choose(rank_by_words(cache, request), world.is_gated).hits
