"""The files on disk as the tree that git would make of them: equal folders are not compared (ADR 17)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.git.oid import tree_id
from ctxrepo.domain.project.layout import prefixes_of
from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import HIDDEN
from ctxrepo.storage.git.git import Progress
from ctxrepo.storage.objects.trees import Count, Key, folder_of, key_of
from ctxrepo.storage.worktree.scan import in_the_way, scan_some
from ctxrepo.storage.worktree.stamps import (
    NO_FILES,
    NOTHING,
    UNREAD,
    FolderSnapshot,
    Stamps,
    digest_of,
    read_folder,
    read_id,
)
from ctxrepo.storage.worktree.worktree import Worktree

if TYPE_CHECKING:
    from ctxrepo.storage.objects.store import Objects


Differing = dict[str, tuple[str | None, Key | None]]
"""path -> (blob id on disk, key in a tree) where the two differ; None where there is no file."""


@dataclass(frozen=True)
class SomeFiles:
    """The blob ids of the files in `only` that exist; nothing is known about other files."""

    ids: Mapping[str, str]
    only: frozenset[str]
    stamps: str = ""

    def differing(self, objects: Objects, tree: str | None) -> Differing:
        there = objects.files(tree, self.only)
        both = ((path, self.ids.get(path), there.get(path)) for path in self.only)
        return {path: (oid, key) for path, oid, key in both if oid != key}

    def has(self, path: str) -> bool:
        return path in self.ids

    def joined(self, more: SomeFiles) -> SomeFiles:
        """These files and `more`."""
        return SomeFiles({**more.ids, **self.ids}, self.only | more.only)


@dataclass(frozen=True)
class AllFiles:
    """All files on disk; in a sparse clone only what `cone` holds belongs there."""

    top: Folder
    cone: Cone | None = None
    only: None = None

    @property
    def stamps(self) -> str:
        """Digest of the stamps of all that is there: while it is the same, so is all else."""
        return self.top.stamps

    def differing(self, objects: Objects, tree: str | None) -> Differing:
        return {path: (oid, key) for path, oid, key in _differing(self.top, tree, objects, self.cone)}

    def has(self, path: str) -> bool:
        *way, name = path.split("/")
        folder: Folder | None = self.top
        for part in way:
            folder = folder.folders.get(part) if folder else None
        return folder is not None and name in folder.files

    def outside(self) -> Iterator[str]:
        """Paths of the files that are on disk and that the cone doesn't hold."""
        waiting = [("", self.top)] if self.cone else []
        while waiting and self.cone:
            prefix, folder = waiting.pop()
            if not self.cone.holds(prefix):
                yield from (prefix + name for name in folder.files)
            below = ((f"{prefix}{name}", each) for name, each in folder.folders.items())
            waiting += [(f"{path}/", each) for path, each in below if not self.cone.is_whole(path)]

    def shared(self, objects: Objects, tree: str | None) -> Iterator[str]:
        """Paths of files that are both on disk and in a tree, whatever their bytes are."""
        waiting = [("", self.top, tree)]
        while waiting:
            prefix, folder, tree = waiting.pop()
            items = objects.items(tree)
            yield from (prefix + name for name in folder.files if key_of(items.get(name)))
            for name, below in folder.folders.items():
                if within := folder_of(items.get(name)):
                    waiting.append((f"{prefix}{name}/", below, within))


Disk = AllFiles | SomeFiles


_MANY = 50
"""After every so many folders, progress is shown."""


class Folder:
    """A folder on disk: the blob ids of its files and the folders in it by name, without empty folders."""

    def __init__(self, held: FolderSnapshot, folders: Mapping[str, Folder]) -> None:
        self._held = held
        self.folders = folders
        self.stamps = ""
        """For the top folder: the digest of the stamps of everything on disk."""

    @cached_property
    def files(self) -> Mapping[str, str]:
        files: dict[str, str] = json.loads(self._held.ids)
        return files

    @cached_property
    def id(self) -> str:
        """The id of the tree that git would make of this folder."""
        if not self.folders:
            return self._held.tree
        return tree_id(self.files, {name: folder.id for name, folder in self.folders.items()})

    @property
    def is_empty(self) -> bool:
        return not self.folders and self._held.ids == NO_FILES


