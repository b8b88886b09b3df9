"""Which trees and commits are there with all that is below them."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import field

from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.objects.store import Objects


@dataclass(frozen=True)
class Wholeness:
    """Answers are remembered: one of these is for one moment only.

    `spoiled` are ids of objects that exist and can't be read; `cut` are commits whose parents were left out
    on purpose. TimeoutError past monotonic `end`.
    """

    objects: Objects
    spoiled: Collection[str] = ()
    cut: Collection[str] = ()
    end: float = float("inf")
    _there: set[str] = field(default_factory=set)
    _trees: dict[tuple[str, bool], bool] = field(default_factory=dict)
    _commits: dict[str, bool] = field(default_factory=dict)

    def has(self, oid: str) -> bool:
        if oid not in self._there and oid not in self.spoiled and self.objects.has(oid):
            self._there.add(oid)
        return oid in self._there

    def tree(self, tree: str, *, with_files: bool = True) -> bool:
        """Whether all folders below a tree are there and, `with_files`, all files."""
        known = self._trees
        inside: dict[str, list[str] | None] = {}
        stack = [tree]
        while stack:
            if time.monotonic() > self.end:
                raise TimeoutError
            at = stack[-1]
            if (at, with_files) not in known and at not in inside:
                inside[at] = self._folders(at, with_files=with_files)
                stack += (one for one in inside[at] or () if (one, with_files) not in known)
                continue
            stack.pop()
            if (at, with_files) not in known:
                folders = inside.pop(at)
                known[at, with_files] = folders is not None and all(known[one, with_files] for one in folders)
        return known[tree, with_files]

    def commit(self, tip: str) -> bool:
        """Whether a commit, its files and all its history are there."""
        stack = [tip]
        while stack:
            if time.monotonic() > self.end:
                raise TimeoutError
            commit = stack[-1]
            parents = self._parents(commit)
            if commit not in self._commits and (waiting := [p for p in parents if p not in self._commits]):
                stack += waiting
                continue
            stack.pop()
            if commit not in self._commits:
                is_whole = self._has_files(commit) and all(self._commits[p] for p in parents)
                self._commits[commit] = is_whole
        return self._commits[tip]

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
