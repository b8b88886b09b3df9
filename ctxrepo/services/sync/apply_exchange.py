"""Branch and files are brought to what an exchange made, with what was written meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from ctxrepo.errors import Busy
from ctxrepo.services.faults.bounds import note_own
from ctxrepo.services.saving.commit import CommitRequest, check_out, commit_locked
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.merge import MergedCommits
from ctxrepo.services.saving.refresh import refresh
from ctxrepo.storage.memory import Memory

Join = Callable[[str | None], MergedCommits | None]
"""Puts what was received together with the branch as it is by now; None when there is nothing at all."""


def follow(memory: Memory, received: str, join: Join, now: datetime) -> CommitResult:
    """Bring the branch to `join(branch)`, and the files that differ along.

    What was written while we spoke to the remote is committed first, so that no file on disk is ahead of
    the branch; only files that `received` changes are looked at for it.
    """
    objects, clone = memory.objects, memory.clone
    with memory.writing(), memory.building():
        committed = commit_locked(
            memory, now, CommitRequest(only=_differing(memory, clone.branch_ref, received))
        )
        both = join(committed.head)
        if both is None or both.commit == committed.head:
            return committed
        old_tree, tree = objects.tree_of(committed.head), objects.tree_of(both.commit)
        assert tree is not None
        snapshot = memory.checkout.snapshot(_on_disk(memory, objects.diff(old_tree, tree)), head=old_tree)
        if not objects.move_ref(clone.branch_ref, both.commit, committed.head):
            raise Busy("the branch moved while we were merging", "Run the command again.")
        note_own(memory, both.commit)
        # What was edited since the commit above stays as it is, for the next commit to merge.
        edited = memory.checkout.edited(snapshot, old_tree)
        late = check_out(memory, tree, snapshot, hold={r.path for r in committed.held} | edited)
        refresh(memory, both.commit, committed.held, committed.skipped)
        done = replace(
            committed, head=both.commit, conflict_copies=(*committed.conflict_copies, *both.conflict_copies)
        )
        return commit_locked(memory, now, CommitRequest(only=edited)) if late or edited else done


def _differing(memory: Memory, ref: str, received: str) -> set[str]:
    objects = memory.objects
    return _on_disk(memory, objects.diff(objects.tree_of(objects.ref(ref)), objects.tree_of(received)))


def _on_disk(memory: Memory, paths: Iterable[str]) -> set[str]:
    cone = memory.checkout.cone
    return {path for path in paths if cone is None or cone.holds(path)}
