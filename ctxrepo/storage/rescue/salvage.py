"""Which commits and trees are complete; objects brought back from broken packs, the index or elsewhere."""

import os
import shutil
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TypeVar

from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.disk.private import sync_folder
from ctxrepo.storage.git.git import Git
from ctxrepo.storage.objects.objectfiles import packs_without_index, spoiled_objects
from ctxrepo.storage.objects.store import Objects

_Part = TypeVar("_Part")


@dataclass(frozen=True)
class Wholeness:
    """Answers for one moment, which are remembered. `spoiled` are ids of objects that are there and can't
    be read; `cut` are commits without parents on purpose. In a partial clone files may be at the remote.
    TimeoutError past monotonic `end`."""

    objects: Objects
    spoiled: Collection[str] = ()
    cut: Collection[str] = ()
    end: float = float("inf")
    is_partial: bool = False
    _there: set[str] = field(default_factory=set)
    _trees: dict[tuple[str, bool], bool] = field(default_factory=dict)
    _commits: dict[str, bool] = field(default_factory=dict)

    def has(self, oid: str) -> bool:
        if oid not in self._there and oid not in self.spoiled and self.objects.has(oid):
            self._there.add(oid)
        return oid in self._there

    def tree(self, tree: str, *, with_files: bool = True) -> bool:
        """Whether all folders below a tree are there and, `with_files`, all files."""
        with_files = with_files and not self.is_partial

        def inside(at: tuple[str, bool]) -> list[tuple[str, bool]] | None:
            folders = self._folders(at[0], with_files=with_files)
            return None if folders is None else [(folder, with_files) for folder in folders]

        return self._judged((tree, with_files), self._trees, inside)

    def commit(self, tip: str) -> bool:
        """Whether a commit, its files and all its history are there."""
        return self._judged(tip, self._commits, lambda at: self._parents(at) if self._has_files(at) else None)

    def _judged(
        self, start: _Part, verdicts: dict[_Part, bool], inside: Callable[[_Part], list[_Part] | None]
    ) -> bool:
        """Whether something is whole with all that is `inside` of it, None where it isn't so by itself."""
        parts: dict[_Part, list[_Part] | None] = {}
        stack = [start]
        while stack:
            if time.monotonic() > self.end:
                raise TimeoutError
            at = stack[-1]
            if at not in verdicts and at not in parts:
                parts[at] = inside(at)
                stack += (part for part in parts[at] or () if part not in verdicts)
                continue
            stack.pop()
            if at not in verdicts:
                those = parts.pop(at)
                verdicts[at] = those is not None and all(verdicts[part] for part in those)
        return verdicts[start]

    def newest(self, tip: str) -> str | None:
        """The newest whole commit on the way back from `tip`, along what this clone had itself."""
        at: str | None = tip
        while at is not None and not self.commit(at):
            at = next(iter(self._parents(at)), None)
        return at

    def _folders(self, tree: str, *, with_files: bool) -> list[str] | None:
        """The folders right below a tree; None for one that can't be read or, `with_files`, lacks one."""
        if tree in self.spoiled:
            return None
        try:
            folders, files = self.objects.children(tree)
        except Damaged:
            return None
        return folders if not with_files or all(map(self.has, files)) else None

    def _has_files(self, commit: str) -> bool:
        try:
            tree = self.objects.tree_of(commit) if commit not in self.spoiled else None
        except Damaged:
            return False
        return tree is not None and self.tree(tree)

    def _parents(self, commit: str) -> list[str]:
        """None for one that can't be read: it isn't whole by itself."""
        if commit in self.cut or commit in self.spoiled:
            return []
        try:
            return self.objects.parents(commit)
        except Damaged:
            return []


_TIMEOUT = 120.0
"""Seconds for one git process that goes through a whole pack."""


def clear_spoiled(git_dir: Path, git: Git, broken: Broken) -> int:
    """Move aside every object file that can't be read, keeping what is readable in it; returns how many."""
    count = 0
    for path, _ in list(spoiled_objects(git_dir)):
        there = broken.take(path)
        count += there is not None
        if path.suffix == ".pack":
            for other in path.parent.glob(f"{path.stem}.*"):
                broken.take(other)
            if there is not None and there.is_file():
                # What can be read of it, with one sync of the disk instead of one for each object.
                words = ("-c", "core.fsync=none", "unpack-objects", "-r", "-q")
                git.run(*words, timeout=_TIMEOUT, stdin=there.read_bytes())
                os.sync()
    for pack in packs_without_index(git_dir):
        # git takes a pack it can't find the index of for none at all.
        git.run("index-pack", str(pack), timeout=_TIMEOUT)
    return count


def take_graphs(git_dir: Path, broken: Broken) -> None:
    """Move aside what git has written down of the history: it may tell of commits that are gone."""
    info = git_dir / "objects" / "info"
    for path in (info / "commit-graph", *info.glob("commit-graphs/*")):
        broken.take(path)


def store_index(git_dir: Path, git: Git) -> None:
    """Write the folders that the user's index knows as trees: after a commit they are the commit's own."""
    # git would write into the index itself, or make an empty one.
    copy = git_dir / "ctxrepo" / "index-to-read"
    with suppress(FileNotFoundError):
        shutil.copy2(git_dir / "index", copy)
        git.run("write-tree", "--missing-ok", timeout=_TIMEOUT, index=copy)
        copy.unlink()


def adopt_packs(git_dir: Path, other: Path) -> None:
    """Move the packs of another repository on this disk here, each index last: with it the pack counts."""
    packs = git_dir / "objects" / "pack"
    packs.mkdir(parents=True, exist_ok=True)
    for file in sorted((other / "objects" / "pack").glob("pack-*"), key=lambda p: p.suffix == ".idx"):
        file.rename(packs / file.name)
    sync_folder(packs)
    shutil.rmtree(other, ignore_errors=True)
