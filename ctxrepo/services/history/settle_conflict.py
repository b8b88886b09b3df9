"""Versions that lost a merge are settled by a person."""

from collections.abc import Collection
from dataclasses import field
from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.formats.plain_data import in_data
from ctxrepo.domain.merge.resolve import Keep, resolve_copy
from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.note import bump_updated, encoded
from ctxrepo.domain.project.layout import is_note, scope_of, shown
from ctxrepo.domain.records.conflict_copy import ConflictCopy
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.conflict_copies import Conflict, conflicts, find_conflict, is_out_of_reach
from ctxrepo.services.inbox.staging import require_person
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import record, record_edits
from ctxrepo.services.saving.write import Draft, drafting
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class Resolution:
    """What became of a version: the file it belongs to, and whether that was changed."""

    id: str
    path: str
    is_changed: bool = field(metadata=in_data("changed"))


def resolve(memory: Memory, name: str, keep: Keep, origin: Origin, now: datetime) -> Resolution:
    """Settle one version: it is dropped ('kept'), takes the place of what was kept, or is added to it. What
    is replaced or dropped is in a commit before it goes; the result survives a power cut. Refused where the
    file has changed so much that a person must look."""
    commit(memory, now)
    conflict = find_conflict(memory, name)
    copy = conflict.copy
    assert copy is not None  # find_conflict raises for those
    require_person(memory, origin.agent, [scope_of(copy.path)], f"conflict:{conflict.id}")
    if keep != "kept" and is_out_of_reach(copy.path):
        raise Refused(f"{shown(copy.path)} may not be written", "Only --keep kept is possible.")
    with drafting(memory, "resolve", origin, now) as draft:
        draft.saying = f"{keep} of {copy.path}"
        is_changed = keep != "kept" and _put_resolved(draft, copy, keep, conflict.id, now)
        _drop(draft, [conflict])
    return Resolution(conflict.id, copy.path, is_changed)


def drop_all(memory: Memory, origin: Origin, now: datetime) -> list[Resolution]:
    """Drop every version that can be read: what was kept holds."""
    commit(memory, now)
    versions = [c for c in conflicts(memory) if c.copy]
    scopes = [scope_of(c.copy.path) for c in versions if c.copy]
    require_person(memory, origin.agent, scopes, "what was kept aside")
    with drafting(memory, "resolve", origin, now) as draft:
        draft.saying = f"kept of {len(versions)} files"
        _drop(draft, versions)
    return [Resolution(c.id, c.copy.path, is_changed=False) for c in versions if c.copy]


def _put_resolved(draft: Draft, copy: ConflictCopy, keep: Keep, name: str, now: datetime) -> bool:
    before = draft.text(copy.path)
    after = resolve_copy(before, copy, keep, name)
    if after is None or after == before:
        return False
    if not copy.kept:
        _require_committed(draft, copy.path)
    elif is_note(copy.path):
        after = bump_updated(after, day(now))
    draft.put(copy.path, after)
    if is_note(copy.path):
        record_edits(draft, copy.path, before or "", now)
        if keep == "both":
            _record_both(draft, copy, before or "", now)
    return True


def _record_both(draft: Draft, copy: ConflictCopy, before: str, now: datetime) -> None:
    """Record that a person found both versions to hold, so that none of them is doubted for the other."""
    known = {entry.id for entry in entries_of(copy.path, before)}
    texts = {
        normalised(entry.text) for text in (copy.kept or before, copy.other) for entry in entries_of("", text)
    }
    for entry in entries_of(copy.path, draft.text(copy.path) or ""):
        if normalised(entry.text) in texts:
            if entry.id not in known:
                record(draft, "stated", entry.id, copy.path, now)
            record(draft, "verified", entry.id, copy.path, now)


def _drop(draft: Draft, versions: Collection[Conflict]) -> None:
    for conflict in versions:
        _require_committed(draft, conflict.file)
        draft.remove(conflict.file)


def _require_committed(draft: Draft, path: str) -> None:
    """Only what git has may be replaced or dropped."""
    if encoded(draft.text(path)) != draft.memory.objects.find(draft.memory.head_tree, path):
        hint = "`ctxrepo check` says what keeps them back."
        raise Refused(f"{path} has changes that no commit holds", hint)
