"""A prompt is sent: what changed meanwhile, and the few entries that matter for it."""

import _sqlite3
import os
import time

from ctxrepo.domain.text.block import seal_shortly, size
from ctxrepo.hooks.dialect import Event, HookAnswer
from ctxrepo.hooks.known.cache import faults_of, generation_of, open_cache
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, place_of, stamps_of
from ctxrepo.hooks.known.mode import is_for_one_turn
from ctxrepo.hooks.known.staleness import news, note_worker_told
from ctxrepo.hooks.session.ledger_words import BRIDGE, FAULT, GENERATION, SOUGHT
from ctxrepo.hooks.session.session import SWITCHED_OFF, Session

_BRIDGE_PROMPTS = 3
"""With how many of its first prompts a session may be told of the one before."""


def answer(db: _sqlite3.Connection, world: World, event: Event) -> HookAnswer:
    """What is new and the recalled entries, a block each; most of the time nothing."""
    if event.sub:
        from ctxrepo.hooks.moments.subagent import prompt_of_subagent

        return HookAnswer(prompt_of_subagent(db, world, event))
    place = place_of(db, world, event.cwd)
    cache = open_cache(f"{world.repo.state}/cache.db")
    session = Session(world.state, world.repo.id, event.agent, event.session)
    claim = ""
    if world.asks_for_trust or _got_project_late(place, session):
        from ctxrepo.hooks.moments.claim import claim_block

        silence = event.silence_reason or (SWITCHED_OFF if session.record.is_off else "")
        claim, is_withheld = claim_block(db, world, event, silence)
        if is_withheld:
            if cache is not None:
                cache.close()
            return HookAnswer(claim)
    if not place.is_known:
        _ask_for_project(db, world, event, session)
    elif note_worker_told(world.repo, news(world, cache, place.scopes)):
        cache, place = _catch_up(db, cache, world, event)
    if cache is None:
        from ctxrepo.hooks.session.trace import Subject, note_trace

        note_trace(db, world.repo, Subject.of(event), "there is no cache that can be read", [], [])
        return HookAnswer(claim)
    try:
        found = _blocks(db, cache, world, event, place, session)
        found.kept = claim + found.kept
        return found
    finally:
        cache.close()


def fault_block(cache: _sqlite3.Connection, world: World, session: Session) -> str:
    """A block of the faults that the session wasn't told yet, or ''."""
    faults = [fault for fault in faults_of(cache) if fault.hash not in session.record.faults]
    if not faults:
        return ""
    from ctxrepo.hooks.packet.sections import (  # rare, and most hooks do without
        FAULT_ROOM,
        fault_section,
        first_faults,
    )

    faults = first_faults(faults)
    for fault in faults:
        session.note(FAULT, fault.hash)
    return seal_shortly(fault_section([fault.text for fault in faults], FAULT_ROOM), world.secret)


def _blocks(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    world: World,
    event: Event,
    place: Place,
    session: Session,
) -> HookAnswer:
    """Faults, what came late, changed notes, what was said in the session before, recalled entries, and the
    anchor that keywords ask for: a block each, in this order."""
    from ctxrepo.hooks.moments.prompt_block import prompt_block

    if session.record.is_off or event.silence_reason:
        from ctxrepo.hooks.session.trace import Subject, note_trace

        note_trace(db, world.repo, Subject.of(event), event.silence_reason or SWITCHED_OFF, [], [])
        return HookAnswer()
    faults = fault_block(cache, world, session)
    changes = None
    since = _take_generation(cache, session)
    if since is not None:
        from ctxrepo.hooks.moments.changes import changes_since

        # The project's scope comes whole below (late_parts), so only the global one can have changes to tell.
        known_scopes = place.scopes[:1] if _got_project_late(place, session) else place.scopes
        changes = changes_since(since, cache, world, known_scopes, session)
        faults += changes.flaw_block(world)
    late = ""
    if session.record.handoff or session.record.owed_since or _got_project_late(place, session):
        from ctxrepo.hooks.moments.late import late_parts

        rows = changes.rows if changes else []
        late, rows = late_parts(cache, world, place, session, rows, size(faults))
        if changes:
            changes.rows = rows
    changed = changes.index_block(world) if changes else ""
    kept = faults + late + changed
    if session.record.bridge_wait is not None:
        kept += _bridge(db, world, event, session, world.most_bytes - world.recall_bytes - size(kept))
    beside = prompt_block(db, cache, world, event, place.scopes, session)
    if _may_want_an_anchor(world, event, session):
        from ctxrepo.hooks.tape.keyword_block import keyword_block

        beside += keyword_block(world, event, place, session)
    session.save()
    return HookAnswer(kept, turn=beside) if is_for_one_turn(world) else HookAnswer(kept + beside)


