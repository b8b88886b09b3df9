"""The anchors on the tapes are read: the tape of a scope, its newest handoff, and what a session left."""

from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from time import time

from ctxrepo.agents.known import anchors_file_writer
from ctxrepo.domain.formats.moment import month
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import CHECKLIST, TAPES, tape_folder, tapes_of
from ctxrepo.domain.tape.anchors import GATHERED, Anchor, Tape, anchors_of, in_order, tape_of
from ctxrepo.domain.tape.handoff_parts import handoff_of, one_line
from ctxrepo.domain.working.checklist import items_of
from ctxrepo.errors import NotFound
from ctxrepo.storage.cache.layout import NewestHandoff
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.sessions.local_tape import LocalTape

BY_ITSELF = GATHERED
"""What triggers the handoff that no command asked for, and the name of that operation."""

MOMENT = "session"
"""The name of the operation that says on a tape what happened to a session, which no command asked for."""

_OPEN = "Open: "
"""So begins a line of a handoff about an item of the checklist."""

_MOST_COMMITS = 50
"""So many commits are searched for the checklist as it was at a handoff."""

_MOST_TOLD = 1000
"""Characters of a summary that are told: one that another machine left may have more."""


def newest_handoff(memory: Memory, tree: str | None, folder: str) -> Anchor | None:
    """The last handoff of a scope, in a tree or on this machine. One that says something comes before a bare
    one, one left on purpose before what was gathered; what was deleted from the anchors file doesn't
    count."""
    objects = memory.objects
    tapes = {path: key for path, key in objects.below(tree, TAPES).items() if tape_folder(path) == folder}
    texts = {path: decode(objects.data(key)) for path, key in tapes.items() if not objects.is_large(key)}
    local = LocalTape(memory.state).handoffs(folder)
    return tape_of(texts, folder, local, anchors_file_writer(), time()).newest_handoff


def tape_here(memory: Memory, folder: str) -> Tape:
    """The tape of a scope as the files have it now, with the anchors that stay on this machine."""
    local = LocalTape(memory.state).anchors(folder)
    return tape_of(tape_files(memory, folder), folder, local, anchors_file_writer(), time())


def tape_files(memory: Memory, folder: str) -> dict[str, str]:
    """path -> text of the files of a scope's tape that can be read; what is archived is not among them."""
    paths = [path for path in memory.worktree.scan(TAPES).files if tape_folder(path) == folder]
    read = ((path, memory.worktree.read(path)) for path in paths)
    return {path: decode(data) for path, data in read if data is not None}


def unread_tapes(memory: Memory, folder: str) -> dict[str, str]:
    """path -> why, of what is in the place of a tape's file and is never read."""
    skipped = memory.worktree.scan(TAPES).skipped
    return {path: why for path, why in skipped.items() if tape_folder(path) == folder}


def left_handoff(memory: Memory, folder: str) -> Anchor:
    """The handoff that the next session of a scope is given, by its folder; NotFound when none was left."""
    handoff = newest_handoff(memory, memory.objects.tree_of(memory.head), folder)
    if handoff is None:
        raise NotFound(f"no handoff was left for {folder}/", "`ctxrepo handoff` leaves one.")
    return handoff


def handoffs_left(
    memory: Memory, folder: str, session: str, now: datetime, *others: str
) -> tuple[Anchor, ...]:
    """The handoffs that a session left on this machine this month and the last, oldest first; `others` are
    further files of the memory that may have some."""
    first = now.astimezone(UTC).replace(day=1)
    months = dict.fromkeys((month(first - timedelta(days=1)), month(first)))
    tapes = [f"{tapes_of(folder)}/{memory.host}-{name}" for name in months]
    paths = [p for p in memory.worktree.scan(tapes_of(folder)).files if p.startswith(tuple(tapes))]
    texts = [decode(memory.worktree.read(path) or b"") for path in (*paths, *others)]
    local = LocalTape(memory.state).handoffs(folder)
    anchors = {a.id: a for a in (*(a for text in texts for a in anchors_of(text)), *local)}
    handoffs = [a for a in anchors.values() if a.session_id == session and a.type == "handoff"]
    return in_order(handoffs, now.timestamp())


def handoff_text(anchor: Anchor) -> str:
    """What the next session is told of a handoff: what it hands over, else its summary, and its purpose."""
    summary = anchor.summary[:_MOST_TOLD]
    lines = [handoff_of(anchor.meta).text or summary, f"purpose: {one_line(anchor.purpose)}"]
    return "\n".join(line for line in lines if line and line != "purpose: ") or anchor.name


def told_handoff(memory: Memory, tree: str | None, folder: str) -> NewestHandoff:
    """What the sessions of a scope are told of its newest handoff, without what was done since."""
    if not (newest := newest_handoff(memory, tree, folder)):
        return NewestHandoff(folder)  # the tape was moved with its project, or deleted
    lines = handoff_text(newest).split("\n")
    if any(line.startswith(_OPEN) for line in lines):
        items = _done_since(memory, tree, f"{folder}/{CHECKLIST}", newest.moment)
        lines = [line for line in lines if not (line.startswith(_OPEN) and line.removeprefix(_OPEN) in items)]
    return NewestHandoff(folder, newest.name, newest.timestamp, "\n".join(lines))


def _done_since(memory: Memory, tree: str | None, path: str, moment: float) -> set[str]:
    """The items that the checklist at `path` had at a moment and that aren't open on it any more: they may
    have been cleared, and what somebody adds to a handoff was never on it."""
    objects, keys = memory.objects, set[Key | None]()
    for commit in islice(objects.recent(memory.head), _MOST_COMMITS) if memory.head else ():
        keys.add(objects.files(objects.tree_of(commit), [path]).get(path))
        if objects.header_of(commit).when.timestamp() <= moment:
            break
    before: list[str | None] = [decode(objects.data_or_empty(key)) for key in keys if key]
    for operation in takewhile(lambda operation: operation.op != "anchor", memory.done_log.newest()):
        before += [write.before for write in operation.writes if write.path == path]  # in no commit
    here = objects.find(tree, path) or b""
    is_open = {one_line(item.text) for item in items_of(path, decode(here)) if not item.is_done}
    return {one_line(item.text) for text in before if text for item in items_of(path, text)} - is_open
