"""Lets the user's index follow HEAD, so that `git status` reads clean."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxrepo.storage.clone.reffiles import FOLLOWED, RefFiles
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects.store import Objects

_TIMEOUT = 20.0

_GONE = ("0", "0" * 40)
"""What git is told of a path that is to leave the index."""


@dataclass(frozen=True)
class UserIndex:
    """`.git/index`, prepared in a copy and put in place in one step.

    git holds `index.lock` for as long as it works, and a git that is killed leaves it behind for the user
    to stumble over. So git works on our copy, and the lock is a link to the finished copy: one that a kill
    left behind is known by that and taken away again.
    """

    git_dir: Path
    objects: Objects
    git: Git
    is_sparse: bool = False

    def follow(self, tree: str) -> None:
        """Bring the index to `tree`, which HEAD has by now; under the write lock.

        What a person staged stays where our commits left it alone. A path we have committed is overtaken:
        the older version, staged still, would take back with the person's next commit what ours holds.
        Where it fails (somebody else's lock) the index is left as it was, and the next commit tries again.
        """
        before = self._stamp()
        base = self.objects.ref(FOLLOWED) or self._tree_before()
        # An index that is gone, or that a power cut left empty, says nothing of what a person staged.
        is_readable = before is not None and before.st_size > 0
        if base == tree and is_readable:
            return
        if is_readable and RefFiles(self.git_dir).index_is_garbage():
            return  # git would take it as it is, and its next hash would hide the damage: `repair` mends it
        self._clear()
        if is_readable:
            shutil.copy2(self._index, self._new)
        if self._update_copy(base if is_readable else self.objects.edit(None, {}), tree):
            with suppress(OSError):
                os.link(self._new, self._lock)
                if _is_same(self._stamp(), before):
                    self._lock.rename(self._index)
                    self.objects.set_ref(FOLLOWED, tree)
        self._clear()

    def note_switch(self, tree: str) -> None:
        """A git of the user's has brought the index to `tree`."""
        self.objects.set_ref(FOLLOWED, tree)

    def forget(self) -> None:
        """Go through the index anew next time, whatever it followed."""
        self.objects.drop_ref(FOLLOWED)

    def _update_copy(self, base: str, tree: str) -> bool:
        """Give our copy what `tree` has wherever that differs from `base`."""
        if self.is_sparse:
            return self._update_sparse_copy(base, tree)
        entries = [(path, after or _GONE) for path, _, after in self.objects.differences(base, tree)]
        # What goes comes first: a file may be where a folder was.
        entries.sort(key=lambda entry: entry[1] != _GONE)
        lines = "".join(f"{mode} {oid}\t{path}\0" for path, (mode, oid) in entries)
        update = ("update-index", "-z", "--index-info")
        return self.git.run(*update, timeout=_TIMEOUT, stdin=lines.encode(), index=self._new).ok

    def _update_sparse_copy(self, base: str, tree: str) -> bool:
        """Folders that are not on disk stay one entry each, which only git's own merging of trees knows."""
        words = ("read-tree", "-i", "-m")
        if self.git.run(*words, base, tree, timeout=_TIMEOUT, index=self._new).ok:
            return True
        return self.git.run(*words, tree, timeout=_TIMEOUT, index=self._new).ok

    def _tree_before(self) -> str:
        """What the index followed before we came: HEAD as it was before our commit."""
        head = self.objects.ref("HEAD")
        parents = self.objects.parents(head) if head else []
        return (self.objects.tree_of(parents[0]) if parents else None) or self.objects.edit(None, {})

    def _clear(self) -> None:
        """Take away what is ours: the copy, and a lock that is a link to it."""
        with suppress(FileNotFoundError):
            if self._lock.samefile(self._new):
                self._lock.unlink()
        for left in (self._new, self._new.with_name("index.lock")):
            left.unlink(missing_ok=True)

    def _stamp(self) -> os.stat_result | None:
        with suppress(FileNotFoundError):
            return self._index.stat()
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


def _is_same(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.st_mtime_ns, one.st_ino, one.st_size) == (other.st_mtime_ns, other.st_ino, other.st_size)
