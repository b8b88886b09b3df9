"""The stamps that files and folders of the memory have while they are as the cache has them.

By these a hook can tell, without opening a file, whether the cache lacks something. What is watched are the
folders of the scopes that sessions are in, and the notes that a packet shows or lists first."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from ctxrepo.domain.project.layout import CHECKLIST, MEMORY, is_ignored
from ctxrepo.hooks.known.packet_rows import index_of
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.storage.cache.cache import put_stamps, watched_stamps
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import storable
from ctxrepo.storage.worktree.stamps import read_id

MAX_NOTES, MAX_FOLDERS, MAX_SCOPES = 64, 16, 32
"""The most notes and folders watched in a scope, and the most scopes: those that sessions were in last."""

_SHOWN = (MEMORY, CHECKLIST)


def take_stamps(memory: Memory) -> dict[str, str]:
    """The stamps of all that is watched, by path, as they are now; take them before you look at files."""
    watched = (path for paths in memory.cache.ask(watched_stamps).values() for path in paths)
    return {path: stamp_of(str(memory.root / path)) for path in watched}


def store_stamps(memory: Memory, scopes: Iterable[str], before: Mapping[str, str] | None = None) -> None:
    """Store, for hooks to compare, the stamps of watched files and folders that are as in the cache's commit;
    `scopes` are watched from now on. A stamp that hasn't changed since `before`, when all files were read, is
    stored as well: how that file differs is known (it is held back, or skipped). Anything else keeps its old
    stamp, by which a hook sees the change."""
    cache, objects = memory.cache, memory.objects
    known = cache.ask(watched_stamps)
    head = cache.head
    if not head or not objects.has(head):
        return
    tree = objects.tree_of(head)
    last = dict.fromkeys(scopes)
    order = [*(scope for scope in known if scope not in last), *last][-MAX_SCOPES:]
    stamps: dict[str, dict[str, str]] = {}
    for scope in order:
        were = known.get(scope, {})
        stamps[scope] = {}
        for path in _watched(memory, tree, scope):
            now = stamp_of(str(memory.root / path))
            is_known = now in (were.get(path), (before or {}).get(path)) or _is_committed(memory, tree, path)
            stamps[scope][path] = now if is_known else were.get(path, "?")
    if stamps != known or list(stamps) != list(known):
        cache.change(put_stamps, stamps)


def _watched(memory: Memory, tree: str | None, scope: str) -> dict[str, None]:
    folders = [scope]
    for folder in folders:  # breadth first: the list grows meanwhile
        names = memory.objects.names_in(tree, folder)
        below = (f"{folder}/{name}" for name, key in sorted(names.items()) if key is None)
        folders += [path for path in below if path != f"{scope}/archive"]
        del folders[MAX_FOLDERS:]
    first_notes = [f"{scope}/{name}" for name in _SHOWN]
    rows, _ = memory.cache.ask(index_of, storable(scope), MAX_NOTES)
    return dict.fromkeys([*folders, *first_notes, *(row.path for row in rows)])


def _is_committed(memory: Memory, tree: str | None, path: str) -> bool:
    objects = memory.objects
    if (memory.root / path).is_dir():
        names = set[str]()
        with suppress(OSError):
            names = {name for name in os.listdir(memory.root / path) if not is_ignored(f"{path}/{name}")}
        return names == objects.names_in(tree, path).keys()
    return read_id(memory.worktree, path) == objects.files(tree, [path]).get(path)
