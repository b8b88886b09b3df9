"""Finds deletions by hand that look like an accident: they are held back until a person confirms them."""

from __future__ import annotations

from collections.abc import Sequence

from ctxrepo.domain.guard import deletions
from ctxrepo.domain.guard.write import Refusal
from ctxrepo.services.saving.pending import PendingEdit, pending_edits
from ctxrepo.storage.memory import Memory


def held_deletions(memory: Memory, edits: Sequence[PendingEdit], tree: str | None) -> list[Refusal]:
    """Refusals for the edits that together delete more than is likely."""
    changed = {e.path: deletions.HandEdit(e.commanded, e.data) for e in edits}
    return deletions.mass_deletions(changed, lambda: len(memory.objects.files(tree)))


def lost_files(memory: Memory) -> set[str]:
    """Files that are gone, or have lost most of their text, and probably by accident."""
    tree = memory.head_tree
    snapshot = memory.checkout.snapshot(head=tree)
    if snapshot.is_emptied:
        gone = (path for path, (oid, _) in memory.checkout.differing(snapshot, tree).items() if oid is None)
        return {path for path in gone if not snapshot.is_out_of_reach(path)}
    edits = pending_edits(memory, snapshot, tree, memory.writes.read(), ())
    return {refusal.path for refusal in held_deletions(memory, edits, tree)}
