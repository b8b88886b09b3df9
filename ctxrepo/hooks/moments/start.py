"""A session starts: the hook delivers the packet and wakes the worker; where there is something new, it wakes
it first and waits briefly."""

import _sqlite3
import os
import time

from ctxrepo.domain.text.block import size
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.clock import age_of
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.known import look
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.moments.claim import claim_block
from ctxrepo.hooks.session.session import Session, SessionRecord
from ctxrepo.hooks.session.spool import spool


class _Worker:
    """Starts the worker, once. Where two processors share a core, it takes the hook's time: a hook that waits
    for nothing starts it last."""

    __slots__ = ("_is_started", "_world")

    def __init__(self, world: World) -> None:
        self._world = world
        self._is_started: bool | None = None

    def start(self) -> bool:
        """False where none can work."""
        if self._is_started is None:
            world = self._world
            self._is_started = start_worker(world.interpreter, world.state, world.repo.state)
        return self._is_started


def answer(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """What a session is given at its start: the packet, or the rules in a mode without one, after a claim if
    there is one. '' if it has a packet already or is to be given nothing."""
    source = event.source
    session = Session(world.state, world.repo.id, event.agent, event.session)
    before = session.record
    if source in ("clear", "compact"):
        session.forget_given()
    spool(db, world.repo, "start", event)
    worker = _Worker(world)
    try:
        return _packet(db, world, event, session, before, worker)
    finally:
        worker.start()


def _packet(
    db: _sqlite3.Connection,
    world: World,
    event: Event,
    session: Session,
    before: SessionRecord,
    worker: _Worker,
) -> str:
    """What the session is given."""
    source = event.source
    since = time.time()  # a round of the worker that began before may not have read the session's line
    session.note_begin(event.cwd)
    session.save()
    if source == "fork" and before.generation is None:
        from ctxrepo.hooks.session.fork import begin_as_copy

        begin_as_copy(session, event.origin)
    if source in ("resume", "fork") or before.is_off or event.silence:
        return ""
    goes_on = source == "compact" and bool(before.asked)
    is_due = _is_fetch_due(world)
    cache, place, is_complete = look.look(db, world, event.cwd, since, 0.0, is_due)
    waits = False
    if not (is_complete and place.is_known) and gives(world, "packet") and worker.start():
        if cache is not None:
            cache.close()
        waits = True
        cache, place, is_complete = look.look(db, world, event.cwd, since, look.HOOK_WAIT, is_due)
    claim, is_withheld = claim_block(db, world, event, silence="")  # a silent session has returned above
    if is_withheld:
        if cache is not None:
            cache.close()
        session.note_project("?")
        session.save()
        return claim
    asked = before.asked if goes_on and not _is_recall_off(db, world, event) else []
    if gives(world, "packet"):
        from ctxrepo.hooks.packet.render import budget_of, render

        budget = budget_of(world) - size(claim)
        packet = render(cache, world, place, budget, session.record.faults, asked)
        packet.note(session)
        text = packet.text
    else:
        from ctxrepo.hooks.moments.rules_block import rules_block

        text = rules_block(cache, world, place, session)
    if cache is not None:
        cache.close()
    if waits and not is_complete:
        session.note_owed(since)
    for words in asked:
        session.note_prompt_words(words)
    session.note_project(place.folder if place.is_known else "?")
    session.save()
    return claim + text


def _is_recall_off(db: _sqlite3.Connection, world: World, event: Event) -> bool:
    if not gives(world, "recall"):
        return True
    from ctxrepo.hooks.moments.prompt_block import switches, why_off

    return bool(why_off(db, world, event.cwd or os.getcwd(), switches()))


def _is_fetch_due(world: World) -> bool:
    fetched = age_of(f"{world.repo.state}/fetched")
    return world.fetches_at_start and fetched > world.ttl
