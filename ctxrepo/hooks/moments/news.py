"""What a prompt tells of memory that is new: what others changed, and what came too late for the start.

Too late may come the session's project, its handoff and a MEMORY.md, which the start shows when it can."""

from ctxrepo.domain.text import SHORT_OVERHEAD, seal_shortly, size
from ctxrepo.hooks.known.cached import last_round_of
from ctxrepo.hooks.known.locate import folders_of
from ctxrepo.hooks.known.packet_rows import IndexRow, changed_since, handoff_of
from ctxrepo.hooks.known.world import gives
from ctxrepo.hooks.own_files import today
from ctxrepo.hooks.session.ledger_words import HANDOFF, OWED, PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:  # the prompt has loaded it, and hands itself in
    from ctxrepo.hooks.moments.prompt_parts import Prompt

CHANGES_ROOM = 1024
_CHANGES = "## Notes that changed since this session began\n"
_MEMORY = "/MEMORY.md"


def news_blocks(prompt: "Prompt", since: int | None, room: int) -> str:
    """Flaws in heads that the session wrote, what it is owed since its start, and index lines of other notes
    that changed: a block each, of at most `room` bytes together. `since` is the generation of the cache up to
    which it was told before; None where nothing has changed."""
    rows, flaws = ([], "") if since is None else _changes(prompt, since)
    room = min(room, prompt.world.packet_budget - prompt.world.recall_bytes) - size(flaws)
    project = _project_block(prompt, room)
    memory, paths = _memory_block(prompt, rows, room - size(project))
    handoff = _handoff_block(prompt, is_in_packet=bool(project))
    changes = _changes_block(prompt, [row for row in rows if row.path not in paths])
    return flaws + project + memory + handoff + changes


def _changes(prompt: "Prompt", since: int) -> tuple[list[IndexRow], str]:
    """(the notes that others changed after this generation of the cache, a block of the flaws in heads of
    those that the session changed itself)."""
    # A project that came late is shown as a whole, so only the global scope can have changes to tell.
    scopes = prompt.place.scopes[:1] if prompt.is_project_late else prompt.place.scopes
    rows = changed_since(prompt.cache, folders_of(scopes), since)
    of_others = prompt.session.changed_by_others(prompt.cache, rows)
    flaws = prompt.session.untold_flaws(prompt.cache, [row.path for row in rows if row not in of_others])
    if not flaws:
        return of_others, ""
    from ctxrepo.hooks.packet.sections import FAULT_ROOM, fault_section

    return of_others, seal_shortly(fault_section(flaws, FAULT_ROOM), prompt.world.secret)


def _changes_block(prompt: "Prompt", rows: list[IndexRow]) -> str:
    """Index lines of the notes that others changed."""
    if not rows or not gives(prompt.world, "changes"):
        return ""
    from ctxrepo.hooks.packet.sections import change_section

    section = change_section(_CHANGES, rows, today(), CHANGES_ROOM - SHORT_OVERHEAD)
    return seal_shortly(section, prompt.world.secret)


def _project_block(prompt: "Prompt", room: int) -> str:
    """The project's part of the packet, where the project became known only after the session's start."""
    place, world = prompt.place, prompt.world
    if not prompt.is_project_late:
        return ""
    prompt.session.note(PROJECT, place.folder)
    if not place.folder or not gives(world, "packet"):
        return ""
    from ctxrepo.hooks.packet.packet import render_late

    text, entries = render_late(prompt.cache, world, place, room, prompt.session.record.entries)
    prompt.session.note_given(entries)
    return text


def _memory_block(prompt: "Prompt", rows: list[IndexRow], room: int) -> tuple[str, set[str]]:
    """(each changed MEMORY.md that the session is owed, the paths of those notes); `rows` are the changes."""
    owed_since = prompt.session.record.owed_since
    if not owed_since:
        return "", set()
    paths = {row.path for row in rows}
    scopes = [scope for scope in prompt.place.scopes if scope.folder + _MEMORY in paths]
    text, entries = "", dict[str, str]()
    if scopes:
        from ctxrepo.hooks.packet.packet import render_memory

        text, entries = render_memory(prompt.cache, prompt.world, scopes, room)
    if last_round_of(prompt.cache) >= owed_since:
        prompt.session.note(OWED, 0)
    prompt.session.note_given(entries)
    return text, {scope.folder + _MEMORY for scope in scopes} if text else set()


def _handoff_block(prompt: "Prompt", *, is_in_packet: bool) -> str:
    """A handoff that came after the start's wait, at the first prompt only: a later one is for the next
    session. With `is_in_packet` the late part of the packet shows it already."""
    began_with = prompt.session.record.handoff
    if not began_with:
        return ""
    prompt.session.note(HANDOFF, "")
    if is_in_packet or not gives(prompt.world, "packet"):
        return ""

    *_, nearest = prompt.place.scopes
    handoff = handoff_of(prompt.cache, nearest.folder)
    if handoff is None or handoff.ts == began_with:
        return ""
    from ctxrepo.hooks.packet.sections import HANDOFF_ROOM, handoff_section

    return seal_shortly(handoff_section(handoff, HANDOFF_ROOM), prompt.world.secret)
