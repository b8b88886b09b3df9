"""Takes what is held back on this machine along with its note, to where other machines moved that."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain, islice

from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import REGISTRY, moved_path, scope_of
from ctxrepo.domain.project.registry import Registry, parse
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.evidence import moved_on
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.worktree.worktree import FileUpdate

_MOST_COMMITS = 500
"""Of so many received commits, the newest, the registries are read."""


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


def places_by_now(objects: Objects, paths: Collection[str], before: str | None, after: str) -> dict[str, str]:
    """path -> where its file is in the commit `after`, of those of these files of the commit `before` that
    moved in between: by what was recorded since, whatever the folder of their project was called then, or
    else by what the files say."""
    old_tree, tree = objects.tree_of(before), objects.tree_of(after)
    there = objects.files(old_tree, paths)
    if not there:
        return {}
    folders = _folders_by_now(objects, before, after)
    known = {*evidence_at(objects, old_tree)}
    since = (record for record in evidence_at(objects, tree) if record not in known)
    now = {path: _below(folders, path) for path in there}
    records = [replace(one, path=_below(folders, one.path), to=_below(folders, one.to)) for one in since]
    by_now = moved_on(records, now.values())
    places = {path: by_now[name] for path, name in now.items()}
    present = objects.files(tree, {*there, *places.values()})
    moved = {path: place for path, place in places.items() if place != path and place in present}
    if lost := there.keys() - moved.keys() - present.keys():
        differing = objects.diff(old_tree, tree)
        gone = {path: objects.data_or_empty(there[path]) for path in lost}
        come = {
            path: objects.data_or_empty(key)
            for path, (was, key) in differing.items()
            if key and not was and path not in moved.values()
        }
        moved |= moves_between(gone, come)
    return moved


def _folders_by_now(objects: Objects, before: str | None, after: str) -> dict[str, str]:
    """Each name that the folder of a project had since `before` -> the one that it has in `after`."""
    commits = reversed([*islice(objects.new_commits(after, before), _MOST_COMMITS)])
    trees = dict.fromkeys(map(objects.tree_of, chain([before], commits)))
    files = dict.fromkeys(objects.key_at(str(tree), REGISTRY) for tree in trees if tree)
    now = _registry(objects, objects.tree_of(after))
    folders: dict[str, str] = {}
    for key in filter(None, files):
        for identity, folder in parse(decode(objects.data_or_empty(key))).projects.items():
            folders.setdefault(folder, now.folder_of(identity) or folder)
    return folders


def _registry(objects: Objects, tree: str | None) -> Registry:
    return parse(decode(objects.find(tree, REGISTRY) or b""))


def _below(folders: Mapping[str, str], path: str) -> str:
    """The path below the folder that its project has by now."""
    folder = scope_of(path)
    return moved_path(path, folder, folders.get(folder, folder)) or path