def read_worktree(
    stamps: Stamps, worktree: Worktree, progress: Progress | None = None
) -> tuple[Folder, dict[str, str]]:
    """The top folder, and path -> why of what was skipped; reads only files whose stamps have changed."""
    recorded = stamps.read()
    now: dict[str, FolderSnapshot] = {}
    folders: dict[str, Folder] = {}
    skipped: dict[str, str] = {}
    for listing in worktree.walk():
        path = listing.path
        if listing.trouble:
            skipped[path] = listing.trouble
            continue
        now[path] = read_folder(worktree, listing, recorded.get(path))
        if progress and not len(now) % _MANY:
            progress(f"looking for edits: {len(now)} folders so far")
        skipped |= json.loads(now[path].skipped)
        inside = ((name, folders.pop(listing.at(name), None)) for name in listing.folders)
        folder = Folder(now[path], {name: below for name, below in inside if below})
        if not path or not folder.is_empty:
            folders[path] = folder
    fresh = {path: what for path, what in now.items() if what != recorded.get(path)}
    if fresh or recorded.keys() - now.keys():
        stamps.keep(fresh, recorded.keys() - now.keys())
    top = folders.get("") or Folder(NOTHING, {})
    top.stamps = digest_of((path, what.stamps) for path, what in now.items())
    return top, skipped


def read_files(worktree: Worktree, paths: frozenset[str]) -> tuple[SomeFiles, dict[str, str]]:
    """These files, and path -> why of those that were skipped."""
    scan = scan_some(worktree.root, paths)
    ids = {path: oid for path in scan.files if (oid := read_id(worktree, path)) is not None}
    unread = dict.fromkeys((path for path in scan.files if path not in ids), UNREAD)
    return SomeFiles(ids, paths), {**scan.skipped, **unread}


def _differing(
    top: Folder, tree: str | None, objects: Objects, cone: Cone | None
) -> Iterator[tuple[str, str | None, Key | None]]:
    """The differences between disk and tree; outside `cone` only files on disk are compared."""
    count = Count(f"what is on disk beside the folder {tree}")
    waiting: list[tuple[str, Folder | None, str | None]] = [("", top, tree)]
    while waiting:
        prefix, folder, tree = waiting.pop()
        is_held = cone is None or cone.holds(prefix)
        if (folder is None and not is_held) or (folder and folder.id == tree):
            continue
        items = objects.items(tree)
        files, folders = (folder.files, folder.folders) if folder else ({}, {})
        for name in {*files, *folders, *(items if is_held else ())}:
            item, path = items.get(name), prefix + name
            count.add(path)
            if files.get(name) != key_of(item):
                yield path, files.get(name), key_of(item)
            if name in folders or folder_of(item):
                waiting.append((f"{path}/", folders.get(name), folder_of(item)))


@dataclass(frozen=True)
class Obstacle:
    """What stands at `place` and the files that it hides; `reason` says what it is, as in "is a link"."""

    place: str
    reason: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Hidden:
    objects: Objects
    worktree: Worktree

    def files(self) -> Mapping[str, Key]:
        """path -> key of the version that the file was based on before it was hidden. A damaged tree
        counts as empty: a file that comes back is then merged as if it had been added."""
        try:
            return self.objects.files(self.objects.ref(HIDDEN))
        except Damaged:
            return {}

    def add(self, files: Mapping[str, Key]) -> None:
        self._keep({**self.files(), **files})

    def drop(self, paths: Iterable[str]) -> None:
        """Forget files that can be read again."""
        hidden, gone = self.files(), set(paths)
        if not gone.isdisjoint(hidden):
            self._keep({path: key for path, key in hidden.items() if path not in gone})

    def obstacles(self) -> list[Obstacle]:
        """The obstacles of now, sorted by place; looks only where a file was hidden before."""
        files = self.files()
        if not files:
            return []
        unread = read_files(self.worktree, frozenset(files))[1]
        skipped = unread | in_the_way(self.worktree.root, files)
        hidden_at: dict[str, list[str]] = {}
        for path in files:
            if place := next((p for p in prefixes_of(path) if p in skipped), None):
                hidden_at.setdefault(place, []).append(path)
        return [Obstacle(at, skipped[at], tuple(sorted(hidden_at[at]))) for at in sorted(hidden_at)]

    def _keep(self, files: Mapping[str, Key]) -> None:
        if files:
            self.objects.set_ref(HIDDEN, self.objects.edit(None, files))
        else:
            self.objects.drop_ref(HIDDEN)


def files_at_places(objects: Objects, tree: str | None, places: Iterable[str]) -> dict[str, Key]:
    """path -> key of the files of a tree at one of these places, or below a folder there."""
    by_folder: dict[str, list[str]] = {}
    for place in places:
        if not place:
            return dict(objects.files(tree))
        folder, _, name = place.rpartition("/")
        by_folder.setdefault(folder, []).append(name)
    files: dict[str, Key] = {}
    for folder, chosen in by_folder.items():
        names = objects.names_in(tree, folder)
        for name in names.keys() & set(chosen):
            place = f"{folder}/{name}" if folder else name
            key = names[name]
            files |= objects.below(tree, place) if key is None else {place: key}
    return files
