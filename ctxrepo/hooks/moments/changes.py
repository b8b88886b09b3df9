"""What changed since a session was last told: notes of others, and flaws in heads that it wrote itself."""

import _sqlite3

from ctxrepo.domain.text.block import SHORT_OVERHEAD, seal_shortly
from ctxrepo.hooks.files.clock import today
from ctxrepo.hooks.known.compiled import World
from ctxrepo.hooks.known.locate import Scope, folders_of
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.known.notes import IndexRow, changed_since
from ctxrepo.hooks.session.session import Session, head_flaws

CHANGES_ROOM = 1024
_CHANGES = "## Notes that changed since this session began\n"


class Changes:
    """What a session is to be told of notes that changed."""

    __slots__ = ("flaws", "rows")

    def __init__(self, rows: list[IndexRow], flaws: list[str]) -> None:
        self.rows = rows
        """The notes that others changed."""
        self.flaws = flaws
        """What is wrong with the heads of those that the session changed itself, a line each."""

    def flaw_block(self, world: World) -> str:
        """The flaws, as faults are told."""
        if not self.flaws:
            return ""
        from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

        return seal_shortly(fault_section(self.flaws, FAULT_ROOM), world.secret)

    def index_block(self, world: World) -> str:
        """Index lines of the notes that others changed."""
        if not self.rows or not gives(world, "changes"):
            return ""
        from ctxrepo.hooks.packet.sections import change_section

        room = CHANGES_ROOM - SHORT_OVERHEAD
        return seal_shortly(change_section(_CHANGES, self.rows, today(), room), world.secret)


def changes_since(
    generation: int, cache: _sqlite3.Connection, world: World, scopes: list[Scope], session: Session
) -> Changes:
    """What changed in `scopes` after this generation of the cache, the last that the session was told of."""
    rows = changed_since(cache, folders_of(scopes), generation)
    new = session.changed_by_others(cache, rows)
    flaws = head_flaws(cache, [row.path for row in rows if row not in new])
    # A session that is owed something is given a changed MEMORY.md even where the mode gives no changes:
    # late_parts looks for it among these rows.
    is_wanted = session.record.owed_since > 0 or gives(world, "changes")
    return Changes(new if is_wanted else [], flaws)
