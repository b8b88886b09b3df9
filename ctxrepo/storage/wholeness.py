"""Which trees and commits are there with all that is below them."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field

from ctxrepo.errors import Damaged
from ctxrepo.storage.objects import Objects


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
    _trees: dict[str, bool] = field(default_factory=dict)
    _commits: dict[str, bool] = field(default_factory=dict)

    def has(self, oid: str) -> bool:
        if oid not in self._there and oid not in self.spoiled and self.objects.has(oid):
            self._there.add(oid)
        return oid in self._there

    def tree(self, tree: str, *, with_files: bool = True) -> bool:
        """Whether all folders below a tree are there and, `with_files`, all files."""
        if not with_files:
            return self._has_folders(tree)
        if tree not in self._trees:
            self._trees[tree] = self._is_tree_whole(tree)
        return self._trees[tree]

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

    def _is_tree_whole(self, tree: str) -> bool:
        if tree in self.spoiled:
            return False
        try:
            folders, files = self.objects.children(tree)
        except Damaged:
            return False
        return all(map(self.has, files)) and all(map(self.tree, folders))

    def _has_folders(self, tree: str) -> bool:
        try:
            return tree not in self.spoiled and all(map(self._has_folders, self.objects.children(tree)[0]))
        except Damaged:
            return False

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
