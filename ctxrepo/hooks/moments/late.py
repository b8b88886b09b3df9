"""What came too late for a session's start comes with its next prompt: its project, handoff and MEMORY.md."""

import _sqlite3

from ctxrepo.domain.text.block import seal, size
from ctxrepo.hooks.known.cache import last_round_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.known.notes import IndexRow
from ctxrepo.hooks.session.session import Session

_BODY = "/MEMORY.md"


def late_parts(
    cache: _sqlite3.Connection,
    world: World,
    place: Place,
    session: Session,
    rows: list[IndexRow],
    taken: int,
) -> tuple[str, list[IndexRow]]:
    """What the session is owed, and those of the changed `rows` that still are to be told.

    `taken` bytes of the budget are used by other blocks, and the room of recall is left free.
    """
    record = session.record
    project = ""
    given: dict[str, str] = {}
    if record.project == "?" and place.is_known:
        session.note_project(place.folder)
        if place.folder and gives(world, "packet"):
            from ctxrepo.hooks.packet.render import render_late

            project, given = render_late(cache, world, place, _room(world, taken))
    bodies = ""
    if record.owed_since and (
        owed := [scope for scope in place.scopes if scope.folder + _BODY in [row.path for row in rows]]
    ):
        from ctxrepo.hooks.packet.render import render_bodies

        room = _room(world, taken + size(project))
        bodies, entries = render_bodies(cache, world, owed, room)
        given = given | entries
        rows = [row for row in rows if not bodies or row.path not in [scope.folder + _BODY for scope in owed]]
    if record.owed_since and last_round_of(cache) >= record.owed_since:
        session.note_owed(0)
    handoff = _handoff(cache, world, place, session, is_in_packet=bool(project))
    session.note_given(given)
    return project + bodies + handoff, rows


def _room(world: World, taken: int) -> int:
    from ctxrepo.hooks.packet.render import budget_of

    return budget_of(world) - taken - world.recall_bytes


def _handoff(
    cache: _sqlite3.Connection,
    world: World,
    place: Place,
    session: Session,
    *,
    is_in_packet: bool,
) -> str:
    """A handoff that came after the session began, because the remote answered later than a start waits.

    It is given with the first prompt only: a handoff that others leave later is for sessions that start
    later. With `is_in_packet` the project's late part of the packet tells it already.
    """
    began_with = session.record.handoff
    if not began_with:
        return ""
    session.note_handoff("")
    if is_in_packet or not gives(world, "packet"):
        return ""
    from ctxrepo.hooks.known.notes import handoff_of

    *_, nearest = place.scopes
    found = handoff_of(cache, nearest.folder)
    if found is None or found.ts == began_with:
        return ""
    from ctxrepo.hooks.packet.sections import HANDOFF_ROOM, handoff_section

    return seal(handoff_section(found, HANDOFF_ROOM), world.secret)
