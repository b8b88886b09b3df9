"""What a person is to decide about: files that lost too much, and what the guard refuses, which must stand in
its file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.merge.fold import FoldedFile
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.save import LATE, Save
from ctxrepo.services.saving.accept import held_deletions, judge, refusals
from ctxrepo.services.saving.pending import Pending, find_pending, fold_all
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.worktree.worktree import FileUpdate


def show_held(memory: Memory, pending: Pending, held: Sequence[FoldedFile], tree: str | None) -> None:
    """Write what was folded to those of the files that are held back for something which isn't in them.

    A late write isn't in its file, nor is a version that another program has replaced. Nobody could mend it
    there, and it would be held back for ever. So the saves that brought it leave the journal once it is in
    the file.
    """
    by_path = {file.path: file for file in held}
    paths = by_path.keys() & pending.on_disk.keys()
    hidden = [save for save in pending.saves if save.path in paths and not save.is_command]
    for path in _held_for(memory, pending, hidden, tree):
        file = by_path[path]
        if _is_shown(memory, file, pending.on_disk[path]):
            saves = (save for save in hidden if save.path == path)
            memory.journal.take_out(save.place for save in saves if _is_done(memory, save, file))


def _held_for(memory: Memory, pending: Pending, hidden: Collection[Save], tree: str | None) -> Iterable[str]:
    """The files that would not be held back without these saves."""
    if not hidden:
        return ()
    places = {save.place for save in hidden}
    others = [save for save in pending.saves if save.place not in places]
    still = {refusal.path for refusal in judge(memory, fold_all(memory, pending, others), tree).held}
    return {save.path for save in hidden} - still


def _is_shown(memory: Memory, file: FoldedFile, on_disk: bytes | None) -> bool:
    """Whether the file has what was folded by now. Where somebody is writing to it, the next commit looks at
    what they leave."""
    memory.worktree.write_all(dict(map(copy_as_file, file.conflict_copies)))
    old = None if on_disk is None else blob_id(on_disk)
    return not memory.worktree.update_unchanged({file.path: FileUpdate(old, file.data)})


def _is_done(memory: Memory, save: Save, file: FoldedFile) -> bool:
    """Whether the journal needn't keep a save whose change is in its file: any but a version that is to have
    its place in the history."""
    return save.op == LATE or bool(refusals(memory, {file.path: save.after}, file.base))


def lost_files(memory: Memory) -> set[str]:
    """Files that are gone, or have lost most of their text, and probably by accident."""
    tree = memory.head_tree
    pending = find_pending(memory, tree)
    snapshot, files = pending.snapshot, fold_all(memory, pending, pending.saves)
    if snapshot.is_emptied:
        gone = (path for path, (oid, _) in memory.checkout.differing(snapshot, tree).items() if oid is None)
        return {path for path in gone if not snapshot.is_out_of_reach(path)}
    return {refusal.path for refusal in held_deletions(memory, files, tree)}
