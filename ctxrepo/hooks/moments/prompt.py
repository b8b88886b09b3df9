"""A prompt is sent: what changed meanwhile, and the few entries that matter for it."""

import _sqlite3
import time

from ctxrepo.domain.text.block import OVERHEAD, seal, size
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.cache import Row, faults_of, generation_of, open_cache
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, looks_of, place_of
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.known.staleness import is_first_to_tell, news
from ctxrepo.hooks.session.session import HUSHED, Session

CHANGES_ROOM = 1024
_CHANGES = "## Notes that changed since this session began\n"


def answer(db: _sqlite3.Connection, world: World, event: Event) -> str:
    """News and recalled entries, a block each; '' most of the time."""
    place = place_of(db, event.cwd, world.home)
    cache = open_cache(f"{world.folder}/cache.db")
    session = Session(world.folder, event.agent, event.session)
    claim = ""
    if world.asks_for_trust or _is_late(place, session):
        from ctxrepo.hooks.moments.claim import claim_block

        silence = event.silence or (HUSHED if session.record.is_off else "")
        claim, is_held = claim_block(db, world, event, silence)
        if is_held:
            if cache is not None:
                cache.close()
            return claim
    if not place.is_known:
        _ask_the_worker(db, world, event, session)
    elif is_first_to_tell(world.folder, news(world, cache, place.scopes(world.general))):
        cache, place = _catch_up(db, cache, world, event)
    if cache is None:
        from ctxrepo.hooks.session.trace import Subject, note_trace

        note_trace(db, world.folder, Subject.of(event), "there is no cache that can be read", [], [])
        return ""
    try:
        return claim + _news(db, cache, world, event, place, session)
    finally:
        cache.close()


def fault_block(cache: _sqlite3.Connection, world: World, session: Session) -> str:
    """Faults that the session wasn't told."""
    faults = [fault for fault in faults_of(cache) if fault[0] not in session.record.faults]
    if not faults:
        return ""
    from ctxrepo.hooks.packet.sections import (  # rare, and most hooks do without
        FAULT_ROOM,
        fault_section,
        told,
    )

    faults = told(faults)
    for key, _ in faults:
        session.told_fault(key)
    return seal(fault_section([text for _, text in faults], FAULT_ROOM), world.secret)


def _news(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection,
    world: World,
    event: Event,
    place: Place,
    session: Session,
) -> str:
    from ctxrepo.hooks.moments.prompt_block import beside

    if session.record.is_off or event.silence:
        from ctxrepo.hooks.session.trace import Subject, note_trace

        note_trace(db, world.folder, Subject.of(event), event.silence or HUSHED, [], [])
        return ""
    faults = fault_block(cache, world, session)
    scopes = place.scopes(world.general)
    rows, flaws = _changed(cache, world, place, session)
    faults += _flaws(world, flaws)
    late = ""
    if session.record.handoff or session.record.owed_since or _is_late(place, session):
        from ctxrepo.hooks.moments.late import late_parts

        late, rows = late_parts(cache, world, place, session, rows, size(faults))
    changes = _changes(world, rows)
    recalled = beside(db, cache, world, event, scopes, session)
    session.save()
    return faults + late + changes + recalled


def _changed(
    cache: _sqlite3.Connection,
    world: World,
    place: Place,
    session: Session,
) -> tuple[list[Row], list[str]]:
    """Notes that others changed since the session was last told, and what is wrong with the heads of those
    that it changed itself; once."""
    now, seen = generation_of(cache), session.record.generation
    is_owed = session.record.owed_since > 0
    if now == seen:
        return [], []
    session.saw(now)
    if is_owed and seen is None:  # there was nothing to begin with
        seen = 0
    # A session from before, or a cache that was built anew.
    if seen is None or now < seen:
        return [], []
    from ctxrepo.hooks.known.cache import changed_since
    from ctxrepo.hooks.session.session_writes import flawed, others

    general = world.general
    scopes = [general] if _is_late(place, session) else place.scopes(general)
    rows = changed_since(cache, scopes, seen)
    new = others(cache, rows, session)
    flaws = flawed(cache, [row[0] for row in rows if row not in new])
    return new if is_owed or gives(world, "changes") else [], flaws


def _flaws(world: World, flaws: list[str]) -> str:
    if not flaws:
        return ""
    from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

    return seal(fault_section(flaws, FAULT_ROOM), world.secret)


def _changes(world: World, rows: list[Row]) -> str:
    """Index lines of changed notes."""
    if not rows or not gives(world, "changes"):
        return ""
    from ctxrepo.hooks.packet.sections import change_section

    room = CHANGES_ROOM - OVERHEAD
    return seal(change_section(_CHANGES, rows, today(), room), world.secret)


def _is_late(place: Place, session: Session) -> bool:
    return session.record.project == "?" and place.is_known


def _ask_the_worker(
    db: _sqlite3.Connection,
    world: World,
    event: Event,
    session: Session,
) -> None:
    """Have it found out which project this is; once, until there is a reason to think that it would be found.

    A worker that is awake anyway, as at each turn's end, looks again.
    """
    looks = looks_of(db, event.cwd)
    if looks == session.record.sought:
        return
    from ctxrepo.hooks.session.spool import spool

    session.sought(looks)
    session.save()
    if spool(db, world.folder, "prompt", event):
        _wake(world)


def _catch_up(
    db: _sqlite3.Connection,
    cache: _sqlite3.Connection | None,
    world: World,
    event: Event,
) -> tuple[_sqlite3.Connection | None, Place]:
    """Cache and place once the worker has looked at what was changed. What takes it longer comes with the
    next prompt."""
    from ctxrepo.hooks.known import look
    from ctxrepo.hooks.session.spool import spool

    is_left = spool(db, world.folder, "prompt", event)
    since = time.time()  # a round of the worker that began before may not have read that line
    is_awake = _wake(world)
    if cache is not None:
        cache.close()
    patience = look.PATIENCE if is_left and is_awake else 0.0
    return look.look(db, world, event.cwd, since, patience)[:2]


def _wake(world: World) -> bool:
    from ctxrepo.hooks.files.daemon import start_worker

    return start_worker(world.interpreter, world.state, world.folder)