def _may_want_an_anchor(world: World, event: Event, session: Session) -> bool:
    """Whether one of the user's keywords is a part of the prompt, be it within a word, or one of an earlier
    prompt is still wanted. Nearly always neither is, and keyword_block needs several modules more."""
    keywords, low = world.of_tape("keywords", event.agent), event.prompt.lower()
    if not keywords or session.record.anchor_request is not None:
        return bool(keywords)
    return any(word.strip() in low for word in keywords.lower().split("\n"))


def _bridge(db: _sqlite3.Connection, world: World, event: Event, session: Session, room: int) -> str:
    """What the session is told of the one before, once the worker has left that; no later than with its third
    prompt, and once."""
    waited = session.record.bridge_wait or 0
    if os.path.exists(session.bridge_file):
        from ctxrepo.hooks.tape.bridge_block import bridge_block

        return bridge_block(db, world, event, session, room)
    if waited < _BRIDGE_PROMPTS - 1:
        session.note(BRIDGE, waited + 1)
    else:
        session.note(BRIDGE, "-")
    return ""


def _take_generation(cache: _sqlite3.Connection, session: Session) -> int | None:
    """Note that the session is told of everything in the cache now. Returns the generation up to which it had
    been told before; 0 where there was no cache at the session's start. None where nothing has changed since,
    where the ledger names no generation, and where the cache was rebuilt."""
    now, seen = generation_of(cache), session.record.generation
    if now == seen:
        return None
    session.note(GENERATION, now)
    if seen is None and session.record.owed_since:
        return 0  # at its start there was no cache: all is new to it
    return seen if seen is not None and seen < now else None


def _got_project_late(place: Place, session: Session) -> bool:
    """Whether the session's project became known only after its start."""
    return session.record.project == "?" and place.is_known


def _ask_for_project(
    db: _sqlite3.Connection,
    world: World,
    event: Event,
    session: Session,
) -> None:
    """Wake the worker to find out which project this is: once, and again when the folder's git files change.

    A worker that runs anyway, as at the end of each turn, looks again too.
    """
    stamps = stamps_of(db, event.cwd)
    if stamps == session.record.sought:
        return
    from ctxrepo.hooks.session.spool import spool

    session.note(SOUGHT, stamps)
    session.save()
    if spool(db, world.repo, "prompt", event):
        _wake(world)


def _catch_up(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection | None,
    world: World,
    event: Event,
) -> tuple[_sqlite3.Connection | None, Place]:
    """Wake the worker and wait briefly; the cache and the place as they are then. What takes longer comes
    with the next prompt."""
    from ctxrepo.hooks.known.catch_up import WORKER_SECONDS, open_when_current
    from ctxrepo.hooks.session.spool import spool

    is_left = spool(db, world.repo, "prompt", event)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_awake = _wake(world)
    if cache is not None:
        cache.close()
    patience = WORKER_SECONDS if is_left and is_awake else 0.0
    return open_when_current(db, world, event.cwd, since, patience)[:2]


def _wake(world: World) -> bool:
    from ctxrepo.hooks.files.daemon import start_worker

    return start_worker(world.interpreter, world.state, world.repo.state)
