"""The packet of a session that isn't given it at a start alone: the agent has it come with the first prompt,
or starts the session beside that, or calls no start's hook after a compaction. Then it comes with whatever is
next, a prompt or a tool call."""

import _sqlite3
import time

from ctxrepo.hooks.dialect import BESIDE_PROMPT, Dialect, Event
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.session.ledger_words import ASKED, COMPACTED, COMPACTION
from ctxrepo.hooks.session.session import Session

_START_SECONDS = 1.0
"""How long a prompt waits for the hook of the session's start at most: a start may wait 0.8 s itself."""

_POLL = 0.01


def answer(db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event) -> str:
    """The packet; '' where the session has one already, or is given it at its start."""
    if not event.session:
        return ""
    is_first = _is_first(world, event)
    if dialect.packet_at == BESIDE_PROMPT:
        # The start notes what it gives; a prompt before that would be given some of it again.
        end = time.monotonic() + _START_SECONDS
        while is_first and time.monotonic() < end:
            time.sleep(_POLL)
            is_first = _is_first(world, event)
        return ""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    before = session.record
    if before.is_off or event.silence_reason:
        return ""
    compaction = dialect.compaction(event.transcript)
    if not is_first and compaction == before.compaction:
        return ""
    if not is_first:
        session.forget_given()
    if compaction:
        session.note(COMPACTION, compaction)
    from ctxrepo.hooks.moments.start import packet_with_prompt

    asked = [] if is_first else before.asked
    return packet_with_prompt(db, world, event, session, asked, world.delivery.most_bytes)


def note_compaction(world: World, event: Event) -> None:
    """Note that the session forgets what it was given, but for what its last prompts were about."""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    asked = session.record.asked
    session.forget_given()
    session.note(COMPACTED)
    for words in asked:
        session.note(ASKED, words)
    session.save()


def after_compaction(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """The packet that the session is owed since a compaction; '' where it is owed none. It leaves recall its
    room, because an agent may cap together what one event is answered."""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    if session.record.is_off or event.silence_reason or not session.takes_packet():
        return ""
    from ctxrepo.hooks.moments.start import packet_with_prompt

    room = world.delivery.most_bytes - world.recall_bytes
    return packet_with_prompt(db, world, event, session, session.record.asked, room)


def _is_first(world: World, event: Event) -> bool:
    """Whether the ledger says nothing yet of what the session was told."""
    record = Session(world.state, world.repo.id, event.agent, event.session).record
    return record.project is None and record.generation is None and not record.is_off
