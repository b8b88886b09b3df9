"""Makes one commit of everything that was written since the last one, then checks the commit out.

Acknowledged writes are replayed from the write log, versions that agents overwrote are merged in, and edits
by hand are found in a snapshot of the files. What the write guard refuses is held back; the rest is
committed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from ctxrepo.domain.git.commit import message
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.note.note import encode
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.errors import Busy
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import note_made_here, require_ready
from ctxrepo.services.saving.accept import Accepted, Changes, accept
from ctxrepo.services.saving.committed import CommitResult, note_all_committed
from ctxrepo.services.saving.describe import describe, ways_back
from ctxrepo.services.saving.evidence import moved_evidence
from ctxrepo.services.saving.held import held_deletions
from ctxrepo.services.saving.pending import Version, fold, pending_edits
from ctxrepo.services.saving.refresh import refresh
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.writelog import Write
from ctxrepo.storage.worktree.replaced import LateWrite
from ctxrepo.storage.worktree.snapshot import Snapshot
from ctxrepo.storage.worktree.worktree import FileUpdate

_TRIES = 5
"""How often the branch may move while we commit, because a person commits by hand, before we give up."""


_Waiting = TypeVar("_Waiting", Write, LateWrite)


@dataclass(frozen=True)
class CommitRequest:
    """What to commit: the `versions` that agents left, and edits in the files in `only` (None: in all files).

    With `deletions` a person confirms deletions that would be held back as a mass deletion.
    """

    versions: Sequence[Version] = ()
    only: Collection[str] | None = None
    deletions: bool = False


ALL = CommitRequest()


def commit(memory: Memory, now: datetime, request: CommitRequest = ALL) -> CommitResult:
    """Commit what is pending, and make worktree, index and cache follow.

    RepositoryState when a person has not finished a merge or the like in the clone; Busy when another writer
    holds the lock for too long. Nothing is lost by either: files and write log keep what was written.
    """
    require_ready(memory)
    with memory.writing():
        return commit_locked(memory, now, request)


def commit_locked(memory: Memory, now: datetime, request: CommitRequest = ALL) -> CommitResult:
    """`commit` for a caller that holds the write lock."""
    with memory.building():
        return _commit(memory, now, request)


def _commit(memory: Memory, now: datetime, request: CommitRequest) -> CommitResult:
    memory.objects.reopen()
    so_far: CommitResult | None = None
    for _ in range(_TRIES):
        committed, late = _attempt(memory, now, request)
        if committed is None:
            continue
        so_far = _combined(so_far, committed) if so_far else committed
        if not late:
            if so_far.head:  # before the cut: after that only this list knows the writes
                memory.done_log.add(so_far.done, so_far.head)
            memory.writes.cut(so_far.done)
            refresh(memory, so_far.head, so_far.held, so_far.skipped)
            note_all_committed(memory, so_far)
            return so_far
    raise Busy("the branch kept moving while we were committing", "Run the command again.")


def _combined(before: CommitResult, committed: CommitResult) -> CommitResult:
    """The result of two attempts, where the second one committed late writes to files of the first."""
    return replace(
        committed,
        created=before.created or committed.created,
        conflict_copies=(*before.conflict_copies, *committed.conflict_copies),
        done=tuple(dict.fromkeys((*before.done, *committed.done))),
    )


def _attempt(
    memory: Memory, now: datetime, request: CommitRequest
) -> tuple[CommitResult | None, Sequence[LateWrite]]:
    """Try once: the result (None: the branch moved meanwhile), and late writes that need another attempt."""
    objects = memory.objects
    old = memory.head
    old_tree = objects.tree_of(old)
    # The run that made the newest commit may have been killed before it cut the log.
    left_by_kill = memory.writes.cut_committed(lambda commit: old is not None and objects.is_in(old, commit))
    if left_by_kill:
        memory.checkout.base_on({w.path: None if w.after is None else encode(w.after) for w in left_by_kill})
    writes, late = memory.writes.read(), memory.worktree.replaced.late_writes()
    versions = (*request.versions, *(_version(memory, one) for one in late))
    written = {w.path for w in writes} | {v.path for v in versions}
    only = None if request.only is None else written | {*request.only}
    snapshot = memory.checkout.snapshot(only, written, old_tree)
    memory.checkout.hide(snapshot)
    accepted = _accept(memory, snapshot, old_tree, writes, replace(request, versions=versions))
    accepted.changes |= moved_evidence(memory, accepted.changes, old_tree, now)
    hold = frozenset(r.path for r in accepted.held)
    done, done_late = _without_held(writes, snapshot, hold), _without_held(late, snapshot, hold)
    origins = _origins(memory, writes, versions)
    if held_late := [one for one in late if one.path in hold and not snapshot.is_out_of_reach(one.path)]:
        held_without_them = {r.path for r in _accept(memory, snapshot, old_tree, writes, request).held}
        done_late += _write_to_files(memory, [one for one in held_late if one.path not in held_without_them])
    new = old
    for changes in (*accepted.earlier, accepted.changes):
        new = _make_commit(memory, new, changes, origins, now, ways_back(writes))
    if new is not None and new != old:
        memory.writes.intend(new, done)
        if not objects.move_ref(memory.clone.branch_ref, new, old):
            return None, ()
        note_made_here(memory, new)
    memory.worktree.replaced.forget(done_late)  # before the checkout, which may find new ones
    tree = objects.tree_of(new)
    stamps = "" if snapshot.is_emptied else snapshot.disk.stamps
    snapshot, edited_meanwhile = _extend(memory, snapshot, accepted.changes.keys(), old_tree)
    new_late = check_out(memory, tree, snapshot, hold | edited_meanwhile) if tree else ()
    held, copies = tuple(accepted.held), tuple(accepted.conflict_copies)
    all_done = (*left_by_kill, *done)
    committed = CommitResult(new, new != old, held, copies, snapshot.skipped, all_done, stamps)
    return committed, _without_held(new_late, snapshot, hold)


def _accept(
    memory: Memory, snapshot: Snapshot, tree: str | None, writes: Sequence[Write], request: CommitRequest
) -> Accepted:
    """Which of the pending edits may go into a commit on top of `tree`."""
    edits = pending_edits(memory, snapshot, tree, writes, request.versions)
    head = memory.objects.files(tree, [e.path for e in edits])
    return accept(memory, edits, head, () if request.deletions else held_deletions(memory, edits, tree))


def _write_to_files(memory: Memory, late: Sequence[LateWrite]) -> list[LateWrite]:
    """Write late writes that the guard refuses to their files; returns those that are in their files now.

    A late write is not in its file, only in the old version that a program had open. A person who is to mend
    the file must see what is wrong with it, or it would be held back for ever.
    """
    worktree, shown = memory.worktree, set[str]()
    for path in {one.path for one in late}:
        found = worktree.read(path)
        data, copies = fold(path, found, [_version(memory, one) for one in late if one.path == path])
        worktree.write_all(dict(map(copy_as_file, copies)))
        old = None if found is None else blob_id(found)
        if not worktree.update_unchanged({path: FileUpdate(old, data)}):
            shown.add(path)
    return [one for one in late if one.path in shown]


def _without_held(all_: Iterable[_Waiting], snapshot: Snapshot, hold: Collection[str]) -> list[_Waiting]:
    """Drop writes to files that are held back or can't be read: they wait for a later commit."""
    return [one for one in all_ if one.path not in hold and not snapshot.is_out_of_reach(one.path)]


