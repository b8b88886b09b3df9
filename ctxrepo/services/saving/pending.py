"""Finds what waits for a commit: saves in the journal, and files that differ from what was checked out."""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import takewhile

from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.merge.fold import FoldedFile, Ground, fold, versions_in
from ctxrepo.domain.project.layout import is_ignored, scope_of, unsafe
from ctxrepo.domain.records.save import LATE, TOOL, Origin, Save
from ctxrepo.lazy import dataclass
from ctxrepo.services.reading.marks import stated_keys
from ctxrepo.services.saving.kept_here import KeptHere, kept_here
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.worktree.checkout import Snapshot
from ctxrepo.storage.worktree.worktree import LateWrite


def journal_late_writes(memory: Memory, late: Sequence[LateWrite], now: datetime) -> None:
    """Journal them, and forget them where they were found. The write lock is held."""
    if late:
        objects, at, name = memory.objects, stamp(now), random_name()
        bases = [objects.data(write.base) if objects.has(write.base) else None for write in late]
        pairs = zip(late, bases, strict=True)
        memory.journal.add(
            [Save(w.path, base, w.data, LATE, Origin(""), at=at, id=name) for w, base in pairs]
        )
    memory.worktree.replaced.forget(late)  # killed before this, the next run adds them once more: no harm


@dataclass(frozen=True)
class Pending:
    """What waits beside the branch's `tree`: `saves` for a commit, and what is `on_disk`, by path, in the
    files of `snapshot` that have saves or were edited, each made from its `grounds`. Of a file that can't be
    read now only tools' saves are here, for their place in the history. `later` are edits that wait for a
    later look, `kept` are files that no commit may hold, and `aside` their saves."""

    tree: str | None
    snapshot: Snapshot
    saves: Sequence[Save]
    grounds: Mapping[str, Ground]
    on_disk: Mapping[str, bytes | None]
    later: frozenset[str] = frozenset()
    kept: KeptHere = KeptHere()
    aside: Sequence[Save] = ()

    def has_judged(self, path: str) -> bool:
        """Whether this look knows all of a file: of one that it passed over, what was known before stays."""
        return path not in self.later and self.snapshot.has_looked_at(path)


def find_pending(
    memory: Memory,
    tree: str | None,
    only: Collection[str] | None = None,
    until: float | None = None,
    *,
    hides: bool = False,
) -> Pending:
    """What waits beside the branch's `tree`: saves, and unannounced edits of the files in `only` (None: of
    all) that were made `until` then. With `hides` the files that an obstacle hides are written down."""
    saves = memory.journal.read()
    written = {save.path for save in saves}
    snapshot = memory.checkout.snapshot(None if only is None else written | {*only}, written, tree)
    if hides:
        memory.checkout.hide(snapshot)
    edited = memory.checkout.edited(snapshot, tree)
    kept = _kept(memory, snapshot, tree, edited | written)
    snapshot = _without_base(memory, snapshot, kept.ignored)
    edited -= {*kept.ignored, *kept.converted}
    aside = [save for save in saves if save.path in kept]
    others = [save for save in saves if save.path not in kept]
    waiting = [save for save in others if save.op == TOOL or not snapshot.is_out_of_reach(save.path)]
    later = frozenset(() if until is None else memory.worktree.changed_since(until, edited - written))
    paths = (edited - later) | {save.path for save in waiting}
    bases, following = (memory.objects.files(at, paths) for at in (snapshot.base, snapshot.next))
    pairs = ((path, bases.get(path), following.get(path)) for path in sorted(paths))
    grounds = {path: Ground(_data(memory, base), _data(memory, new)) for path, base, new in pairs}
    on_disk = {
        path: memory.worktree.read_saved(path, was_empty=not ground.base)
        for path, ground in grounds.items()
        if not snapshot.is_out_of_reach(path)
    }
    return Pending(tree, snapshot, waiting, grounds, on_disk, later, kept, aside)


