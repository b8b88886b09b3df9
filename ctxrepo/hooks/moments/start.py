"""A session starts: the hook delivers the packet and wakes the worker; where there is something new, it wakes
it first and waits briefly.

An agent that isn't given its packet at a start comes here with the first prompt (moments/first_prompt.py)."""

import _sqlite3
import time

from ctxrepo.domain.text import seal, size
from ctxrepo.hooks.dialect import WITH_PROMPT, Dialect, Event
from ctxrepo.hooks.known.cached import generation_of
from ctxrepo.hooks.known.freshness import WORKER_SECONDS, open_when_current
from ctxrepo.hooks.known.locate import Place, SessionFolder
from ctxrepo.hooks.known.world import World, gives, is_in_system_prompt
from ctxrepo.hooks.moments.claim import claim_block
from ctxrepo.hooks.own_files import age_of
from ctxrepo.hooks.packet.sections import fault_block
from ctxrepo.hooks.session.ledger_words import ASKED, BRIDGE, GENERATION, OWED, PACKET, PROJECT, SessionRecord
from ctxrepo.hooks.session.session import Session
from ctxrepo.hooks.wakeup import spool, wake


class _WorkerStart:
    """Starts the worker at the first call of `start`, and only once. A hook that doesn't wait for the worker
    starts it last: on two hardware threads of one core the worker would slow the hook down."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._is_started: bool | None = None

    def start(self) -> bool:
        """False where none can work."""
        if self._is_started is None:
            self._is_started = wake(self._world)
        return self._is_started


class PacketRequest:
    """The packet that a session is to be given."""

    def __init__(self, session: Session, asked: list[str], since: float, budget: int) -> None:
        self.session = session
        self.asked = asked
        """What prompts before a compaction were about: the session is given again what they recall."""
        self.since = since
        """A round of the worker that began after this time has read that the session began."""
        self.budget = budget
        """The most bytes."""
        self.receipt = ""
        """What the user may be shown of it, once it is there."""


def answer(db: _sqlite3.Connection, world: World, dialect: Dialect, event: Event) -> tuple[str, str]:
    """The packet, and a line about it for the user; '' where the session holds one already, or is given it
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
            return "", ""
        # A system prompt is made anew at each start; a conversation that goes on holds what it was given.
        goes_on = event.source in ("resume", "fork") and not is_in_system_prompt(world)
        if goes_on and event.source == "fork":
            return "", ""
        if goes_on and (dialect.keeps_start or _has_packet(before)):
            return "" if before.is_off or event.silence_reason else before.packet, ""
        asked = before.asked if event.source == "compact" else []
        request = PacketRequest(session, asked, since, _budget(world, event))
        text = _packet(db, world, event, request, worker)
        if text and not dialect.keeps_start:
            session.note(PACKET, text)
            session.save()
        return text, request.receipt if event.source != "compact" else ""
    finally:
        worker.start()


def packet_with_prompt(
    db: _sqlite3.Connection, world: World, event: Event, session: Session, asked: list[str], room: int
) -> str:
    """The packet, of at most `room` bytes, of a session that wasn't given it at its start. `asked` is what
    its prompts were about before a compaction."""
    since = session.record.began or time.time()
    request = PacketRequest(session, asked, since, min(room, _budget(world, event)))
    return _packet(db, world, event, request, _WorkerStart(world))


def _budget(world: World, event: Event) -> int:
    """The most bytes of the session's packet."""
    if not (world.preset and event.own):
        return world.packet_budget
    from ctxrepo.hooks.packet.presets import budget_beside

    return budget_beside(world, event.own)


def _may_follow_another(world: World, event: Event, before: SessionRecord) -> bool:
    """Whether it may be told of the session before. An agent may call this hook while a session goes on."""
    if event.source in ("clear", "compact") or world.of_tape("bridge_seconds", event.agent) in ("", "0"):
        return False
    return not before.began or event.source in ("resume", "fork")


def _has_packet(record: SessionRecord) -> bool:
    """Whether the session was given its packet: at its start, or with a prompt or a tool call since."""
    return bool(record.packet) or record.is_compacted or record.project is not None


