"""The object store of the clone: refs, trees, blobs and commits, built in memory. The only owner of pygit2.

It never touches index or worktree: libgit2 reads a sparse checkout as deletions. What the keys of files are
stands in `trees`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import pygit2
from pygit2.enums import FileMode, Option, SortMode

from ctxrepo.domain.cone import Cone
from ctxrepo.errors import GitFailed
from ctxrepo.storage.reflock import STALE, clear_stale_locks
from ctxrepo.storage.trees import Key, Trees, folder_of, key_of

# Without it a power cut leaves refs that point at empty objects: 6 of 6 repositories were unreadable.
pygit2.option(Option.ENABLE_FSYNC_GITDIR, True)

# A partial clone takes a file it has never seen into its trees by the id alone.
pygit2.option(Option.ENABLE_STRICT_OBJECT_CREATION, False)

_REFUSALS = (pygit2.GitError, ValueError, OSError)
"""What libgit2's refusals become: an existing ref is a ValueError, a lock in the way an OSError."""


@dataclass(frozen=True)
class Author:
    name: str
    email: str


@dataclass(frozen=True)
class Told:
    """When and by whom a commit was made, and its message."""

    when: datetime
    author: str
    message: str


class Objects:
    """One repository's objects and refs. Ids are 40 hex digits."""

    def __init__(self, clone: Path, bring: Callable[[Sequence[str]], None] | None = None) -> None:
        """`bring` fetches objects that a partial clone has left with its remote."""
        self._bring = bring
        try:
            self._repo = pygit2.Repository(str(clone))
        except (pygit2.GitError, KeyError) as error:
            raise GitFailed(f"{clone} can't be opened as a git repository: {error}") from error
        self._trees = Trees(self._tree_bytes)

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

    def drop_ref(self, name: str) -> None:
        """Remove a ref of ours; nothing happens when it isn't there."""

        def drop() -> bool:
            self._repo.references.delete(name)
            return True

        if self.ref(name) is not None:
            self._outlasting_locks(name, drop)

    def refs(self, prefix: str) -> dict[str, str]:
        """name -> what it points at, of the refs whose names begin with `prefix`."""
        names = [name for name in self._repo.references if name.startswith(prefix)]
        return {name: oid for name in names if (oid := self.ref(name)) is not None}

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
        oid = key.rpartition(":")[2]
        try:
            if self._bring and oid not in self._repo:
                self.need([key])
            found = self._repo[oid]
        except (KeyError, pygit2.GitError) as error:
            raise GitFailed(f"object {key} can't be read: {error}") from error
        return found.data if isinstance(found, pygit2.Blob) else b""

    def need(self, keys: Iterable[Key]) -> None:
        """See to it that these are here, all at once: a partial clone leaves them with the remote."""
        if self._bring:
            missing = sorted({oid for key in keys if (oid := key.rpartition(":")[2]) not in self._repo})
            if missing:
                self._bring(missing)
                self.reopen()

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

    def files(
        self, tree: str | None, only: Iterable[str] | None = None, cone: Cone | None = None
    ) -> Mapping[str, Key]:
        """path -> key of everything in a tree, or of what `cone` holds of it, or `only` has, or both."""
        if cone is None:
            return self._trees.files(tree) if only is None else self._trees.some(tree, only)
        return {**self._trees.within(tree, cone), **self._trees.some(tree, only or ())}

    def below(self, tree: str | None, folder: str) -> dict[str, Key]:
        """path -> key of everything in a folder of a tree."""
        return self._trees.below(tree, folder)

    def diff(self, old: str | None, new: str | None) -> dict[str, tuple[Key | None, Key | None]]:
        """path -> (key before, key after) of what differs; equal folders are not looked into."""
        return dict(self._trees.diff(old, new))

    def names_in(self, tree: str | None, folder: str) -> dict[str, Key | None]:
        """The names directly in a folder of a tree ('' is all of it): key, None for a folder."""
        items = self._trees.items(self._trees.folder(tree, folder))
        return {name: key_of(item) for name, item in items.items()}

    def edit(self, tree: str | None, changes: Mapping[str, Key | None]) -> str:
        """A tree like `tree` but for `changes` (None removes); only the folders concerned are rewritten."""
        edited = self._edit(tree, changes)
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

    def merge_bases(self, one: str, other: str) -> list[str]:
        """All best common ancestors, sorted; more than one when each side has merged the other's past."""
        base = self.merge_base(one, other)
        if base is None:
            return []
        common = set(self.new_commits(one, base)) & set(self.new_commits(other, base))
        inner = {parent for commit in common for parent in self.parents(commit)}
        return sorted({base, *(common - inner)})

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

    def new_commits(self, tip: str, *known: str | None) -> Iterator[str]:
        """Commits reachable from `tip` and from none of `known`, newest first."""
        walker = self._repo.walk(tip)
        for one in filter(None, known):
            walker.hide(one)
        for commit in walker:
            yield str(commit.id)

    def was_at(self, tip: str, path: str, key: Key, limit: int) -> bool:
        """Whether the last `limit` commits have held these bytes at `path`."""
        recent = islice(self.new_commits(tip), limit)
        return any(self.files(self.tree_of(commit), [path]).get(path) == key for commit in recent)

    # -- the past

    def walk(self, tip: str) -> Iterator[tuple[str, str, list[str]]]:
        """(commit, its tree, its parents) of all that is reachable: the newest first, and none before a
        commit that was made from it."""
        for commit in self._repo.walk(tip, SortMode.TOPOLOGICAL | SortMode.TIME):
            yield str(commit.id), str(commit.tree_id), [str(p) for p in commit.parent_ids]

    def key_at(self, tree: str, path: str) -> Key | None:
        """The key of the file at `path`, the id of a folder there, None when there is nothing."""
        return self._trees.at(tree, path)

    def told(self, commit: str) -> Told:
        """What a commit says of itself, whatever bytes somebody put there."""
        found = self._commit(commit)
        return Told(
            when=_moment(found.commit_time),
            author=(found.author.raw_name or b"").decode("utf-8", "replace"),
            message=found.raw_message.decode("utf-8", "replace"),
        )

    # -- inside

    def _commit(self, commit: str) -> pygit2.Commit:
        try:
            return self._repo[commit].peel(pygit2.Commit)
        except (KeyError, pygit2.GitError, ValueError) as error:
            raise GitFailed(f"commit {commit} can't be read: {error}") from error

    def _tree_bytes(self, tree: str) -> bytes:
        try:
            kind, data = self._repo.read(tree)
        except (KeyError, pygit2.GitError, ValueError) as error:
            raise GitFailed(f"tree {tree} can't be read: {error}") from error
        if kind != pygit2.enums.ObjectType.TREE:
            raise GitFailed(f"{tree} is no tree")
        return data

    def _edit(self, tree: str | None, changes: Mapping[str, Key | None]) -> str | None:
        """Id of the edited tree, None when nothing is left in it."""
        builder = self._repo.TreeBuilder(*([tree] if tree else []))
        below: dict[str, dict[str, Key | None]] = {}
        files: dict[str, Key | None] = {}
        for path, key in changes.items():
            name, slash, rest = path.partition("/")
            if slash:
                below.setdefault(name, {})[rest] = key
            else:
                files[name] = key
        items = self._trees.items(tree)
        for name, inner in below.items():
            folder = folder_of(items.get(name))
            edited = self._edit(folder, inner)
            if edited is not None:
                builder.insert(name, edited, FileMode.TREE)
            elif folder is not None:
                builder.remove(name)
        for name, key in files.items():
            if key is not None:
                mode, _, oid = key.rpartition(":")
                builder.insert(name, oid, int(mode, 8) if mode else FileMode.BLOB)
            elif name in items and folder_of(items[name]) is None and name not in below:
                builder.remove(name)
        return str(builder.write()) if len(builder) else None


def _moment(seconds: int) -> datetime:
    """A commit's time; one that no calendar has is the beginning of time."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
