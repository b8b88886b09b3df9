"""Everything written since the last commit becomes one, and the files follow it.

What was acknowledged is replayed from the write log, what agents wrote over each other is folded in, what
people edited by hand is found by looking, what the write guard refuses is held back; the rest goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from ctxrepo.domain.git.commit import message
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.merge import copy_as_file
from ctxrepo.domain.note.note import encode
from ctxrepo.errors import Busy
from ctxrepo.services.faults.bounds import note_own, require_ready
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
"""How often the branch may move under us (a person committing by hand) before the next run takes over."""


_Written = TypeVar("_Written", Write, LateWrite)


@dataclass(frozen=True)
class CommitRequest:
    """What a commit shall take: versions that agents left, and where to look for edits (None: everywhere).

    `deletions` says that a person confirms what would be held back as a mass deletion.
    """

    versions: Sequence[Version] = ()
    only: Collection[str] | None = None
    deletions: bool = False


ALL = CommitRequest()


def commit(memory: Memory, now: datetime, wanted: CommitRequest = ALL) -> CommitResult:
    """Commit what is pending and bring worktree, index and cache up to date with it.

    RepositoryState when a person is in the middle of something in the clone; Busy after waiting for another
    writer. In both cases nothing is lost: what was written stays in files and write log.
    """
    require_ready(memory)
    with memory.writing():
        return commit_locked(memory, now, wanted)


def commit_locked(memory: Memory, now: datetime, wanted: CommitRequest = ALL) -> CommitResult:
    """`commit` for a caller that holds the write lock."""
    with memory.building():
        return _commit(memory, now, wanted)


def _commit(memory: Memory, now: datetime, wanted: CommitRequest) -> CommitResult:
    memory.objects.reopen()
    so_far: CommitResult | None = None
    for _ in range(_TRIES):
        committed, late = _attempt(memory, now, wanted)
        if committed is None:
            continue
        so_far = _together(so_far, committed) if so_far else committed
        if not late:
            if so_far.head:  # first: of what was cut nobody else knows
                memory.done.add(so_far.done, so_far.head)
            memory.writes.cut(so_far.done)
            refresh(memory, so_far.head, so_far.held, so_far.skipped)
            note_all_committed(memory, so_far)
            return so_far
    raise Busy("the branch kept moving while we were committing", "Run the command again.")


def _together(before: CommitResult, committed: CommitResult) -> CommitResult:
    """What two attempts came to, the second of which took what was late for the first."""
    return replace(
        committed,
        created=before.created or committed.created,
        conflict_copies=(*before.conflict_copies, *committed.conflict_copies),
        done=tuple(dict.fromkeys((*before.done, *committed.done))),
    )


def _attempt(
    memory: Memory, now: datetime, wanted: CommitRequest
) -> tuple[CommitResult | None, Sequence[LateWrite]]:
    """One try: None when the branch moved meanwhile, and what was written to files while we replaced them."""
    objects = memory.objects
    old = memory.head
    old_tree = objects.tree_of(old)
    settled = memory.writes.cut_committed(lambda commit: old is not None and objects.is_in(old, commit))
    if settled:
        memory.checkout.base_on({w.path: None if w.after is None else encode(w.after) for w in settled})
    writes, late = memory.writes.read(), memory.worktree.replaced.late_writes()
    versions = (*wanted.versions, *(_version(memory, one) for one in late))
    written = {w.path for w in writes} | {v.path for v in versions}
    only = None if wanted.only is None else written | {*wanted.only}
    snapshot = memory.checkout.snapshot(only, written, old_tree)
    memory.checkout.hide(snapshot)
    accepted = _accept(memory, snapshot, old_tree, writes, replace(wanted, versions=versions))
    accepted.changes |= moved_evidence(memory, accepted.changes, old_tree, now)
    hold = frozenset(r.path for r in accepted.held)
    done, come = _within_reach(writes, snapshot, hold), _within_reach(late, snapshot, hold)
    origins = _origins(memory, writes, versions)
    if waits := [one for one in late if one.path in hold and not snapshot.is_out_of_reach(one.path)]:
        apart = {r.path for r in _accept(memory, snapshot, old_tree, writes, wanted).held}
        come += _shown(memory, [one for one in waits if one.path not in apart])
    new = old
    for changes in (*accepted.earlier, accepted.changes):
        new = _make(memory, new, changes, origins, now, ways_back(writes))
    if new is not None and new != old:
        memory.writes.intend(new, done)
        if not objects.move_ref(memory.clone.branch_ref, new, old):
            return None, ()
        note_own(memory, new)
    memory.worktree.replaced.forget(come)  # before others come
    tree = objects.tree_of(new)
    stamps = "" if snapshot.is_emptied else snapshot.disk.stamps
    snapshot, unknown = _further(memory, snapshot, accepted.changes.keys(), old_tree)
    later = check_out(memory, tree, snapshot, hold | unknown) if tree else ()
    held, copies = tuple(accepted.held), tuple(accepted.conflict_copies)
    committed = CommitResult(new, new != old, held, copies, snapshot.skipped, (*settled, *done), stamps)
    return committed, _within_reach(later, snapshot, hold)


def _accept(
    memory: Memory, snapshot: Snapshot, tree: str | None, writes: Sequence[Write], wanted: CommitRequest
) -> Accepted:
    """What of all that is pending may go into a commit on top of a tree."""
    edits = pending_edits(memory, snapshot, tree, writes, wanted.versions)
    head = memory.objects.files(tree, [e.path for e in edits])
    return accept(memory, edits, head, () if wanted.deletions else held_deletions(memory, edits, tree))


def _shown(memory: Memory, late: Sequence[LateWrite]) -> list[LateWrite]:
    """Put into their files what alone is to blame that these are held back; returns what is there now.

    Whoever is to mend such a file would find nothing wrong in it otherwise, and it would be held for ever.
    """
    worktree, shown = memory.worktree, set[str]()
    for path in {one.path for one in late}:
        found = worktree.read(path)
        data, copies = fold(path, found, [_version(memory, one) for one in late if one.path == path])
        worktree.write_all(dict(map(copy_as_file, copies)))
        old = None if found is None else blob_id(found)
        if not worktree.adopt({path: FileUpdate(old, data)}):
            shown.add(path)
    return [one for one in late if one.path in shown]


def _within_reach(all_: Iterable[_Written], snapshot: Snapshot, hold: Collection[str]) -> list[_Written]:
    """Without what was written to files that are held back or can't be looked at: that waits."""
    return [one for one in all_ if one.path not in hold and not snapshot.is_out_of_reach(one.path)]


