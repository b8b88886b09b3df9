"""A session starts: the hook delivers the packet and wakes the worker; where there is something new, it wakes
it first and waits briefly."""

import _sqlite3
import os
import time

from ctxrepo.domain.text.block import size
from ctxrepo.hooks.dialect import WITH_PROMPT, Dialect, Event
from ctxrepo.hooks.files.clock import age_of
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.hooks.known.catch_up import WORKER_SECONDS, open_when_current
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.mode import gives, is_in_system_prompt
from ctxrepo.hooks.moments.claim import claim_block
from ctxrepo.hooks.session.ledger_words import ASKED, BRIDGE, OWED, PACKET, PROJECT, SessionRecord
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.session.spool import spool


class _WorkerStart:
    """Starts the worker at the first call of `start`, and only once. A hook that doesn't wait for the worker
    starts it last: on two hardware threads of one core the worker would slow the hook down."""

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


def answer(db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event) -> str:
    """The packet; '' when the session goes on with a context that holds one, and where the agent is given it
    with the first prompt."""
    session = Session(world.state, world.repo.id, event.agent, event.session)
    before = session.record
    if event.source in ("clear", "compact"):
        session.forget_given()
    spool(db, world.repo, "start", event)
    worker = _WorkerStart(world)
    try:
        since = time.time()  # a round of the worker that began before may not have read the session's line
        if _may_follow_another(world, event, before):
            session.note(BRIDGE, 0)
        session.begin(event.cwd)
        session.save()
        if event.source == "fork" and before.generation is None:
            session.begin_as_copy_of(event.origin)
        if dialect.packet_at == WITH_PROMPT:
            return ""
        # A system prompt is made anew at each start; a conversation that goes on holds what it was given.
        goes_on = event.source in ("resume", "fork") and not is_in_system_prompt(world)
        if goes_on and event.source == "fork":
            return ""
        if goes_on and (dialect.keeps_start or _has_packet(before)):
            return "" if before.is_off or event.silence_reason else before.packet
        text = _packet(db, world, event, session, before, since, worker)
        if text and not dialect.keeps_start:
            session.note(PACKET, text)
            session.save()
        return text
    finally:
        worker.start()


def _may_follow_another(world: World, event: Event, before: SessionRecord) -> bool:
    """Whether the session may be told what was said in the one before. An agent may call this hook again
    while a session goes on."""
    if event.source in ("clear", "compact") or world.of_tape("bridge_seconds", event.agent) in ("", "0"):
        return False
    return not before.began or event.source in ("resume", "fork")


def _has_packet(record: SessionRecord) -> bool:
    """Whether the session was given its packet: at its start, or with a prompt or a tool call since."""
    return bool(record.packet) or record.is_compacted or record.project is not None


def packet_with_prompt(
    db: _sqlite3.Connection, world: World, event: Event, session: Session, before: SessionRecord
) -> str:
    """The packet of a session that wasn't given it at its start; `before` is what its ledger said."""
    worker = _WorkerStart(world)
    return _packet(db, world, event, session, before, before.began or time.time(), worker)


def _packet(
    db: _sqlite3.Connection,
    world: World,
    event: Event,
    session: Session,
    before: SessionRecord,
    since: float,
    worker: _WorkerStart,
) -> str:
    """What the session is given; `before` is what its ledger said until now. A round of the worker that began
    after `since` has read that the session began."""
    if before.is_off or event.silence_reason:
        return ""
    cache, place, is_owed = _catch_up(db, world, event, since, worker)
    text, is_withheld = claim_block(db, world, event, silence="")  # a silent session has returned above
    if not is_withheld:
        asked = _asked_before(db, world, event, before)
        text += _text(cache, world, place, session, asked, size(text))
        if is_owed:
            session.note(OWED, since)
        for words in asked:
            session.note(ASKED, words)
    if cache is not None:
        cache.close()
    session.note(PROJECT, place.folder if place.is_known and not is_withheld else "?")
    session.save()
    return text


def _catch_up(
    db: _sqlite3.Connection, world: World, event: Event, since: float, worker: _WorkerStart
) -> tuple[_sqlite3.Connection | None, Place, bool]:
    """The cache, the place, and whether the session is owed what the worker didn't bring in time. Waits for
    the worker only where there is something new, and a packet to show it in."""
    is_due = _is_fetch_due(world)
    cache, place, is_final = open_when_current(db, world, event.cwd, since, 0.0, is_due)
    if (is_final and place.is_known) or not gives(world, "packet") or not worker.start():
        return cache, place, False
    if cache is not None:
        cache.close()
    cache, place, is_final = open_when_current(db, world, event.cwd, since, WORKER_SECONDS, is_due)
    return cache, place, not is_final


def _asked_before(db: _sqlite3.Connection, world: World, event: Event, before: SessionRecord) -> list[str]:
    """What the last prompts were about, where the session is compacted in the middle of its work and is given
    again what they recall."""
    if event.source != "compact" or not before.asked or _is_recall_off(db, world, event):
        return []
    return before.asked


def _text(
    cache: _sqlite3.Connection | None,
    world: World,
    place: Place,
    session: Session,
    asked: list[str],
    taken: int,
) -> str:
    """The packet, or what the mode gives in its place, noted in the ledger; `taken` bytes of the budget are
    used by a claim."""
    if not gives(world, "packet"):
        from ctxrepo.hooks.moments.no_packet import start_without_packet

        return start_without_packet(cache, world, place, session)
    from ctxrepo.hooks.packet.render import budget_of, render

    packet = render(cache, world, place, budget_of(world) - taken, session.record.faults, asked)
    packet.note(session)
    return packet.text


def _is_recall_off(db: _sqlite3.Connection, world: World, event: Event) -> bool:
    if not gives(world, "recall"):
        return True
    from ctxrepo.hooks.moments.prompt_block import switches, why_off

    return bool(why_off(db, world, event.cwd or os.getcwd(), switches()))


def _is_fetch_due(world: World) -> bool:
    return world.fetches_at_start and age_of(f"{world.repo.state}/fetched") > world.ttl
