"""What is damaged in the clone, found without changing anything, and the repairs that need no decision."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime

from ctxrepo.domain.git.oid import blob_id_of
from ctxrepo.domain.merge import merge_file
from ctxrepo.errors import GitFailed, RepositoryState
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.troubles import put_aside
from ctxrepo.services.rescue.repair import repair
from ctxrepo.services.rescue.switch_back import switch_back
from ctxrepo.services.saving.commit import commit_locked
from ctxrepo.services.saving.held import lost_files
from ctxrepo.services.saving.pending import find_pending, fold_all
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.clone import foreign_format, require_our_format
from ctxrepo.storage.clone.housekeeping import old_locks
from ctxrepo.storage.clone.reffiles import FOLLOWED, WT, WT_NEXT, RefFiles
from ctxrepo.storage.disk.kinds import misplaced, require_in_place
from ctxrepo.storage.isolated.dangers import remove_dangers
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects
from ctxrepo.storage.processes.database import discard, is_sound
from ctxrepo.storage.rescue.salvage import Wholeness
from ctxrepo.storage.worktree.worktree import FileUpdate


def mend(memory: Memory, now: datetime) -> Iterator[str]:
    """Carry out every repair that needs no decision, and yield a line about each.

    Whatever is moved away is kept below `.git/ctxrepo/broken`.
    """
    if foreign_format(memory.clone.git_dir):
        return  # doctor says how it is converted; whatever we wrote there would do harm
    broken = Broken.at(memory.clone.git_dir, now)
    yield from _cache(memory)
    yield from (f"what hooks and worker had met is put aside in {file}" for file in put_aside(memory))
    with memory.writing():
        for lock in old_locks(memory.clone):
            broken.take(lock)
            yield f"moved {lock.name} aside, which a git that is gone had left"
        with suppress(GitFailed):  # a configuration that can't be read; doctor tells what helps
            for danger in remove_dangers(memory.clone, memory.env, broken):
                what = f"{danger.key} out of {danger.file}" if danger.key else f"{danger.file} away"
                yield f"took {what}; as it was it is in {broken.folder}"
    try:
        repaired = repair(memory, now)
        yield from repaired.done
        if repaired.done:
            yield f"what was spoiled is in {repaired.aside or broken.folder}"
        yield from switch_back(memory, now)
        require_ready(memory)
    except RepositoryState:
        return  # whose files these are is for a person to say; doctor tells
    yield from _files(memory, now)


def _cache(memory: Memory) -> Iterator[str]:
    if not is_sound(memory.state.cache):
        discard(memory.state.cache)
        yield "the cache was torn and is made anew"


def _files(memory: Memory, now: datetime) -> Iterator[str]:
    with memory.writing(), memory.building():
        if lost := lost_files(memory):
            _put_back_saves(memory, lost)
            # A file without a base is no deletion: what the last commit says comes back to it.
            memory.checkout.base_on(dict.fromkeys(lost))
            commit_locked(memory, now)
            yield f"{len(lost)} files that were gone from {memory.root}, or had lost most of it, are back"


def _put_back_saves(memory: Memory, lost: Collection[str]) -> None:
    """Bring back into these files what saves had made of them that wait for a commit."""
    pending = find_pending(memory, memory.head_tree, lost)
    paths = {save.path for save in pending.saves if save.after is not None}
    for file in fold_all(memory, pending):
        if file.path in paths.intersection(lost, pending.on_disk):
            data = pending.on_disk[file.path]
            merged = merge_file(file.path, None, data, file.saved)
            memory.worktree.update_unchanged({file.path: FileUpdate(blob_id_of(data), merged.data)})


def damage(memory: Memory, end: float = float("inf")) -> Iterator[str]:
    """One line for each thing; TimeoutError past monotonic `end`, RepositoryState where git's formats aren't
    ours, so that all of it would seem damaged."""
    require_our_format(memory.root)
    clone, refs = memory.clone, RefFiles(memory.clone.git_dir)
    misplacements = list(misplaced(clone.git_dir))
    yield from (item.words for item in misplacements if not item.is_for_a_person)
    if misplacements:
        require_in_place(memory.root)
        return  # nothing more can be asked
    lost = clone.lost_refs() if not clone.unfinished() else []
    yield from (f"{name} in {clone.git_dir} can't be read" for name in lost)
    if refs.index_is_garbage():
        yield f"{clone.git_dir / 'index'} is corrupt"
    if refs.shallow_is_garbage():
        yield f"{clone.git_dir / 'shallow'} is corrupt"
    spoiled: set[str] = set()
    for path, why in spoiled_objects(clone.git_dir, end):
        yield f"{path} {why}"
        spoiled.add(path.parent.name + path.name)
    yield from (f"{pack} has no index" for pack in packs_without_index(clone.git_dir))
    if "HEAD" not in lost:
        whole = Wholeness(memory.objects, spoiled, refs.shallow(), end)
        yield from _holes(memory, refs, whole)


def _holes(memory: Memory, refs: RefFiles, whole: Wholeness) -> Iterator[str]:
    clone = memory.clone
    for name in (clone.branch_ref, clone.upstream_ref):
        if (tip := refs.find(name)) and not whole.commit(tip):
            yield f"something in the history of {name} is missing"
    for name in (WT, WT_NEXT, FOLLOWED):
        if (tree := refs.find(name)) and not whole.tree(tree, with_files=name != FOLLOWED):
            yield f"something in {name} is missing"
            return
    if clone.is_on_branch() and (lost := lost_files(memory)):
        yield f"{len(lost)} files of the last commit are gone from {memory.root}, or have lost most of it"
