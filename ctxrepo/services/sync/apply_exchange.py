"""Moves the branch to the commit that an exchange made, and makes the files follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from ctxrepo.errors import Busy
from ctxrepo.services.faults.bounds import note_made_here
from ctxrepo.services.saving.commit import CommitRequest, check_out, commit_locked
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.merge import MergeResult
from ctxrepo.services.saving.refresh import refresh
from ctxrepo.storage.memory import Memory

Merge = Callable[[str | None], MergeResult | None]
"""Merges what was received into the commit that the branch is at by now; None when there is no commit."""


def apply_exchange(memory: Memory, received: str, merge: Merge, now: datetime) -> CommitResult:
    """Move the branch to `merge(branch)` and check out the files that differ.

    First commits what was written while we talked to the remote, so that no such file is ahead of the branch.
    Only files that `received` changes are read for this.
    """
    objects, clone = memory.objects, memory.clone
    with memory.writing(), memory.building():
        committed = commit_locked(
            memory, now, CommitRequest(only=_paths_that_differ(memory, clone.branch_ref, received))
        )
        merged = merge(committed.head)
        if merged is None or merged.commit == committed.head:
            return committed
        old_tree, tree = objects.tree_of(committed.head), objects.tree_of(merged.commit)
        assert tree is not None
        snapshot = memory.checkout.snapshot(_in_cone(memory, objects.diff(old_tree, tree)), head=old_tree)
        if not objects.move_ref(clone.branch_ref, merged.commit, committed.head):
            raise Busy("the branch moved while we were merging", "Run the command again.")
        note_made_here(memory, merged.commit)
        # Files that were edited since the commit above stay as they are; the next commit merges them.
        edited = memory.checkout.edited(snapshot, old_tree)
        late = check_out(memory, tree, snapshot, hold={r.path for r in committed.held} | edited)
        refresh(memory, merged.commit, committed.held, committed.skipped)
        done = replace(
            committed,
            head=merged.commit,
            conflict_copies=(*committed.conflict_copies, *merged.conflict_copies),
        )
        return commit_locked(memory, now, CommitRequest(only=edited)) if late or edited else done


def _paths_that_differ(memory: Memory, ref: str, received: str) -> set[str]:
    objects = memory.objects
    return _in_cone(memory, objects.diff(objects.tree_of(objects.ref(ref)), objects.tree_of(received)))


def _in_cone(memory: Memory, paths: Iterable[str]) -> set[str]:
    cone = memory.checkout.cone
    return {path for path in paths if cone is None or cone.holds(path)}
