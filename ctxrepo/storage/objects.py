"""The object store of the clone: refs, trees, blobs and commits, built in memory. The only owner of pygit2.

It never touches index or worktree: libgit2 reads a sparse checkout as deletions. A blob's key is its id;
what is no plain file (a link, a submodule) has the key `mode:id` and passes through untouched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, Option

from ctxrepo.errors import GitFailed
from ctxrepo.storage.reflock import STALE, clear_stale_locks

# Without it a power cut leaves refs that point at empty objects: 6 of 6 repositories were unreadable.
pygit2.option(Option.ENABLE_FSYNC_GITDIR, True)

Key = str
_REFUSALS = (pygit2.GitError, ValueError, OSError)
"""What libgit2's refusals become: an existing ref is a ValueError, a lock in the way an OSError."""

_PLAIN = (FileMode.BLOB, FileMode.BLOB_EXECUTABLE)


@dataclass(frozen=True)
class Author:
    name: str
    email: str


class Objects:
    """One repository's objects and refs. Ids are 40 hex digits."""

    def __init__(self, clone: Path) -> None:
        try:
            self._repo = pygit2.Repository(str(clone))
        except (pygit2.GitError, KeyError) as error:
            raise GitFailed(f"{clone} can't be opened as a git repository: {error}") from error

    @property
    def git_dir(self) -> Path:
        return Path(self._repo.path)

    def reopen(self) -> None:
        """See packs that another process has brought since."""
        self._repo = pygit2.Repository(self._repo.path)

    # -- refs

    def ref(self, name: str) -> str | None:
        """What the ref points at, following symbolic ones; None when it isn't there."""
        try:
            return str(self._repo.references[name].resolve().target)
        except (KeyError, pygit2.GitError, ValueError):
            return None

    def move_ref(self, name: str, new: str, old: str | None) -> bool:
        """Compare and swap: False when the ref is not at `old` any more."""
        return self._outlasting_locks(name, lambda: self._swap(name, new, old))

    def set_ref(self, name: str, new: str) -> None:
        """Point a ref of ours somewhere, whatever it was."""
        self._outlasting_locks(name, lambda: bool(self._repo.references.create(name, new, force=True)))

    def _swap(self, name: str, new: str, old: str | None) -> bool:
        now = self._repo.references.get(name)
        if (str(now.target) if now else None) != old:
            return False
        try:
            if now is None:
                self._repo.references.create(name, new)
            elif new != old:
                now.set_target(new)  # fails when the ref moved since it was looked up
        except _REFUSALS:
            if self.ref(name) == old:
                raise
            return False
        return True

    def _outlasting_locks(self, name: str, act: Callable[[], bool]) -> bool:
        """Do it, taking away a lock that a kill left on the ref once it is old enough to be sure."""
        end = time.monotonic() + 2 * STALE
        while True:
            try:
                return act()
            except _REFUSALS as error:
                if time.monotonic() > end:
                    raise GitFailed(f"{name} can't be moved: {error}") from error
            clear_stale_locks(self.git_dir, name, "packed-refs", "HEAD")
            time.sleep(0.05)

    # -- blobs and trees

    def data(self, key: Key) -> bytes:
        try:
            found = self._repo[key.rpartition(":")[2]]
        except (KeyError, pygit2.GitError) as error:
            raise GitFailed(f"object {key} can't be read: {error}") from error
        return found.data if isinstance(found, pygit2.Blob) else b""

    def find(self, tree: str, path: str) -> bytes | None:
        """The bytes at `path` in a tree; None when the tree or the path isn't there."""
        try:
            found = self._repo[tree].peel(pygit2.Tree)[path]
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return found.data if isinstance(found, pygit2.Blob) else None

    def has(self, key: Key) -> bool:
        return key.rpartition(":")[2] in self._repo

    def store(self, data: bytes) -> Key:
        return str(self._repo.create_blob(data))

    def tree_of(self, commit: str | None) -> str | None:
        return None if commit is None else str(self._commit(commit).tree_id)

    def files(self, tree: str | None) -> dict[str, Key]:
        """path -> key of everything in a tree."""
        return {p: new for p, (_, new) in self.diff(None, tree).items() if new is not None}

    def diff(self, old: str | None, new: str | None) -> dict[str, tuple[Key | None, Key | None]]:
        """path -> (key before, key after) of what differs; equal folders are not looked into."""
        return dict(self._differences(self._tree(old), self._tree(new), ""))

    def edit(self, tree: str | None, changes: Mapping[str, Key | None]) -> str:
        """A tree like `tree` but for `changes` (None removes); only the folders concerned are rewritten."""
        edited = self._edit(self._tree(tree), changes)
        return edited or str(self._repo.TreeBuilder().write())

    # -- commits

    def commit(self, tree: str, parents: Sequence[str], message: str, author: Author, now: datetime) -> str:
        """A new commit; no ref is moved."""
        offset = now.utcoffset()
        minutes = int(offset.total_seconds() // 60) if offset else 0
        signature = pygit2.Signature(author.name, author.email, int(now.timestamp()), minutes)
        return str(self._repo.create_commit(None, signature, signature, message, tree, list(parents)))

    def merge_base(self, one: str, other: str) -> str | None:
        base = self._repo.merge_base(one, other)
        return str(base) if base else None

    def contains(self, descendant: str, ancestor: str) -> bool:
        """Whether `ancestor` is `descendant` or one of its ancestors."""
        return descendant == ancestor or bool(self._repo.descendant_of(descendant, ancestor))

    def is_in(self, descendant: str, commit: str) -> bool:
        """`contains` for a commit that may not exist at all."""
        return commit in self._repo and self.contains(descendant, commit)

    def ahead_behind(self, local: str, upstream: str) -> tuple[int, int]:
        ahead, behind = self._repo.ahead_behind(local, upstream)
        return ahead, behind

    def parents(self, commit: str) -> list[str]:
        return [str(p) for p in self._commit(commit).parent_ids]

    def new_commits(self, tip: str, known: str | None) -> Iterator[str]:
        """Commits reachable from `tip` and not from `known`, newest first."""
        walker = self._repo.walk(tip)
        if known is not None:
            walker.hide(known)
        for commit in walker:
            yield str(commit.id)

    # -- inside

    def _commit(self, commit: str) -> pygit2.Commit:
        try:
            return self._repo[commit].peel(pygit2.Commit)
        except (KeyError, pygit2.GitError, ValueError) as error:
            raise GitFailed(f"commit {commit} can't be read: {error}") from error

    def _tree(self, tree: str | pygit2.Oid | None) -> pygit2.Tree | None:
        if tree is None:
            return None
        try:
            return self._repo[tree].peel(pygit2.Tree)
        except (KeyError, pygit2.GitError, ValueError) as error:
            raise GitFailed(f"tree {tree} can't be read: {error}") from error

    def _differences(
        self, old: pygit2.Tree | None, new: pygit2.Tree | None, prefix: str
    ) -> Iterator[tuple[str, tuple[Key | None, Key | None]]]:
        before, after = _items(old), _items(new)
        for name in sorted(before.keys() | after.keys()):
            a, b = before.get(name), after.get(name)
            if a == b:
                continue
            path = prefix + name
            old_tree = self._tree(a[1]) if a and a[0] == FileMode.TREE else None
            new_tree = self._tree(b[1]) if b and b[0] == FileMode.TREE else None
            if old_tree is not None or new_tree is not None:
                yield from self._differences(old_tree, new_tree, path + "/")
            keys = _key(a), _key(b)
            if keys[0] != keys[1]:
                yield path, keys

    def _edit(self, tree: pygit2.Tree | None, changes: Mapping[str, Key | None]) -> str | None:
        """Id of the edited tree, None when nothing is left in it."""
        builder = self._repo.TreeBuilder(tree) if tree is not None else self._repo.TreeBuilder()
        below: dict[str, dict[str, Key | None]] = {}
        files: dict[str, Key | None] = {}
        for path, key in changes.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = key
            else:
                files[name] = key
        items = _items(tree)
        for name, inner in below.items():
            is_tree = name in items and items[name][0] == FileMode.TREE
            edited = self._edit(self._tree(items[name][1]) if is_tree else None, inner)
            if edited is not None:
                builder.insert(name, edited, FileMode.TREE)
            elif is_tree:
                builder.remove(name)
        for name, key in files.items():
            if key is not None:
                mode, _, oid = key.rpartition(":")
                builder.insert(name, oid, int(mode, 8) if mode else FileMode.BLOB)
            elif name in items and items[name][0] != FileMode.TREE and name not in below:
                builder.remove(name)
        return str(builder.write()) if len(builder) else None


def _items(tree: pygit2.Tree | None) -> dict[str, tuple[int, pygit2.Oid]]:
    items: dict[str, tuple[int, pygit2.Oid]] = {}
    for item in tree or ():
        with suppress(UnicodeDecodeError):  # a name that is no UTF-8 stays in the tree, unseen
            items[(item.raw_name or b"").decode()] = (int(item.filemode), item.id)
    return items


def _key(item: tuple[int, pygit2.Oid] | None) -> Key | None:
    """None for a folder: its files speak for themselves."""
    if item is None or item[0] == FileMode.TREE:
        return None
    return str(item[1]) if item[0] in _PLAIN else f"{item[0]:o}:{item[1]}"
