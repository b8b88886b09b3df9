"""What a commit came to; and whether one holds all there is, told from stamps.

A commit that looked at all files and found nothing to do leaves a mark in the cache, made of all that it
went by. While the mark is the same, another commit would find nothing either, and what makes one isn't even
loaded (docs/adr/0042-nothing-waits.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.compiled import stamp_of
from ctxrepo.storage.clone.reffiles import FOLLOWED, HIDDEN, WT, WT_NEXT, RefFiles
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import Spool
from ctxrepo.storage.worktree.stamps import digest_now

if TYPE_CHECKING:
    from ctxrepo.domain.guard.write import Refusal
    from ctxrepo.domain.merge import ConflictCopy
    from ctxrepo.storage.state.writelog import Write


@dataclass(frozen=True)
class CommitResult:
    """`head` is the commit that now holds everything (None: the memory is still empty).

    `created` says whether this run made it, `held` what the guard kept out of it, `skipped` which files were
    passed over and why. `conflict_copies` are the versions that lost in a merge.
    """

    head: str | None
    created: bool = False
    held: tuple[Refusal, ...] = ()
    conflict_copies: tuple[ConflictCopy, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    done: tuple[Write, ...] = ()
    """The acknowledged writes that it holds, also those of a commit whose maker was killed before saying so;
    others wait in the write log until a commit can take them."""
    stamps: str = ""
    """Digest of the stamps of all files, where all were looked at: by it they are known again."""

    @property
    def is_all(self) -> bool:
        """Whether it held all there is before anybody looked."""
        return not (self.created or self.held or self.conflict_copies or self.skipped)


def committed_already(memory: Memory) -> CommitResult | None:
    """The commit that holds all there is, with the cache in step; None where something may wait."""
    cache = memory.cache
    head = RefFiles(memory.clone.git_dir).find(memory.clone.branch_ref)
    if not head or cache.head != head or not cache.all_committed or not _is_undisturbed(memory):
        return None
    stamps = digest_now(memory.worktree)
    return CommitResult(head) if stamps and _mark(memory, stamps) == cache.all_committed else None


def note_all_committed(memory: Memory, done: CommitResult) -> None:
    """Leave the mark, where a commit looked at everything and found nothing to do."""
    if done.is_all and done.stamps and memory.cache.head == done.head:
        mark = _mark(memory, done.stamps)
        if mark != memory.cache.all_committed:
            memory.cache.note_all_committed(mark)


def _is_undisturbed(memory: Memory) -> bool:
    """Whether nobody left word of a change, and nothing stops a commit, of which a person would be told."""
    try:
        memory.clone.require_ready()
    except CtxrepoError:
        return False
    is_empty = memory.writes.is_settled() and Spool(memory.state).is_empty()
    return is_empty and not memory.worktree.replaced.late_writes()


def _mark(memory: Memory, stamps: str) -> str:
    """Of all that a commit goes by: the files, the refs, the index, and what faults are told of."""
    refs = RefFiles(memory.clone.git_dir)
    names = (memory.clone.branch_ref, WT, WT_NEXT, HIDDEN, FOLLOWED)
    git = (memory.clone.git_dir / name for name in ("config", "index", "info/sparse-checkout"))
    files = (*git, memory.places.config_file, memory.state.trouble, memory.state.blocks)
    said = [stamps, refs.head(), *(refs.find(name) or "" for name in names)]
    said += [stamp_of(str(file)) for file in files]
    return hashlib.blake2b("\n".join(said).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
