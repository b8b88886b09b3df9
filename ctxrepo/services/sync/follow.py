"""Takes what is held back on this machine along with its note, to where other machines moved that."""

from collections.abc import Collection

from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.services.reading.places import places_by_now
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.worktree.worktree import FileUpdate


def follow(memory: Memory, held: Collection[str], before: str | None, after: str) -> set[str]:
    """Move files that are held back to where their notes are in the commit `after`, with what they are based
    on, what waits for them, and why they are held: what is decided of them is decided there. `before` is the
    commit that they are on top of. Returns the old paths and the new ones."""
    objects, worktree = memory.objects, memory.worktree
    places = places_by_now(objects, held, before, after)
    old_tree, tree = objects.tree_of(before), objects.tree_of(after)
    known = objects.files(old_tree, places.values())
    places = {old: new for old, new in places.items() if new not in known or worktree.exists(new)}
    for old, new in places.items():
        base, data = objects.key_at(str(objects.ref(WT)), old), worktree.read(old)
        was = objects.data_or_empty(base) if base else None
        if new in known or worktree.exists(new):
            base = objects.key_at(tree, new)
            _put_into(memory, new, (was, data), (known.get(new), base))
        elif data is not None:
            worktree.write_all({new: data})
        if data is not None:
            worktree.update_unchanged({old: FileUpdate(blob_id(data), None)})
        memory.checkout.base_on({old: None, new: base})
    memory.journal.move(places)
    KeptOutFile(memory.state.held).move(places)
    return {*places, *places.values()}


_Edit = tuple[bytes | None, bytes | None]
"""What a file is based on, and what is on disk."""


def _put_into(memory: Memory, path: str, held: _Edit, keys: tuple[Key | None, Key | None]) -> None:
    """Edit the file at `path` as the one that is held back was edited: another machine put that into it. Its
    `keys` are those in the commit before and by now."""
    was, now = (memory.objects.data_or_empty(key) if key else None for key in keys)
    on_disk = memory.worktree.read(path)
    edited = merge_file(path, held[0], held[1] or b"", now)
    both = merge_file(path, was, on_disk, edited.data)
    copies = (*edited.conflict_copies, *both.conflict_copies)
    memory.worktree.write_all(dict(map(copy_as_file, copies)))
    memory.worktree.update_unchanged({path: FileUpdate(blob_id_of(on_disk), both.data)})
