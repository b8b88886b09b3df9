"""The anchors on the tapes are read: the newest handoff of a scope, and what a session left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.formats.moment import month
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, pi_tape, tape_folder, tapes_of
from ctxrepo.domain.tape.anchor import Anchor, anchors_of
from ctxrepo.domain.tape.handoff import handoff_of, told
from ctxrepo.errors import NotFound
from ctxrepo.services.locate.project import Project
from ctxrepo.services.reading.find import scope_named
from ctxrepo.storage.memory import Memory

BY_ITSELF = "compaction"
"""What triggers the handoff that no command asked for, and the name of that operation."""


def newest_handoff(memory: Memory, tree: str | None, folder: str) -> Anchor | None:
    """The last handoff left for a scope, as a tree has it; one that says something comes before a bare one,
    and one that was left on purpose before what was gathered of the same session. What was deleted from
    pi-memory-md's tape is gone from ours too."""
    objects = memory.objects
    tapes = {path: key for path, key in objects.below(tree, TAPES).items() if tape_folder(path) == folder}
    return _newest(
        {path: anchors_of(decode(objects.data_or_empty(key))) for path, key in tapes.items()}, folder
    )


def newest_here(memory: Memory, folder: str) -> Anchor | None:
    """The same as the files have it now."""
    tapes = [path for path in memory.worktree.scan(TAPES).files if tape_folder(path) == folder]
    return _newest({p: anchors_of(decode(memory.worktree.read(p) or b"")) for p in tapes}, folder)


def _newest(anchors: Mapping[str, Sequence[Anchor]], folder: str) -> Anchor | None:
    on_pi = {a.id for a in anchors.get(pi_tape(folder), ())}
    still = (a for there in anchors.values() for a in there if a.id in on_pi or not a.is_on_pi)
    found = [a for a in still if a.type == "handoff"]
    newest = max(found, key=_by_weight, default=None)
    meant = [a for a in found if newest and a.session_id == newest.session_id and not _is_gathered(a)]
    return max(filter(_says_something, meant), key=_by_weight, default=newest)


def _by_weight(anchor: Anchor) -> tuple[bool, str, str]:
    return _says_something(anchor), anchor.timestamp, anchor.id


def _is_gathered(anchor: Anchor) -> bool:
    return text_of(anchor.meta, "trigger") == BY_ITSELF


def left_handoff(memory: Memory, scope: str, project: Project | None) -> Anchor:
    """The handoff that the next session of a scope is told; NotFound when none was left."""
    folder = scope_named(memory, scope, project).folder
    head = memory.head
    found = newest_handoff(memory, memory.objects.tree_of(head), folder)
    if found is None:
        raise NotFound(f"no handoff was left for {folder}/", "`ctxrepo handoff` leaves one.")
    return found


def anchor_names(memory: Memory, folder: str, session: str, now: datetime) -> list[str]:
    """The names of the anchors that a session left on this machine this month and the last, oldest first."""
    first = now.astimezone(UTC).replace(day=1)
    months = dict.fromkeys((month(first - timedelta(days=1)), month(first)))
    tapes = [f"{tapes_of(folder)}/{memory.host}-{name}" for name in months]
    paths = [p for p in memory.worktree.scan(tapes_of(folder)).files if p.startswith(tuple(tapes))]
    texts = [decode(memory.worktree.read(path) or b"") for path in paths]
    found = sorted((a for text in texts for a in anchors_of(text)), key=lambda a: a.timestamp)
    return [a.name for a in found if a.session_id == session]


def handoff_text(anchor: Anchor) -> str:
    """What the next session is told of a handoff: what it hands over, else its summary, and its purpose."""
    said = [told(handoff_of(anchor.meta)) or anchor.summary, f"purpose: {text_of(anchor.meta, 'purpose')}"]
    return "\n".join(line for line in said if line and line != "purpose: ") or anchor.name


def _says_something(anchor: Anchor) -> bool:
    return bool(anchor.summary) or handoff_of(anchor.meta).says_something
