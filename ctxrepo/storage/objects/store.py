"""Reads, compares and makes blobs, trees and commits, without index or worktree."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.gitfiles import Cone
from ctxrepo.domain.guard.bounds import FILE_BYTES
from ctxrepo.domain.project.layout import prefixes_of
from ctxrepo.errors import BeyondBounds, Damaged, GitFailed
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.private import MANY
from ctxrepo.storage.isolated.owngit import OwnGit
from ctxrepo.storage.objects.libgit2 import enums, pygit2
from ctxrepo.storage.objects.reading import Past, Refs
from ctxrepo.storage.objects.trees import Item, Key, extent, folder_of

# Without it a power cut leaves refs that point at empty objects: 6 of 6 repositories were unreadable.
pygit2.option(enums.Option.ENABLE_FSYNC_GITDIR, True)
# A partial clone takes a file it has never seen into its trees by the id alone.
pygit2.option(enums.Option.ENABLE_STRICT_OBJECT_CREATION, False)

_SUBMODULE = "160000"

_TRIES = 3

_RECENT = 50
"""How many commits are searched for a version: a commit may hold it before the hook that saw it is heard."""

_FAILURES = (pygit2.GitError, KeyError, ValueError, OSError)


@dataclass(frozen=True)
class Author:
    name: str
    email: str


class Objects(Refs, Past):
    """One repository's objects and refs."""

    def __init__(self, own: OwnGit, fetch: Callable[[Sequence[str]], None] | None = None) -> None:
        """`fetch` fetches objects that a partial clone has left with its remote."""
        super().__init__(own)
        self._fetch = fetch

    # -- blobs

    def data(self, key: Key) -> bytes:
        """The bytes of a file; b"" for a submodule. BeyondBounds for a file that is too large."""
        mode, _, oid = key.rpartition(":")
        if mode == _SUBMODULE:
            return b""
        self.need([key])
        kind, data = self.read_raw(oid, "file")
        return data if kind == enums.ObjectType.BLOB else b""

    def data_or_empty(self, key: Key) -> bytes:
        """The bytes of a file; b"" for a file that is too large."""
        return b"" if self.is_large(key) else self.data(key)

    def file_or_none(self, key: Key | None) -> bytes | None:
        """The bytes of a file, None for none; b"" for a link, and for a file that is too large."""
        return None if key is None else b"" if ":" in key else self.data_or_empty(key)

    def changed_by(
        self, commit: str, parents: Sequence[str] | None = None
    ) -> dict[str, tuple[Key | None, Key | None]]:
        """path -> (key in the first parent, key in the commit) of the files that a commit has as none of its
        parents does; these may be given, as where older ones aren't on this machine."""
        trees = [self.tree_of(parent) for parent in (self.parents(commit) if parents is None else parents)]
        first, *others = [self.diff(tree, self.tree_of(commit)) for tree in trees or [None]]
        return {path: keys for path, keys in first.items() if all(path in other for other in others)}

    def size(self, key: Key) -> int:
        """The size of a blob in bytes, without reading it."""
        _, size = self.header(key.rpartition(":")[2], "file")
        return size

    def is_large(self, key: Key) -> bool:
        """Whether a file is too large to be read; False if it isn't here."""
        return self.has(key) and self.size(key) > FILE_BYTES.most

    def passed_through(self, files: Mapping[str, Key], whole: Collection[str] = ()) -> dict[str, Key]:
        """The same files; those in `whole` and too large ones get a key like that of a link: a merge takes
        such a file as it is."""
        opaque = (p for p, key in files.items() if ":" not in key and (p in whole or self.is_large(key)))
        return {**files, **{path: f"{enums.FileMode.BLOB:o}:{files[path]}" for path in opaque}}

    def need(self, keys: Iterable[Key]) -> None:
        """Fetch those of these that a partial clone left on the remote, all at once."""
        if self._fetch:
            oids = {key.rpartition(":")[2] for key in keys}
            missing = sorted(oid for oid in oids if not self.is_there(oid))
            if missing:
                self._fetch(missing)
                self.reopen()

    def has(self, key: Key) -> bool:
        return self.is_there(key.rpartition(":")[2])

    def store(self, data: bytes) -> Key:
        return _stored("a file", lambda: str(self._repo.create_blob(data)))

    def store_files(self, files: Mapping[str, bytes | None]) -> dict[str, Key | None]:
        """path -> key of each; None, for a file to be removed, stays None."""
        with _synced_at_once() if len(files) >= MANY else nullcontext():
            return {path: None if data is None else self.store(data) for path, data in files.items()}

    # -- trees

    def find(self, tree: str | None, path: str) -> bytes | None:
        """The bytes at `path` in a tree; None when the tree or the path isn't there."""
        try:
            key = self.files(tree, [path]).get(path)
            return self.data(key) if key else None
        except (Damaged, BeyondBounds, ValueError):
            return None

    def children(self, tree: str) -> tuple[list[str], list[str]]:
        """(ids of the folders, ids of the files) directly in a tree, without submodules."""
        items = [item for item in self.items(tree).values() if item[0] != _SUBMODULE]
        folders = [oid for item in items if (oid := folder_of(item))]
        return folders, [item[1] for item in items if not folder_of(item)]

    def require_extent(self, commit: str) -> None:
        """BeyondBounds when the files of a commit are more than a memory may have."""
        at = f"commit {commit[:10]}"
        extent(self.tree_bytes, str(self.tree_of(commit)), at).require(at)

    def edit(self, tree: str | None, changes: Mapping[str, Key | None]) -> str:
        """The tree with `changes` (None removes a file); only folders with changes are written."""
        return _stored("a folder", lambda: self._edit(tree, changes) or str(self._repo.TreeBuilder().write()))

    def within(self, tree: str | None, cone: Cone) -> str:
        """The tree with only what `cone` holds of it; no folder that it holds whole is read."""
        files: dict[str, Key] = {}
        for folder in cone.on_the_way:
            for name, (mode, oid) in self.items(self._folder(tree, folder)).items():
                path = f"{folder}/{name}" if folder else name
                if cone.is_whole(path) or not folder_of((mode, oid)):
                    files[path] = f"{mode}:{oid}"
        return self.edit(None, files)

    # -- commits

    def is_commit(self, oid: str) -> bool:
        return self.header(oid, "object")[0] == enums.ObjectType.COMMIT

    def commit(self, tree: str, parents: Sequence[str], message: str, author: Author, now: datetime) -> str:
        """A new commit; no ref is moved."""
        offset = now.utcoffset()
        minutes = int(offset.total_seconds() // 60) if offset else 0
        signature = pygit2.Signature(author.name, author.email, int(now.timestamp()), minutes)
        if not self.has(tree):
            raise Damaged(f"tree {tree} is gone: `git gc --prune=now` may have just taken it")
        arguments = (None, signature, signature, message, tree, list(parents))
        return _stored("a commit", lambda: str(self._repo.create_commit(*arguments)))

    def recent_keys(self, tip: str | None, path: str) -> list[Key | None]:
        """What the last commits had at `path`, the newest first; None where there was no file."""
        recent = islice(self.recent(tip), _RECENT) if tip else ()
        return [self.files(self.tree_of(commit), [path]).get(path) for commit in recent]

    def _edit(self, tree: str | None, changes: Mapping[str, Key | None]) -> str | None:
        """The id of the edited tree; None when it is empty."""
        inside: dict[str, dict[str, Key | None]] = {"": {}}
        for path, key in changes.items():
            folder, _, name = path.rpartition("/")
            inside.setdefault(folder, {})[name] = key
        inside |= {above: {} for folder in [*inside] for above in prefixes_of(folder) if above not in inside}
        down = sorted(inside, key=lambda folder: (folder.count("/") + bool(folder), folder))
        before: dict[str, tuple[str | None, Mapping[str, Item]]] = {"": (tree, self.items(tree))}
        for folder in down[1:]:
            above, _, name = folder.rpartition("/")
            oid = folder_of(before[above][1].get(name))
            before[folder] = oid, self.items(oid)
        trees: dict[str, dict[str, str | None]] = {folder: {} for folder in down}
        for folder in reversed(down[1:]):
            above, _, name = folder.rpartition("/")
            trees[above][name] = self._edit_one(*before[folder], inside[folder], trees[folder])
        return self._edit_one(*before[""], inside[""], trees[""])

    def _edit_one(
        self,
        tree: str | None,
        items: Mapping[str, Item],
        files: Mapping[str, Key | None],
        folders: Mapping[str, str | None],
    ) -> str | None:
        """The id of a tree that holds `items`, with these files and folders set, or removed for None."""
        builder = self._repo.TreeBuilder(*([tree] if tree else []))
        for name, edited in folders.items():
            if edited is not None:
                builder.insert(name, edited, enums.FileMode.TREE)
            elif folder_of(items.get(name)) is not None:
                builder.remove(name)
        for name, key in files.items():
            if key is not None:
                mode, _, oid = key.rpartition(":")
                builder.insert(name, oid, int(mode, 8) if mode else enums.FileMode.BLOB)
            elif name in items and folder_of(items[name]) is None and not folders.get(name):
                builder.remove(name)
        return str(builder.write()) if len(builder) else None


@contextmanager
def _synced_at_once() -> Iterator[None]:
    """Store objects without an fsync each; at the end one sync brings them all to the disk."""
    pygit2.option(enums.Option.ENABLE_FSYNC_GITDIR, False)
    try:
        yield
        os.sync()
    finally:
        pygit2.option(enums.Option.ENABLE_FSYNC_GITDIR, True)


def _stored(what: str, store: Callable[[], str]) -> str:
    """The id of what `store` writes to the clone; it is tried again, which gives the same id. GitFailed
    when the disk is full or fails; nothing is damaged by that."""
    # A `git gc` may remove a new folder of objects before its first file is written.
    for _ in range(_TRIES - 1):
        with suppress(*_FAILURES):
            return store()
    try:
        return store()
    except _FAILURES as error:
        hint = "What was written is kept; look at the disk, and run the command again."
        raise GitFailed(f"{what} can't be stored in the clone: {error}", hint) from error