def _packet(
    db: _sqlite3.Connection, world: World, event: Event, request: PacketRequest, worker: _WorkerStart
) -> str:
    """What the session is given."""
    session, asked = request.session, request.asked
    if session.record.is_off or event.silence_reason:
        return ""
    folder = SessionFolder(event.cwd)
    cache, place, is_owed = _catch_up(db, world, folder, request.since, worker)
    text, is_withheld = claim_block(db, world, folder, event.session, silence="")  # silence returned above
    if not is_withheld:
        if asked and (not gives(world, "recall") or _is_recall_off(world)):
            asked = []
        text += _text(cache, world, place, session, asked, request.budget - size(text))
        if is_owed:
            session.note(OWED, request.since)
        for words in asked:
            session.note(ASKED, words)
        request.receipt = _receipt(cache, world, place) if text and cache is not None else ""
    if cache is not None:
        cache.close()
    session.note(PROJECT, place.folder if place.is_known and not is_withheld else "?")
    session.save()
    return text


def _receipt(cache: _sqlite3.Connection, world: World, place: Place) -> str:
    """What the session was given, and from when, in a line for the user; '' where nobody wants one."""
    if not (world.gives_receipt and gives(world, "packet")):
        return ""
    query = "select name, notes from scope where name in (?, ?) and notes order by name = ?"
    notes = cache.execute(query, (place.folder, world.global_folder, world.global_folder)).fetchall()
    counts = " and ".join(f"{count} note{'s' * (count != 1)} in {name}/" for name, count in notes)
    age = age_of(f"{world.repo.state}/fetched")
    minutes = int(age // 60) if age < 1e9 else -1
    when = "" if minutes < 0 else "; last exchange with the remote " + _ago(minutes)
    return f"ctxrepo: this session knows {counts}{when}" if counts else ""


def _ago(minutes: int) -> str:
    for unit, most in ((1440, "d"), (60, "h"), (1, "min")):
        if minutes >= unit:
            return f"{minutes // unit} {most} ago"
    return "just now"


def _catch_up(
    db: _sqlite3.Connection, world: World, folder: SessionFolder, since: float, worker: _WorkerStart
) -> tuple[_sqlite3.Connection | None, Place, bool]:
    """The cache, the place, and whether the session is owed what the worker didn't bring in time. Waits for
    the worker only where there is something new, and a packet to show it in."""
    is_wanted = world.fetches_at_start and world.delivery.fetches_at_start
    is_due = is_wanted and age_of(f"{world.repo.state}/fetched") > world.ttl
    cache, place, is_final = open_when_current(db, world, folder, since, 0.0, is_due)
    if (is_final and place.is_known) or not gives(world, "packet") or not worker.start():
        return cache, place, False
    if cache is not None:
        cache.close()
    cache, place, is_final = open_when_current(db, world, folder, since, WORKER_SECONDS, is_due)
    return cache, place, not is_final


def _text(
    cache: _sqlite3.Connection | None,
    world: World,
    place: Place,
    session: Session,
    asked: list[str],
    budget: int,
) -> str:
    """The packet, or what the mode gives in its place, noted in the ledger."""
    if not gives(world, "packet"):
        return _without_packet(cache, world, place, session)
    from ctxrepo.hooks.packet.packet import render

    packet = render(cache, world, place, budget, session.record.faults, asked)
    packet.note(session)
    return packet.text


def _without_packet(cache: _sqlite3.Connection | None, world: World, place: Place, session: Session) -> str:
    """The preamble, where the mode gives it, and a block of new faults; without a cache the preamble alone.

    Where the packet stands in the system prompt or in a file, the ledger notes what the session sees there.
    """
    from ctxrepo.hooks.packet.packet import PREAMBLE, fill_in, render

    text = ""
    if gives(world, "preamble") and world.gives_preamble:
        text = seal("", world.secret, fill_in(PREAMBLE, place, world.instructions, has_index=False))
    if cache is None:
        return text
    try:
        session.note(GENERATION, generation_of(cache))
        if world.mode in ("system", "file"):
            # The session sees the packet all the time: no prompt needs to be given what stands whole in it.
            session.note_given(render(cache, world, place, world.budget).entries)
        if faults := session.untold_faults(cache):
            text += fault_block(faults, world.secret, session)
    except _sqlite3.Error:
        pass
    return text


def _is_recall_off(world: World) -> bool:
    from ctxrepo.hooks.moments.prompt_parts import switches, why_recall_is_off

    return bool(why_recall_is_off(world, switches()))
