"""A clone whose git folder is spoiled works again, and nothing acknowledged is lost.

What can't be read is moved aside. What is missing comes back from the files, the journal and the remote;
history that nobody has any more ends where it is still whole, and the next commit takes what is on disk.
Killed anywhere, it is begun again by the next run: the branch is moved last."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ctxrepo.domain.git.oid import bases_of_older_head, bases_of_same_head, blob_id
from ctxrepo.errors import CtxrepoError, Damaged, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.reffiles import FOLLOWED, OUR_REFS, WT, WT_NEXT, RefFiles
from ctxrepo.storage.clone.refwriter import RefWriter
from ctxrepo.storage.disk.kinds import misplaced, require_in_place
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.rescue.salvage import Wholeness, adopt_packs, clear_spoiled, store_index, take_graphs

_LOCK_WAIT = 60.0
"""Seconds a repair waits for a sync of this clone that is under way."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class RepairResult:
    """`done` says what was mended, `left` what was not, a line each; `aside` is where spoiled files are."""

    done: tuple[str, ...]
    left: tuple[str, ...]
    aside: Path | None

    @property
    def words(self) -> str:
        """One line for a person or a log."""
        place = f" The damaged files are in {self.aside}." if self.aside else ""
        return f"the clone was damaged: {'; '.join((*self.done, *self.left))}.{place}"


def with_repair(
    memory: Memory,
    now: datetime,
    act: Callable[[], _T],
    tell: Callable[[RepairResult], None] = lambda _: None,
) -> _T:
    """`act()`; if the clone is damaged, it is repaired and `act` runs once more. The caller holds no lock."""
    try:
        return act()
    except Damaged:
        repaired = repair(memory, now)
        if repaired.done:
            tell(repaired)
        return act()  # another process may have repaired it while we waited


def repair(memory: Memory, now: datetime) -> RepairResult:
    """Bring the clone back to work, changing only what is damaged. While a person is in the middle of
    something (a rebase, another branch) only objects are mended."""
    with locked(memory.state.lock("sync"), _LOCK_WAIT), memory.writing(), memory.building():
        memory.clone.require_there()  # what somebody has removed as a whole isn't damaged
        broken = Broken.at(memory.clone.git_dir, now)
        work = _Repair(memory, broken)
        work.run()
        return RepairResult(
            tuple(work.done), tuple(work.left), broken.folder if broken.folder.exists() else None
        )


@dataclass
class _Repair:
    """One repair under way, both locks held."""

    memory: Memory
    broken: Broken
    done: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.refs = RefWriter(self.memory.clone.git_dir)
        self.disk: dict[str, str] = {}
        """The blob of every file on disk."""

    def run(self) -> None:
        clone = self.memory.clone
        self._small_files()
        if count := clear_spoiled(clone.git_dir, self.memory.git, self.broken):
            self.done.append(f"{count} object file{'s' if count > 1 else ''} moved aside")
        self._reopen()
        self._store_what_is_here()
        if self._lacks_something():
            self._ask_remote()
        if self.done:
            take_graphs(clone.git_dir, self.broken)
            # The branch may have lost what the files were checked out as: then a save only adds.
            self.memory.journal.forget_trees()
        self._strangers()
        # Of what a person is in the middle of, the refs of others alone are led back.
        if not clone.unfinished() and clone.is_on_branch():
            self._branch()
            self._index()
            self._cache()

    def _small_files(self) -> None:
        """HEAD, packed refs, the note of a shallow clone: what git needs before it opens the clone at all."""
        clone, git_dir = self.memory.clone, self.memory.clone.git_dir
        for item in list(misplaced(git_dir)):
            if not item.is_for_a_person:
                self.broken.take_from_folder(item.path)
                self.done.append(f"{item.words}; it was moved aside")
        require_in_place(self.memory.root)
        for folder in ("objects", "refs/heads"):
            (git_dir / folder).mkdir(parents=True, exist_ok=True)
        if not self.refs.head() and not clone.unfinished():
            self.broken.copy(git_dir / "HEAD")
            self.refs.write("HEAD", f"ref: {clone.branch_ref}")
            self.done.append("HEAD was restored")
        if self.refs.packed_is_garbage():
            self.broken.copy(git_dir / "packed-refs")
            self.refs.write_packed()
            self.done.append("packed-refs was rewritten from its readable lines")
        if self.refs.shallow_is_garbage():
            self.broken.take(git_dir / "shallow")
            self.done.append("the note of what a shallow clone lacks was moved aside")

    def _store_what_is_here(self) -> None:
        """Files and acknowledged texts as objects again: the same bytes, the same id."""
        objects, worktree = self.memory.objects, self.memory.worktree
        for path in worktree.scan().files:
            with suppress(Unreadable):
                if (data := worktree.read(path)) is not None:
                    self.disk[path] = self._store(data)
        for save in self.memory.journal.read():
            for data in (save.base, save.after):
                if data is not None:
                    self._store(data)
        objects.edit(None, self.disk)
        if not self.refs.index_is_garbage():
            store_index(self.memory.clone.git_dir, self.memory.git)

    def _store(self, data: bytes) -> str:
        key = blob_id(data)
        return key if self.memory.objects.has(key) else self.memory.objects.store(data)

    def _lacks_something(self) -> bool:
        clone, whole = self.memory.clone, self.whole
        name = clone.branch_ref
        at = self._branch_is_at() or next(iter(self.refs.log(name)), None)
        tips = [at, self.refs.find(clone.upstream_ref)]
        trees = [self.refs.find(name) for name in (WT, WT_NEXT)]
        is_lost = at is None and name in clone.lost_refs()
        holes = any(t and not whole.commit(t) for t in tips) or any(t and not whole.tree(t) for t in trees)
        return is_lost or holes

    def _branch_is_at(self) -> str | None:
        """The commit that the branch is known to be at; what is left of a ref that was lost is older."""
        name = self.memory.clone.branch_ref
        return None if self.refs.is_lost(name) else self.refs.find(name)

    def _reopen(self) -> None:
        self.memory.objects.reopen()
        self.whole = Wholeness(
            self.memory.objects, cut=self.refs.shallow(), is_partial=self.memory.clone.is_partial
        )

    def _ask_remote(self) -> None:
        if not self.memory.has_remote:
            return
        clone = self.memory.clone
        folder = clone.own_dir / "refetch"
        try:
            answer = self.memory.remote.fetch_all(folder)
        except CtxrepoError as error:
            self.left.append(f"the remote could not be asked: {error.message}")
            return
        if not answer.ok:
            self.left.append(f"the remote could not be asked: {answer.reason}")
            return
        tip = RefFiles(folder).find(clone.branch_ref)
        adopt_packs(clone.git_dir, folder)
        self._reopen()
        if tip is not None:
            self.refs.write(clone.upstream_ref, tip)
        self.done.append("everything the remote has was fetched again")

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
        at = self._branch_is_at()
        if at is None and clone.branch_ref not in clone.lost_refs():
            return  # an empty memory
        tips = [at] if at else []
        ours = (c for tip in (*tips, *self.refs.log(clone.branch_ref)) if (c := whole.newest(tip)))
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
        for part in ("index", f"logs/{clone.branch_ref}"):
            self.broken.take(clone.git_dir / part)
        self._drop(clone.branch_ref, at, None)

    def _is_lost(self, name: str, *, with_files: bool = True) -> bool:
        """Whether a ref to a tree is garbage, or its tree is incomplete."""
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
        new_tree = objects.edit(None, based)
        for name in (WT_NEXT, WT):
            self.refs.write(name, new_tree)
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
