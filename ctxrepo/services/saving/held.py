"""What a person is to decide about: files that lost too much, and what the guard refuses, which must stand in
its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxrepo.domain.git.oid import blob_id_of
from ctxrepo.domain.guard.refusals import Refusal
from ctxrepo.domain.merge.fold import FoldedFile
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.save import LATE, Save
from ctxrepo.services.saving.accept import held_deletions, judge, refusals
from ctxrepo.services.saving.pending import Pending, find_pending, fold_all
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.worktree.worktree import FileUpdate


def show_held(
    memory: Memory, pending: Pending, folded: Sequence[FoldedFile], held: Sequence[Refusal], tree: str | None
) -> None:
    """Write what was folded to those of the files that are `held` back for something which isn't in them.

    A late write isn't in its file, nor is a version that another program has replaced, or a text that a
    command found and removed while others wrote to the file. Nobody could mend it there, and it would be held
    back for ever. The saves that brought it leave the journal once it is in the file.
    """
    reasons = {(refusal.path, refusal.rule) for refusal in held}
    paths = {path for path, _ in reasons}
    files = [file for file in folded if file.path in paths and file.path in pending.on_disk]
    if not files:
        return
    as_on_disk = [replace(file, data=pending.on_disk[file.path], conflict_copies=()) for file in files]
    refused = judge(memory, as_on_disk, tree).held + judge(memory, as_on_disk, tree, deletions=True).held
    mendable = {refusal.path for refusal in refused if (refusal.path, refusal.rule) in reasons}
    for file in files:
        if file.path not in mendable and _show(memory, file, pending.on_disk[file.path]):
            saves = (save for save in pending.saves if save.path == file.path and not save.is_command)
            memory.journal.take_out(save.place for save in saves if _is_done(memory, save, file))


def _show(memory: Memory, file: FoldedFile, on_disk: bytes | None) -> bool:
    """Write what was folded to the file. False where somebody is writing to it: the next commit looks at what
    they leave."""
    memory.worktree.write_all(dict(map(copy_as_file, file.conflict_copies)))
    update = FileUpdate(blob_id_of(on_disk), file.data)
    return not memory.worktree.update_unchanged({file.path: update})


def _is_done(memory: Memory, save: Save, file: FoldedFile) -> bool:
    """Whether the journal needn't keep a save whose change is in its file: any but a version that is to have
    its place in the history."""
    return save.op == LATE or bool(refusals(memory, {file.path: save.after}, file.base))


def lost_files(memory: Memory) -> set[str]:
    """Files that are gone, or have lost most of their text, and probably by accident."""
    tree = memory.head_tree
    pending = find_pending(memory, tree)
    snapshot = pending.snapshot
    if snapshot.is_emptied:
        gone = (path for path, (oid, _) in memory.checkout.differing(snapshot, tree).items() if oid is None)
        return {path for path in gone if not snapshot.is_out_of_reach(path)}
    return {refusal.path for refusal in held_deletions(memory, fold_all(memory, pending), tree)}
