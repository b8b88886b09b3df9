"""The version of a note or entry that is to be brought back, and where its note is by now."""

from contextlib import suppress

from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode_exactly
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.project.target import Target, ids_meant
from ctxrepo.domain.records.evidence import renamed
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import TargetHistory, commit_named
from ctxrepo.services.history.versions import PastPlace, follow, whereabouts
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import places_of
from ctxrepo.services.reading.marks import evidence_now
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Bygone:
    """The note at `path` as it was, and the entry of it that is meant, if one is; `now` is its path by now,
    or its last one."""

    path: str
    text: str
    now: str
    entry: Entry | None = None
    is_gone: bool = True
    """Whether no note is at `now`."""


def bygone(memory: Memory, target: Target, project: Project | None, start: str = "") -> Bygone:
    """What the target names as it was last, or in the commit whose id begins with `start`. What no commit
    held is found among the last operations. NotFound where no version is known."""
    try:
        past = TargetHistory(memory, target, project)
    except NotFound as missing:
        with suppress(NotFound):
            return _uncommitted(memory, target, project, start)
        raise missing
    place = _last_of_entry(past) if past.entry and not start else None
    place = past.place_at(commit_named(memory, start)) if start else place
    if place is None and past.entry:
        return _uncommitted(memory, target, project, start)
    asked = place.path if place else past.path
    path, last = whereabouts(memory, asked)
    if place is None and last is not None and (removed := _as_removed(memory, last.path)):
        return removed
    place = place or last or PastPlace(path, memory.objects.key_at(str(memory.head_tree), path))
    text = decode_exactly(memory.objects.data_or_empty(place.key or ""))
    entry = past.entry.at(place) if past.entry else None
    return Bygone(place.path, text, path, entry, is_gone=last is not None)


def former_path(memory: Memory, path: str) -> str:
    """Where a note was before a command moved it to `path`, '' when none did."""
    return next(reversed(renamed(evidence_now(memory)).get(path, [])), "")


def before_last_change(memory: Memory, target: Target, project: Project | None) -> str:
    """The commit before the one that changed the target last, '' when there is none."""
    step = next((s for s in TargetHistory(memory, target, project).steps() if s.is_version), None)
    parents = memory.objects.parents(step.commit) if step else []
    return parents[0] if parents else ""


def _last_of_entry(past: TargetHistory) -> PastPlace | None:
    """The last version of a note that has the entry under the very id that was asked for."""
    for place in past.places():
        entry = past.entry.at(place) if past.entry else None
        if entry is not None and entry.id == past.id:
            return place
    return None


def _as_removed(memory: Memory, path: str) -> Bygone | None:
    """The note as a command found it that removed it; what it wrote shortly before may be in no commit."""
    tip = memory.head
    assert tip is not None  # the note was in it
    removal = next((s for s in follow(memory.objects, tip, path) if s.now.key is None and s.is_version), None)
    for operation in memory.done_log.newest():
        for write in operation.writes if removal and operation.commit == removal.commit else ():
            if write.path == path and write.after is None and write.before is not None:
                return Bygone(path, write.before, path)
    return None


def _uncommitted(memory: Memory, target: Target, project: Project | None, start: str) -> Bygone:
    if start:
        raise NotFound("no commit ever had it", "`ctxrepo history` shows what happened.")
    paths = [] if target.entry_id else places_of(memory, target, project)[1]
    for operation in memory.done_log.newest():
        for write in operation.writes:
            if not is_note(write.path) or not write.before:
                continue
            entries = {e.id: e for e in entries_of(write.path, write.before)}
            meant = ids_meant(target.entry_id or target.word, entries)
            if target.lines and write.path in paths:  # the place at which it was forgotten
                meant = [e.id for e in entries.values() if e.first_line == target.lines[0]]
            if write.path in paths and write.after is None:
                return Bygone(write.path, write.before, write.path)
            if len(meant) == 1 and meant[0] not in {e.id for e in entries_of(write.path, write.after or "")}:
                there = memory.worktree.exists(write.path)
                return Bygone(write.path, write.before, write.path, entries[meant[0]], is_gone=not there)
    raise NotFound(
        "no commit has it, and no recent command took it away", "`ctxrepo history` shows what happened."
    )
