"""Decides which folded files may go into a commit, and merges them with what the branch has by now."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace

from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.guard.deletions import Deletion, HandEdit, contents, deletions, held_back, losses
from ctxrepo.domain.guard.refusals import RULE, Refusal, check_file
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.fold import FoldedFile
from ctxrepo.domain.merge.tree.moves import Moves, moves_between
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.save import LATE
from ctxrepo.lazy import dataclass
from ctxrepo.services.saving.pending import Pending, find_pending, fold_all, fold_saves
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.worktree.worktree import FileUpdate

_LARGER = "A file that is too large to be read: `git cat-file blob {}` has it.\n"
"""The text of the conflict copy of a file that is too large to be read, where a note replaces it."""

Changes = dict[str, bytes | None]


@dataclass
class Accepted:
    """What may be committed and, in `held`, what the guard refused. `changes` are for the commit (None
    removes a file), each of `earlier` for one before it; `conflict_copies` are in `changes` already, as files
    under conflicts/. `deleted` is what somebody deleted by hand and is to be told of, `moves` what moved."""

    changes: Changes = field(default_factory=dict)
    earlier: list[Changes] = field(default_factory=list)
    held: list[Refusal] = field(default_factory=list)
    conflict_copies: list[ConflictCopy] = field(default_factory=list)
    deleted: Sequence[Deletion] = ()
    undeleted: Changes = field(default_factory=dict)
    """What these files would be without the deletions, as far as commands wrote to them."""
    moves: Moves = field(default_factory=dict)

    def in_order(self) -> Iterator[tuple[Changes, Sequence[Deletion]]]:
        """The changes of each commit; deletions are in the last one, so that it can be undone by itself."""
        former = {deletion.path for deletion in self.deleted}
        paths = former | {self.moves.get(path, path) for path in former}
        others = {path: data for path, data in self.changes.items() if path not in paths} | self.undeleted
        yield from ((changes, ()) for changes in (*self.earlier, others))
        yield {path: self.changes[path] for path in paths}, self.deleted


def judge(
    memory: Memory,
    files: Sequence[FoldedFile],
    tree: str | None,
    *,
    is_meant: bool = False,
    known: Sequence[Refusal] = (),
) -> Accepted:
    """What may go into a commit on top of `tree`, and what is held back; with `is_meant` a person has
    confirmed all deletions. A file is held back as a whole, and its saves wait in the journal for a person's
    decision. `known` is what is held back already."""
    head = memory.objects.files(tree, [file.path for file in files])
    moves = _moves(files)
    deleted = () if is_meant else _deleted(memory, files, moves, tree)
    accepted = Accepted(held=held_back(deleted, known))
    held = {refusal.path for refusal in accepted.held}
    for file in files:
        if file.path not in held:
            _judge_file(memory, file, head.get(file.path), accepted)
    changes = accepted.changes
    accepted.moves = {old: new for old, new in moves.items() if old in changes and new in changes}
    _note_deleted(memory, files, tree, accepted, deleted)
    return accepted


def note_confirmed(memory: Memory, files: Sequence[FoldedFile], tree: str | None, accepted: Accepted) -> None:
    """Note in `accepted` what was deleted without a command, and a person has confirmed; of a file that
    another machine has changed since, what goes of that."""
    changes = accepted.changes
    known = {file.path: memory.objects.find(tree, file.path) for file in files if file.path in changes}
    there = [
        replace(file, commanded=known[file.path], data=changes[file.path])
        if file.commanded == file.base != known.get(file.path, file.base)
        else file
        for file in files
    ]
    _note_deleted(memory, files, tree, accepted, _deleted(memory, there, _moves(there), tree))


def _note_deleted(
    memory: Memory,
    files: Sequence[FoldedFile],
    tree: str | None,
    accepted: Accepted,
    deleted: Sequence[Deletion],
) -> None:
    accepted.deleted = [deletion for deletion in losses(deleted) if deletion.path in accepted.changes]
    paths = {deletion.path for deletion in accepted.deleted}
    for file in files:
        if file.path in paths and file.written not in (None, file.base):
            theirs = memory.objects.find(tree, file.path)
            accepted.undeleted[file.path] = merge_file(file.path, file.base, file.written, theirs).data


def _judge_file(memory: Memory, file: FoldedFile, key: Key | None, accepted: Accepted) -> None:
    """Accept the file, merged with what the branch has (`key`), or hold it back."""
    is_large = key is not None and memory.objects.is_large(key)
    if is_large and file.data is None:
        return  # the file was never on disk, so its absence is no deletion
    theirs = None if key is None or is_large else memory.objects.data(key)
    merged = merge_file(file.path, file.base, file.data, theirs)
    large = (ConflictCopy(file.path, "", "", _LARGER.format(key)),) if is_large else ()
    copies = (*file.conflict_copies, *merged.conflict_copies, *large)
    files = {file.path: merged.data, **dict(map(copy_as_file, copies))}
    if refused := refusals(memory, files, theirs):
        there = refusals(memory, {file.path: file.data}, theirs)  # with the lines that a person sees
        known = {(r.rule, r.fingerprint) for r in there}
        accepted.held += (*there, *(r for r in refused if (r.rule, r.fingerprint) not in known))
        return
    accepted.conflict_copies += copies
    accepted.changes |= {p: d for p, d in files.items() if p != file.path or d != theirs}
    _keep_versions(memory, file, (theirs, merged.data), accepted)


def _moves(files: Sequence[FoldedFile]) -> Moves:
    """Which of these files moved without a command."""
    gone = {file.path: file.commanded for file in files if file.data is None}
    return moves_between(gone, {file.path: file.data for file in files if file.commanded is None})


def _deleted(memory: Memory, files: Sequence[FoldedFile], moves: Moves, tree: str | None) -> list[Deletion]:
    """What was deleted from these files without a command."""
    edits = [
        (file.path, HandEdit(file.written, file.data, tools_wrote=file.written != file.commanded))
        for file in files
    ]
    edits += [(file.path, file.before_removal) for file in files if file.before_removal]

    def kept() -> set[tuple[str, bool, str]]:
        paths = {file.path for file in files}
        return {contents(p, key) for p, key in memory.objects.files(tree).items() if p not in paths}

    versions = {file.path: (file.base, *file.command_bases, file.data) for file in files}
    return deletions(edits, moves, versions, kept)


def _keep_versions(
    memory: Memory, file: FoldedFile, around: tuple[bytes | None, bytes | None], accepted: Accepted
) -> None:
    """Give each version that an agent left a place in the history; `around` are branch and commit."""
    theirs, merged = around
    versions = [v for v in file.versions if v not in around]
    known = memory.objects.recent_keys(memory.head, file.path) if versions else ()
    kept = [v for v in versions if blob_id(v) not in known and not refusals(memory, {file.path: v}, theirs)]
    for number, version in enumerate(kept):
        if number == len(accepted.earlier):
            accepted.earlier.append({})
        accepted.earlier[number][file.path] = version
    if kept:  # the commit after these puts back what the branch had
        accepted.changes.setdefault(file.path, merged)


def refusals(memory: Memory, files: Mapping[str, bytes | None], theirs: bytes | None) -> Sequence[Refusal]:
    """What the guard refuses in an edit's files, as refusals of the first one's path; no secret that the
    branch has already."""
    allow = memory.settings.secrets.allow_secret
    path = next(iter(files))
    reasons = [r for p, d in files.items() if d is not None for r in check_file(p, d, allow)]
    if reasons and theirs is not None:
        known = {r.fingerprint for r in check_file(path, theirs, allow)} - {""}
        reasons = [r for r in reasons if r.fingerprint not in known]
    return [Refusal(path, r.rule, r.message, r.line if r.path == path else 0, r.fingerprint) for r in reasons]


def show_held(
    memory: Memory, pending: Pending, folded: Sequence[FoldedFile], held: Sequence[Refusal]
) -> None:
    """Write what was folded to the `held` files for something which isn't in them: a late write, a version
    that another program has replaced, or a text that a command removed while others wrote. Nobody could mend
    it there, and it would be held back for ever. The saves that brought it leave the journal once it is in
    the file."""
    reasons = {(refusal.path, refusal.rule) for refusal in held}
    paths = {path for path, _ in reasons}
    files = [file for file in folded if file.path in paths and file.path in pending.on_disk]
    if not files:
        return
    as_on_disk = [replace(file, data=pending.on_disk[file.path], conflict_copies=()) for file in files]
    refused = judge(memory, as_on_disk, pending.tree, known=held).held
    refused += judge(memory, as_on_disk, pending.tree, is_meant=True).held
    mendable = {refusal.path for refusal in refused if (refusal.path, refusal.rule) in reasons}
    for file in files:
        if file.path not in mendable and _show(memory, file, pending.on_disk[file.path]):
            # But for a version that is to have its place in the history.
            saves = (save for save in pending.saves if save.path == file.path and not save.is_command)
            shown = (s for s in saves if s.op == LATE or refusals(memory, {s.path: s.after}, file.base))
            memory.journal.take_out(save.place for save in shown)


def _show(memory: Memory, file: FoldedFile, on_disk: bytes | None) -> bool:
    """Write what was folded to the file. False where somebody writes to it: the next commit looks at that."""
    memory.worktree.write_all(dict(map(copy_as_file, file.conflict_copies)))
    update = FileUpdate(blob_id_of(on_disk), file.data)
    return not memory.worktree.update_unchanged({file.path: update})


def emptied_files(memory: Memory, pending: Pending) -> set[str]:
    """The files of a folder that was emptied: the next commit brings them back."""
    snapshot = pending.snapshot
    differing = memory.checkout.differing(snapshot, pending.tree) if snapshot.is_emptied else {}
    return {
        path for path, (oid, _) in differing.items() if oid is None and not snapshot.is_out_of_reach(path)
    }


def lost_files(memory: Memory) -> set[str]:
    """Files that are gone, or have lost most of their text, and probably by accident."""
    tree = memory.head_tree
    pending = find_pending(memory, tree)
    files = fold_all(memory, pending)
    return emptied_files(memory, pending) or _lost(memory, files, tree)


def deleted_by_tools(memory: Memory, paths: Collection[str]) -> set[str]:
    """Those of these files of which the saves of agents, by themselves, deleted too much."""
    pending = find_pending(memory, memory.head_tree, paths)
    files = [replace(file, data=file.saved) for file in fold_all(memory, pending) if file.path in paths]
    return _lost(memory, files, memory.head_tree)


def _lost(memory: Memory, files: Sequence[FoldedFile], tree: str | None) -> set[str]:
    """The files of whose entries more are gone than somebody deletes without asking."""
    known = KeptOutFile(memory.state.held).read().by(RULE)
    deleted = _deleted(memory, files, _moves(files), tree)
    return {refusal.path for refusal in held_back(deleted, known)}


def tree_in_view(memory: Memory, tree: str | None) -> str | None:
    """`tree`, a commit's, with what the saves in the journal make of it; where a file of theirs is refused,
    with what commands alone do. It is in view before a commit holds it (ADR 73)."""
    if not memory.journal.names():
        return tree
    files = fold_saves(memory, tree)
    return tree_with(memory, tree, files, {file.path for file in files})


def tree_with(
    memory: Memory, tree: str | None, files: Sequence[FoldedFile], held: Collection[str]
) -> str | None:
    """`tree` with these files; those that are `held` back as their saves made them, without edits by hand and
    deletions of agents. Of what the guard refuses nothing is in it."""
    changes: Changes = {}
    by_hand = [replace(file, saved=file.data) if file.path not in held else file for file in files]
    rest = [replace(file, conflict_copies=(), versions=()) for file in by_hand]
    saved = [replace(file, data=file.saved) for file in rest if file.path in held]
    deleted = _lost(memory, saved, tree) if saved else ()
    for with_tools in (True, False):
        candidates = [
            replace(file, data=file.saved if with_tools and file.path not in deleted else file.commanded)
            for file in rest
        ]
        accepted = judge(memory, candidates, tree, is_meant=True)
        changes |= accepted.changes
        refused = {refusal.path for refusal in accepted.held}
        rest = [file for file in rest if file.path in refused]
    return memory.objects.edit(tree, memory.objects.store_files(changes)) if changes else tree
