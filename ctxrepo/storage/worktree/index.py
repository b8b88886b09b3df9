"""Makes the user's index follow HEAD, so that `git status` shows no changes."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.reffiles import FOLLOWED, RefFiles
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects.store import Objects

_TIMEOUT = 20.0

_GONE = ("0", "0" * 40)
"""The mode and id that tell git to remove a path from the index."""


@dataclass(frozen=True)
class UserIndex:
    """`.git/index`, made in a copy and put in place in one step: a killed git would leave `index.lock` in
    the user's way. Our lock is a hard link to the copy, by which we know and remove it after a kill."""

    git_dir: Path
    objects: Objects
    git: Git
    is_sparse: bool = False

    def follow(self, tree: str) -> None:
        """Make the index say what `tree` says, which is the tree of HEAD; the caller holds the write lock.
        What a person staged stays, except in files that our commit changed: there the staged version would
        take our change back with the person's next commit. If another process holds the lock, the next
        commit tries again."""
        before = self._stamp()
        base = self.objects.ref(FOLLOWED) or self._tree_before()
        # An index that is missing, or that a power cut left empty, holds nothing that a person staged.
        is_readable = before is not None and before[0] > 0
        if base == tree and is_readable:
            return
        if is_readable and RefFiles(self.git_dir).index_is_garbage():
            return  # git would write a new checksum over the damage, which `services/rescue/repair` mends
        self._clear()
        if is_readable:
            shutil.copy2(self._index, self._new)
        if self._update_copy(base if is_readable else self.objects.edit(None, {}), tree):
            with suppress(OSError):
                os.link(self._new, self._lock)
                if self._stamp() == before:
                    self._lock.rename(self._index)
                    self.objects.set_ref(FOLLOWED, tree)
        self._clear()

    def note_switch(self, tree: str) -> None:
        """Record that the user's own git has made the index say what `tree` says."""
        self.objects.set_ref(FOLLOWED, tree)

    def forget(self) -> None:
        """Forget which tree the index follows, so that the next commit compares all of it."""
        self.objects.drop_ref(FOLLOWED)

    def _update_copy(self, base: str, tree: str) -> bool:
        """Write to our copy what `tree` has wherever it differs from `base`."""
        if self.is_sparse:  # only read-tree knows folders that are not on disk, an entry each
            merges = (("read-tree", "-i", "-m", *trees) for trees in ((base, tree), (tree,)))
            return any(self.git.run(*words, timeout=_TIMEOUT, index=self._new).ok for words in merges)
        entries = [(path, after or _GONE) for path, _, after in self.objects.differences(base, tree)]
        # What goes comes first: a file may be where a folder was.
        entries.sort(key=lambda entry: entry[1] != _GONE)
        lines = "".join(f"{mode} {oid}\t{path}\0" for path, (mode, oid) in entries)
        update = ("update-index", "-z", "--index-info")
        return self.git.run(*update, timeout=_TIMEOUT, stdin=lines.encode(), index=self._new).ok

    def _tree_before(self) -> str:
        """The tree that the index had before our first commit: that of HEAD's parent."""
        head = self.objects.ref("HEAD")
        parents = self.objects.parents(head) if head else []
        return (self.objects.tree_of(parents[0]) if parents else None) or self.objects.edit(None, {})

    def _clear(self) -> None:
        """Remove our copy, and the lock if it is a link to that copy."""
        with suppress(FileNotFoundError):
            if self._lock.samefile(self._new):
                self._lock.unlink()
        for leftover in (self._new, self._new.with_name("index.lock")):
            leftover.unlink(missing_ok=True)

    def _stamp(self) -> tuple[int, int, int] | None:
        """(size, moment, inode) of the index; None for none."""
        with suppress(FileNotFoundError):
            status = self._index.stat()
            return status.st_size, status.st_mtime_ns, status.st_ino
        return None

    @property
    def _index(self) -> Path:
        return self.git_dir / "index"

    @property
    def _lock(self) -> Path:
        return self.git_dir / "index.lock"

    @property
    def _new(self) -> Path:
        return self.git_dir / "ctxrepo" / "index"