def _kept(memory: Memory, snapshot: Snapshot, tree: str | None, changed: Set[str]) -> KeptHere:
    """Which of the `changed` files no commit may hold, and the ignored ones that a person took out of one."""
    differing = memory.checkout.differing(snapshot, tree)
    new = {path for path, (oid, key) in differing.items() if oid and not key} | (changed - differing.keys())
    new = {p for p in new - memory.objects.files(tree, new).keys() if not snapshot.is_out_of_reach(p)}
    return kept_here(memory, tree, changed, new)


def _without_base(memory: Memory, snapshot: Snapshot, ignored: Collection[str]) -> Snapshot:
    """The snapshot with files based on nothing that a person took out of the branch and keeps here."""
    objects = memory.objects
    if not (removals := dict.fromkeys(objects.files(snapshot.base, ignored))):
        return snapshot
    base, following = (objects.edit(tree, removals) for tree in (snapshot.base, snapshot.next))
    return replace(snapshot, base=base, next=following)


def fold_all(memory: Memory, pending: Pending) -> list[FoldedFile]:
    """Each file, folded from its saves and from what is on disk."""
    return _folded(memory, pending.saves, pending.grounds, pending.on_disk)


def fold_saves(memory: Memory, tree: str | None) -> list[FoldedFile]:
    """Each file that has saves, as these make it from the one in `tree`, whatever is on disk."""
    saves = [s for s in memory.journal.read() if not (unsafe(s.path) or is_ignored(s.path))]
    last = {save.path: save.after for save in saves}
    based = memory.objects.files(memory.objects.ref(WT), last)  # where another machine removed the file
    cone = memory.checkout.cone
    # A file that a sparse clone leaves out was never here: what was saved was not made of it.
    known = (p for p in last if cone is None or cone.holds(p) or p in based)
    keys = {**based, **memory.objects.files(tree, known)}
    data = {path: _data(memory, keys.get(path)) for path in last}
    return _folded(memory, saves, {path: Ground(was, was) for path, was in data.items()}, last)


def _folded(
    memory: Memory, saves: Sequence[Save], grounds: Mapping[str, Ground], on_disk: Mapping[str, bytes | None]
) -> list[FoldedFile]:
    by_path: dict[str, list[Save]] = {path: [] for path in grounds}
    for save in saves:
        by_path[save.path].append(save)
    files = []
    new_files = {data for path, data in on_disk.items() if data and grounds[path].base is None}
    for path, mine in by_path.items():
        ground = grounds[path]
        if path in on_disk:
            rest, keys = based_saves(memory, mine), partial(_keys_beside, memory, path)
            files.append(fold(path, ground, rest, on_disk[path], new_files, keys))
        elif not (unsafe(path) or is_ignored(path)):
            base = ground.base
            files.append(FoldedFile(path, base, base, base, base, versions=versions_in(mine)))
    return files


def _keys_beside(memory: Memory, path: str) -> Collection[str]:
    return stated_keys(memory).get(scope_of(path), ())


def based_saves(memory: Memory, saves: Sequence[Save]) -> list[Save]:
    """The saves of one file, to be folded. The base of a tool's is what was checked out when it wrote."""
    based = [replace(s, base=memory.objects.find(s.tree, s.path)) if s.tree else s for s in saves]
    return _without_committed(memory, based)


def _without_committed(memory: Memory, saves: Sequence[Save]) -> list[Save]:
    """The saves of one file, but for versions of tools that were committed before their hooks were heard."""
    path = next((save.path for save in saves if save.op == TOOL), None)
    recent = memory.objects.recent_keys(memory.head, path) if path else ()
    return [save for save in saves if save.op != TOOL or not _is_committed(save, recent)]


def _is_committed(save: Save, recent: Sequence[Key | None]) -> bool:
    """Whether a commit has held this version since the tool made it."""
    before = None if save.base is None else blob_id(save.base)
    since = takewhile(lambda key: key != before, recent) if save.tree else recent
    return save.after is not None and blob_id(save.after) in since


def _data(memory: Memory, key: Key | None) -> bytes | None:
    return None if key is None else memory.objects.data_or_empty(key)