def _extend(
    memory: Memory, snapshot: Snapshot, paths: Set[str], old_tree: str | None
) -> tuple[Snapshot, frozenset[str]]:
    """The snapshot with all files that the commit changes, and those of the new ones that somebody edited."""
    known = snapshot.disk.only
    if known is None or paths <= known:
        return snapshot, frozenset()
    snapshot = memory.checkout.extend(snapshot, paths, old_tree)
    return snapshot, frozenset(memory.checkout.edited(snapshot, old_tree) - known)


def _version(memory: Memory, late: LateWrite) -> Version:
    base = memory.objects.data(late.base) if memory.objects.has(late.base) else None
    return Version(late.path, "", "", late.data, base)


def _make_commit(
    memory: Memory,
    old: str | None,
    changes: Changes,
    origins: Sequence[Origin],
    now: datetime,
    way_back: Mapping[str, str],
) -> str | None:
    """A commit of `changes` on top of `old`; `old` itself when they change nothing. `way_back` has
    the operation (`undo remember`) of each file that only goes back to what it was."""
    objects = memory.objects
    old_tree = objects.tree_of(old)
    keys = objects.store_files(changes)
    memory.guarded.update((path, key) for path, key in keys.items() if key)
    tree = objects.edit(old_tree, keys)
    if not changes or tree == old_tree:
        return old
    text = message(describe(memory, changes, objects.files(old_tree, changes), way_back), origins)
    return memory.make_commit(tree, [old] if old else [], text, now)


def check_out(
    memory: Memory, tree: str, snapshot: Snapshot, hold: Collection[str] = ()
) -> Sequence[LateWrite]:
    """Make files and index follow `tree`; returns what editors wrote to files while we replaced them."""
    late = memory.checkout.check_out(tree, snapshot, hold)
    memory.user_index.follow(tree)
    return late


def _origins(memory: Memory, writes: Sequence[Write], versions: Sequence[Version]) -> list[Origin]:
    """Who wrote, each once; only this machine for edits by hand."""
    who = [Origin(memory.host, w.session, w.agent, w.project) for w in writes]
    who += [Origin(memory.host, v.session, v.agent) for v in versions if v.agent]
    return list(dict.fromkeys(who)) or [Origin(memory.host)]