def _further(
    memory: Memory, snapshot: Snapshot, paths: Set[str], old_tree: str | None
) -> tuple[Snapshot, frozenset[str]]:
    """The look extended to all that the commit changes, and which of that somebody edited unseen."""
    known = snapshot.disk.only
    if known is None or paths <= known:
        return snapshot, frozenset()
    snapshot = memory.checkout.extend(snapshot, paths, old_tree)
    return snapshot, frozenset(memory.checkout.edited(snapshot, old_tree) - known)


def _version(memory: Memory, late: LateWrite) -> Version:
    base = memory.objects.data(late.base) if memory.objects.has(late.base) else None
    return Version(late.path, "", "", late.data, base)


def _make(
    memory: Memory,
    old: str | None,
    changes: Changes,
    origins: Sequence[Origin],
    now: datetime,
    back: Mapping[str, str],
) -> str | None:
    """A commit of `changes` on top of `old`; `old` itself when they change nothing. `back` says which of the
    files only go back to what they were."""
    objects = memory.objects
    old_tree = objects.tree_of(old)
    keys = objects.store_files(changes)
    memory.guarded.update((path, key) for path, key in keys.items() if key)
    tree = objects.edit(old_tree, keys)
    if not changes or tree == old_tree:
        return old
    said = message(describe(memory, changes, objects.files(old_tree, changes), back), origins)
    return memory.make_commit(tree, [old] if old else [], said, now)


def check_out(
    memory: Memory, tree: str, snapshot: Snapshot, hold: Collection[str] = ()
) -> Sequence[LateWrite]:
    """Make files and index follow `tree`; what an editor wrote to a file just then comes back."""
    late = memory.checkout.check_out(tree, snapshot, hold)
    memory.user_index.follow(tree)
    return late


def _origins(memory: Memory, writes: Sequence[Write], versions: Sequence[Version]) -> list[Origin]:
    """Who wrote, each once; this machine when it was by hand."""
    who = [Origin(memory.host, w.session, w.agent, w.project) for w in writes]
    who += [Origin(memory.host, v.session, v.agent) for v in versions if v.agent]
    return list(dict.fromkeys(who)) or [Origin(memory.host)]
