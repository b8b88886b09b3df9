"""What in the clone can't be read or is missing, found without changing anything."""

from __future__ import annotations

from collections.abc import Iterator

from ctxrepo.services.saving.held import lost_files
from ctxrepo.storage.clone.owner import require_our_format
from ctxrepo.storage.clone.reffiles import FOLLOWED, WT, WT_NEXT, RefFiles
from ctxrepo.storage.disk.kinds import misplaced, require_in_place
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects
from ctxrepo.storage.rescue.wholeness import Wholeness


def damage(memory: Memory, end: float = float("inf")) -> Iterator[str]:
    """One line for each thing; TimeoutError past monotonic `end`, RepositoryState where git's formats aren't
    ours, so that all of it would seem damaged."""
    require_our_format(memory.root)
    clone, refs = memory.clone, RefFiles(memory.clone.git_dir)
    found = list(misplaced(clone.git_dir))
    yield from (one.words for one in found if not one.is_for_a_person)
    if found:
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
