"""A clone whose git folder is spoiled works again, and nothing acknowledged is lost.

What can't be read is moved aside. What is missing comes back from the files, the journal and the remote;
history that nobody has any more ends where it is still whole, and the next commit takes what is on disk.
Killed anywhere, it is begun again by the next run: the branch is moved last.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.errors import CtxrepoError, Damaged, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.rescue.pointers import Pointers, branch_is_at
from ctxrepo.storage.clone.broken import Broken
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT, RefFiles
from ctxrepo.storage.clone.refwriter import RefWriter
from ctxrepo.storage.disk.kinds import misplaced, require_in_place
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.rescue.salvage import adopt_packs, clear_spoiled, store_index, take_graphs
from ctxrepo.storage.rescue.wholeness import Wholeness

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
        kept = f" What was spoiled is in {self.aside}." if self.aside else ""
        return f"the clone was damaged: {'; '.join((*self.done, *self.left))}.{kept}"


def with_repair(
    memory: Memory,
    now: datetime,
    act: Callable[[], _T],
    told: Callable[[RepairResult], None] = lambda _: None,
) -> _T:
    """`act()`; if the clone is damaged, it is repaired and `act` runs once more. The caller holds no lock."""
    try:
        return act()
    except Damaged:
        repaired = repair(memory, now)
        if repaired.done:
            told(repaired)
        return act()  # another process may have repaired it while we waited


def repair(memory: Memory, now: datetime) -> RepairResult:
    """Bring the clone back to work; where nothing is damaged nothing is changed.

    What a person is in the middle of (a rebase, another branch) stays as it is: then only objects are mended.
    """
    with locked(memory.state.lock("sync"), _LOCK_WAIT), memory.writing(), memory.building():
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
        Pointers(self.memory, self.broken, self.refs, self.whole, self.disk, self.done).lead_back()

    def _small_files(self) -> None:
        """HEAD, packed refs, the note of a shallow clone: what git needs before it opens the clone at all."""
        clone, git_dir = self.memory.clone, self.memory.clone.git_dir
        for one in list(misplaced(git_dir)):
            if not one.is_for_a_person:
                self.broken.take_from_folder(one.path)
                self.done.append(f"{one.words}; it was moved aside")
        require_in_place(self.memory.root)
        for folder in ("objects", "refs/heads"):
            (git_dir / folder).mkdir(parents=True, exist_ok=True)
        if not self.refs.head() and not clone.unfinished():
            self.broken.copy(git_dir / "HEAD")
            self.refs.write("HEAD", f"ref: {clone.branch_ref}")
            self.done.append("HEAD was put back")
        if self.refs.packed_is_garbage():
            self.broken.copy(git_dir / "packed-refs")
            self.refs.write_packed()
            self.done.append("packed-refs was put in order")
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
        at = branch_is_at(clone, self.refs) or next(iter(self.refs.log(name)), None)
        tips = [at, self.refs.find(clone.upstream_ref)]
        trees = [self.refs.find(name) for name in (WT, WT_NEXT)]
        is_lost = at is None and name in clone.lost_refs()
        holes = any(t and not whole.commit(t) for t in tips) or any(t and not whole.tree(t) for t in trees)
        return is_lost or holes

    def _reopen(self) -> None:
        self.memory.objects.reopen()
        self.whole = Wholeness(self.memory.objects, cut=self.refs.shallow())

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
