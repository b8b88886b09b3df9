"""Refs, their logs, index and cache of a spoiled clone lead to what is still whole.

A repair does this last: killed before, it is begun again.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxrepo.domain.git.bases import bases_of_older_head, bases_of_same_head
from ctxrepo.errors import Damaged
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.clone import Clone
from ctxrepo.storage.clone.reffiles import FOLLOWED, OUR_REFS, WT, WT_NEXT, RefFiles
from ctxrepo.storage.clone.refwriter import RefWriter
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.rescue.wholeness import Wholeness


def branch_is_at(clone: Clone, refs: RefFiles) -> str | None:
    """The commit that the branch is known to be at; what is left of a ref that was lost is older."""
    return None if refs.is_lost(clone.branch_ref) else refs.find(clone.branch_ref)


@dataclass(frozen=True)
class Pointers:
    """What points at the objects of a clone, both locks held.

    `disk` has the blob of every file on disk; what was mended is added to `done`, a line each.
    """

    memory: Memory
    broken: Broken
    refs: RefWriter
    whole: Wholeness
    disk: Mapping[str, str]
    done: list[str]

    def lead_back(self) -> None:
        """Everything; of what a person is in the middle of, the refs of others alone."""
        clone = self.memory.clone
        self._strangers()
        if clone.unfinished() or not clone.is_on_branch():
            return
        self._branch()
        self._index()
        self._cache()

    def _strangers(self) -> None:
        """Refs of others go back to where their log knows them, or aside: git stumbles over broken ones."""
        clone, whole = self.memory.clone, self.whole
        upstream = self.refs.find(clone.upstream_ref)
        if self.refs.is_garbage(clone.upstream_ref) or (upstream and not whole.commit(upstream)):
            self._drop(clone.upstream_ref, upstream, None)
        for name in {*self.refs.loose(), *self.refs.packed()} - {
            clone.branch_ref,
            clone.upstream_ref,
            *OUR_REFS,
        }:
            at = self.refs.find(name)
            if self.refs.is_garbage(name) or (at and not whole.has(at)):
                known = (c for c in self.refs.log(name) if whole.has(c))
                self._drop(name, at, next(known, None))

    def _drop(self, name: str, old: str | None, new: str | None) -> None:
        """Point a ref at `new`, or nowhere, remembering where it was."""
        self.broken.copy(self.memory.clone.git_dir / name)
        self.broken.note("refs.txt", f"{name} {old or 'unreadable'} -> {new or 'nothing'}")
        if new is None:
            self.refs.remove(name, with_log=False)
        else:
            self.refs.write(name, new)
        went = f"is at {new[:12]} again" if new else "was dropped"
        self.done.append(f"{name} {went}")

    def _branch(self) -> None:
        """Put the branch on the newest whole commit, and first tell the files what they are based on."""
        clone, whole = self.memory.clone, self.whole
        at = branch_is_at(clone, self.refs)
        if at is None and clone.branch_ref not in clone.lost_refs():
            return  # an empty memory
        known = [at] if at else []
        ours = (c for tip in (*known, *self.refs.log(clone.branch_ref)) if (c := whole.newest(tip)))
        head = next(ours, None)
        disk_is_newer = at is not None and head is not None
        head = head or self.refs.find(clone.upstream_ref)
        if head is None:
            self._begin_anew(at)
            return
        if head != at:
            self._rebase_files(head, disk_is_newer)
            self._drop(clone.branch_ref, at, head)
        elif any(self._is_lost(name) for name in (WT, WT_NEXT)):
            self._rebase_files(head, disk_is_newer, is_same_head=True)
        self._forget_logs()

    def _begin_anew(self, at: str | None) -> None:
        """No commit is left anywhere: the next one is the first, of everything on disk."""
        clone = self.memory.clone
        for name in OUR_REFS:
            self.refs.remove(name, with_log=False)
        for left in ("index", f"logs/{clone.branch_ref}"):
            self.broken.take(clone.git_dir / left)
        self._drop(clone.branch_ref, at, None)

    def _is_lost(self, name: str, *, with_files: bool = True) -> bool:
        """Whether a ref to a tree is garbage, or something below it is missing."""
        tree = self.refs.find(name)
        return self.refs.is_garbage(name) or bool(tree and not self.whole.tree(tree, with_files=with_files))

    def _rebase_files(self, head: str, disk_is_newer: bool, is_same_head: bool = False) -> None:
        """Write down what each file is based on, where that can't be told any more."""
        objects = self.memory.objects
        tree = self.refs.find(WT)
        history = () if is_same_head else objects.new_commits(head, None)
        if tree and self.whole.tree(tree) and tree in {objects.tree_of(c) for c in history}:
            if self._is_lost(WT_NEXT):
                self.refs.write(WT_NEXT, tree)
            return  # the files are based on a commit that is still there
        files = objects.files(objects.tree_of(head))
        base, following = self._listed(WT), self._listed(WT_NEXT)
        if is_same_head:
            based = bases_of_same_head(self.disk, files, base, objects.has)
        else:
            based = bases_of_older_head(self.disk, files, base, following, disk_is_newer=disk_is_newer)
        made = objects.edit(None, based)
        for name in (WT_NEXT, WT):
            self.refs.write(name, made)
        self.done.append("what each file is based on was told anew")

    def _listed(self, name: str) -> Mapping[str, str]:
        """The files of a tree of ours, none where it can't be read."""
        tree = self.refs.find(name)
        try:
            return self.memory.objects.files(tree)
        except Damaged:
            return {}

    def _forget_logs(self) -> None:
        """Logs that lead to holes go aside: git can't tidy up a clone while it follows them."""
        clone = self.memory.clone
        for name in ("HEAD", clone.branch_ref, clone.upstream_ref):
            if not all(map(self.whole.commit, self.refs.log(name))):
                self.broken.take(clone.git_dir / "logs" / name)
                self.done.append(f"the log of {name} was moved aside")

    def _index(self) -> None:
        """An index that is corrupt, or follows what is lost, goes aside: the next commit makes a new one."""
        if self._is_lost(FOLLOWED, with_files=False):
            self._drop(FOLLOWED, self.refs.find(FOLLOWED), None)
        elif not self.refs.index_is_garbage():
            return
        if self.broken.take(self.memory.clone.git_dir / "index"):
            self.done.append("the index was moved aside")

    def _cache(self) -> None:
        """A cache of a commit that is lost is no start for the difference to another one."""
        head = self.memory.cache.head
        if head and not self.whole.commit(head):
            self.memory.cache.clear()
