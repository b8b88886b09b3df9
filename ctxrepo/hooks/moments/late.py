"""What came too late for a session's start comes with its next prompt: its project, handoff and MEMORY.md."""

import _sqlite3

from ctxrepo.domain.text.block import seal_shortly, size
from ctxrepo.hooks.known.cache import last_round_of
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Place, Scope
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.known.notes import IndexRow
from ctxrepo.hooks.session.ledger_words import HANDOFF, OWED, PROJECT
from ctxrepo.hooks.session.session import Session

_MEMORY = "/MEMORY.md"


def late_parts(
    cache: _sqlite3.Connection,
    world: World,
    place: Place,
    session: Session,
    rows: list[IndexRow],
    taken: int,
) -> tuple[str, list[IndexRow]]:
    """The blocks that the session is owed, noted in its ledger as given, and the changed `rows` that these
    blocks don't show.

    `taken` bytes of the budget are used by other blocks, and the room of recall is left free.
    """
    project, given = _project_part(cache, world, place, session, taken)
    memory = ""
    if session.record.owed_since:
        owed = _changed_memory(place.scopes, rows)
        if owed:
            from ctxrepo.hooks.packet.render import render_memory

            memory, entries = render_memory(cache, world, owed, _room(world, taken + size(project)))
            given = given | entries
        if memory:
            shown = [scope.folder + _MEMORY for scope in owed]
            rows = [row for row in rows if row.path not in shown]
        if last_round_of(cache) >= session.record.owed_since:
            session.note(OWED, 0)
    handoff = _handoff(cache, world, place, session, is_in_packet=bool(project))
    session.note_given(given)
    return project + memory + handoff, rows


def _project_part(
    cache: _sqlite3.Connection, world: World, place: Place, session: Session, taken: int
) -> tuple[str, dict[str, str]]:
    """The project's part of the packet and the entries in it (id -> hash), where the project became known
    only after the session's start."""
    if session.record.project != "?" or not place.is_known:
        return "", {}
    session.note(PROJECT, place.folder)
    if not place.folder or not gives(world, "packet"):
        return "", {}
    from ctxrepo.hooks.packet.render import render_late

    return render_late(cache, world, place, _room(world, taken))


def _changed_memory(scopes: list[Scope], rows: list[IndexRow]) -> list[Scope]:
    """The scopes whose MEMORY.md is among the changed rows."""
    changed = {row.path for row in rows}
    return [scope for scope in scopes if scope.folder + _MEMORY in changed]


def _room(world: World, taken: int) -> int:
    """Bytes that are free for a late block."""
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
    """A handoff that the fetch brought after the start had stopped waiting.

    It is looked for at the first prompt only: one that is left after that is for the next session. With
    `is_in_packet` the late part of the packet shows it already.
    """
    began_with = session.record.handoff
    if not began_with:
        return ""
    session.note(HANDOFF, "")
    if is_in_packet or not gives(world, "packet"):
        return ""
    from ctxrepo.hooks.known.notes import handoff_of

    *_, nearest = place.scopes
    found = handoff_of(cache, nearest.folder)
    if found is None or found.ts == began_with:
        return ""
    from ctxrepo.hooks.packet.sections import HANDOFF_ROOM, handoff_section

    return seal_shortly(handoff_section(found, HANDOFF_ROOM), world.secret)
