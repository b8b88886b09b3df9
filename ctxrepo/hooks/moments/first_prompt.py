"""The first prompt of a session or after a compaction, where its agent gives the packet with it or starts the
session beside it."""

import _sqlite3
import time

from ctxrepo.hooks.dialect import BESIDE_PROMPT, Dialect, Event
from ctxrepo.hooks.known.compiled import World
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
        if is_first:
            _wait_for_start(world, event)
        return ""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    before = session.record
    if before.is_off or event.silence_reason:
        return ""
    compaction = dialect.compaction(event.transcript)
    if not is_first and compaction == before.compaction:
        return ""
    if not is_first:
        event.source = "compact"
        session.forget_given()
    if compaction:
        session.note_compaction(compaction)
    from ctxrepo.hooks.moments.start import packet_with_prompt

    return packet_with_prompt(db, world, event, session, before)


def _is_first(world: World, event: Event) -> bool:
    """Whether the ledger says nothing yet of what the session was told."""
    record = Session(world.state, world.repo.id, event.agent, event.session).record
    return record.project is None and record.generation is None and not record.is_off


def _wait_for_start(world: World, event: Event) -> None:
    """Wait until the start has noted what it gave, or else the prompt would be given some of it again."""
    end = time.monotonic() + _START_SECONDS
    while _is_first(world, event) and time.monotonic() < end:
        time.sleep(_POLL)
