"""What came too late for a session's start comes with its next prompt: its project, handoff and MEMORY.md."""

import _sqlite3

from ctxrepo.domain.text.block import seal, size
from ctxrepo.hooks.known.cache import Row, settled_of
from ctxrepo.hooks.known.compiled import number
from ctxrepo.hooks.known.locate import Place, scopes_at
from ctxrepo.hooks.known.mode import gives
from ctxrepo.hooks.session.ledger import Told, owes

_BODY = "/MEMORY.md"


def late_parts(
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    place: Place,
    agent: str,
    told: Told,
    rows: list[Row],
    taken: int,
    lines: list[str],
) -> tuple[str, dict[str, str], list[Row]]:
    """What is owed to the session, the entries in it (id -> hash), and the changed `rows` that are left to
    be told. `told` is what its ledger says.

    `taken` bytes are given to others. Recall comes after it, and has its room left. What the session's ledger
    is to note goes to `lines`.
    """
    scopes = scopes_at(place, settings.get("global", "global"))
    project = ""
    given: dict[str, str] = {}
    if told[3] == "?" and place[2]:
        lines.append(f"project {place[1]}")
        if place[1] and gives(settings, "packet"):
            from ctxrepo.hooks.packet.render import render_late

            project, given = render_late(cache, settings, place, _room(settings, agent, taken))
    bodies = ""
    if told[8] and (owed := [name for name in scopes if name + _BODY in [row[0] for row in rows]]):
        from ctxrepo.hooks.packet.render import render_bodies

        room = _room(settings, agent, taken + size(project))
        bodies, entries = render_bodies(cache, settings, owed, room)
        given = given | entries
        rows = [row for row in rows if not bodies or row[0] not in [name + _BODY for name in owed]]
    if told[8] and settled_of(cache) >= told[8]:
        lines.append(owes(0))
    handoff = _handoff(cache, settings, scopes, told, bool(project), lines)
    lines += [f"entry {key} {digest}" for key, digest in given.items()]
    return project + bodies + handoff, given, rows


def _room(settings: dict[str, str], agent: str, taken: int) -> int:
    from ctxrepo.hooks.packet.recalled import ROOM
    from ctxrepo.hooks.packet.render import budget_of

    return budget_of(settings, agent) - taken - number(settings, "recall_bytes", ROOM)


def _handoff(
    cache: _sqlite3.Connection,
    settings: dict[str, str],
    scopes: list[str],
    told: Told,
    is_told: bool,
    lines: list[str],
) -> str:
    """The handoff that came after the session began, when what the remote had took longer than a start waits.

    With its first prompt only: what others hand over later is for those who begin later.
    """
    if not told[5]:
        return ""
    lines.append("handoff ")
    if is_told or not gives(settings, "packet"):
        return ""
    from ctxrepo.hooks.known.cache import handoff_of

    found = handoff_of(cache, scopes[-1])
    if found is None or found[1] == told[5]:
        return ""
    from ctxrepo.hooks.packet.sections import HANDOFF_ROOM, handoff_section

    return seal(handoff_section(found, HANDOFF_ROOM), settings.get("secret", ""))
