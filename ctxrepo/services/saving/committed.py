"""The result of a commit; and whether everything is committed already, by the stamps of files (ADR 42).

A commit that read all files and found nothing to do leaves a mark in the cache, a digest of all that it
depended on. While the digest is the same, another commit would find nothing either, and the code that makes
one isn't even loaded."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from ctxrepo.domain.text import blake2b
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.cache import put_remarks, remark_of
from ctxrepo.storage.clone.reffiles import FOLLOWED, HIDDEN, WT, WT_NEXT, RefFiles
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.spool import Spool
from ctxrepo.storage.worktree.stamps import digest_now

if TYPE_CHECKING:
    from ctxrepo.domain.guard.refusals import Refusal
    from ctxrepo.domain.records.conflict_copy import ConflictCopy
    from ctxrepo.domain.records.save import Save


@dataclass(frozen=True)
class CommitResult:
    """`head` is the branch's commit now, None while the memory is empty. `created`: this run made it; `held`
    is what the guard refused, `skipped` says which files and why, `conflict_copies` are versions that
    lost."""

    head: str | None
    created: bool = False
    held: "tuple[Refusal, ...]" = ()
    conflict_copies: "tuple[ConflictCopy, ...]" = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    done: "tuple[Save, ...]" = ()
    """The saves that `head` holds and that were in the journal until now."""
    stamps: str = ""
    """A digest of the stamps of all files; '' if not all were read."""
    ignored: frozenset[str] = frozenset()
    """Notes that stay on this machine, as git is told to ignore them."""
    is_to_send: bool = False
    """Whether an errand to send it was left: a worker that is woken does it."""

    @property
    def found_nothing(self) -> bool:
        """Whether there was nothing to commit."""
        return not (self.created or self.held or self.conflict_copies or self.skipped)


def committed_already(memory: Memory) -> CommitResult | None:
    """The commit that holds everything, and the cache with it; None when something may wait for a commit."""
    mark = memory.cache.ask(remark_of, "mark")
    head = RefFiles(memory.clone.git_dir).find(memory.clone.branch_ref)
    if not head or memory.cache.head != head or not mark:
        return None
    try:
        memory.clone.require_ready()
    except CtxrepoError:  # a person must know of it
        return None
    is_empty = memory.journal.is_settled() and Spool(memory.state).is_empty()
    if not is_empty or memory.worktree.replaced.late_writes():
        return None
    stamps = digest_now(memory.worktree)
    return CommitResult(head) if stamps and _mark(memory, stamps) == mark else None


def note_all_committed(memory: Memory, result: CommitResult) -> None:
    """Leave the mark if a commit read all files and found nothing to do; and note which files are ignored."""
    ignored = sorted(result.ignored.union([] if result.stamps else memory.cache.ask(remark_of, "ignored")))
    if ignored != memory.cache.ask(remark_of, "ignored"):
        memory.cache.change(put_remarks, ignored=ignored)
    if result.found_nothing and result.stamps and memory.cache.head == result.head:
        mark = _mark(memory, result.stamps)
        if mark != memory.cache.ask(remark_of, "mark"):
            memory.cache.change(put_remarks, mark=mark)


def _mark(memory: Memory, stamps: str) -> str:
    """A digest of all that a commit depends on: files, refs, index, and the sources of faults."""
    refs = RefFiles(memory.clone.git_dir)
    names = (memory.clone.branch_ref, WT, WT_NEXT, HIDDEN, FOLLOWED)
    info = (f"info/{name}" for name in ("sparse-checkout", "exclude", "attributes"))
    git = (memory.clone.git_dir / name for name in ("config", "index", *info))
    files = (*git, memory.places.config_file, memory.state.trouble, memory.state.blocks)
    parts = [stamps, refs.head(), *(refs.find(name) or "" for name in names)]
    parts += [stamp_of(str(file)) for file in files]
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
