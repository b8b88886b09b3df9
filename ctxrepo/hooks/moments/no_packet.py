"""What a session start gives in a mode without the packet: the preamble, and faults."""

import _sqlite3

from ctxrepo.domain.text.block import seal
from ctxrepo.hooks.known.cache import generation_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.mode import gives, packet_is_elsewhere
from ctxrepo.hooks.moments.prompt import fault_block
from ctxrepo.hooks.packet.preamble import PREAMBLE, fill_in
from ctxrepo.hooks.packet.render import render
from ctxrepo.hooks.session.ledger_words import GENERATION
from ctxrepo.hooks.session.session import Session


def start_without_packet(
    cache: _sqlite3.Connection | None, world: World, place: Place, session: Session
) -> str:
    """The preamble, where the mode gives it, and a block of new faults; without a cache the preamble alone.

    Where the packet stands in the system prompt or in a file, the ledger notes what the session sees there.
    """
    text = ""
    if gives(world, "preamble") and world.gives_preamble:
        text = seal("", world.secret, fill_in(PREAMBLE, place, has_index=False))
    if cache is None:
        return text
    try:
        session.note(GENERATION, generation_of(cache))
        if packet_is_elsewhere(world):
            # The session sees the packet all the time: no prompt needs to be given what stands whole in it.
            session.note_given(render(cache, world, place, world.budget).entries)
        return text + fault_block(cache, world, session)
    except _sqlite3.Error:
        return text
