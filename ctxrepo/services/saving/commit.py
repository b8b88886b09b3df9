"""Makes one commit of everything that was written since the last one, then checks the commit out.

The saves in the journal and what is found on disk are folded, file by file. What the write guard refuses is
held back, and its saves stay in the journal; the rest is committed (ADR 48)."""

from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from ctxrepo.domain.git.commit import message
from ctxrepo.domain.guard.deletions import summary_of
from ctxrepo.domain.guard.refusals import RULE
from ctxrepo.domain.guard.takeback import emptied
from ctxrepo.domain.merge.fold import FoldedFile
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.project.layout import is_note
from ctxrepo.domain.records.save import LATE, Origin, Save
from ctxrepo.errors import Busy, RepositoryState, Uncommitted, Unsigned
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import note_made_here, require_ready
from ctxrepo.services.saving.accept import (
    Accepted,
    Changes,
    judge,
    note_confirmed,
    show_held,
    tree_in_view,
    tree_with,
)
from ctxrepo.services.saving.committed import CommitResult, note_all_committed
from ctxrepo.services.saving.describe import describe, verbs_of
from ctxrepo.services.saving.moved_by_hand import follow_moves, moved_evidence, moved_projects
from ctxrepo.services.saving.pending import Pending, find_pending, fold_all, journal_late_writes
from ctxrepo.services.saving.refresh import build, refresh
from ctxrepo.services.saving.staged_edits import stage_edits
from ctxrepo.services.sessions.session_settings import may_send
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.remote.exchanges import Errands
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.state.journal import Intent
from ctxrepo.storage.worktree.checkout import Snapshot
from ctxrepo.storage.worktree.worktree import LateWrite

Made = TypeVar("Made")

_MOST_SIGNATURES = 20
"""How many commits of one go are signed: mostly versions of an agent that have their place in the history."""

_TRIES = 5
"""How often we begin again, because a person has moved the branch or a program writes late, before we leave
the rest to the next commit."""


@dataclass(frozen=True)
class CommitRequest:
    """What to commit: all saves, and what nobody announced in the files in `only` (None: in all) `until` a
    moment, in seconds since 1970 (None: up to now). What was written after it is left to a later commit, for
    the hook that names the agent may still come. With `deletions` a person confirms what would be held back
    as a mass deletion. `agents` had sessions that may have written what nobody announced; '' is a person."""

    only: Collection[str] | None = None
    until: float | None = None
    deletions: bool = False
    agents: Collection[str] = ()


ALL = CommitRequest()


def commit(
    memory: Memory, now: datetime, request: CommitRequest = ALL, *, signs: bool = True, sends: bool = True
) -> CommitResult:
    """Commit what is pending, and make worktree, index and cache follow. If a session of who
    wrote it may send, an errand to send it is left; without `sends` the caller sees to that.
    RepositoryState when a person has not finished a merge or the like in the clone; Uncommitted when it can't
    be signed, and Unsigned when it would have to be without `signs`; Busy when another writer holds the lock.
    Nothing is lost by any of these, and in view by all but the last."""
    try:
        require_ready(memory)
    except RepositoryState:
        head = memory.cache.head  # the branch may be elsewhere by a person's doing
        with memory.writing():
            if head and memory.objects.has(head):
                build(memory, head, tree_in_view(memory, memory.objects.tree_of(head)))
        raise

    def locked() -> CommitResult:
        with memory.writing():
            return commit_locked(memory, now, request)

    result = with_signatures(memory, locked) if signs else locked()
    agents = {*request.agents, *(save.by.agent for save in result.done)} or {""}
    if not (sends and (result.created or result.done) and may_send(memory, agents)):
        return result
    Errands(memory.state.root).leave("send")
    return replace(result, is_to_send=True)


def with_signatures(memory: Memory, act: Callable[[], Made]) -> Made:
    """What `act` returns, which makes commits under locks: each that must be signed is signed between two
    runs of it, for a signer may wait for somebody."""
    for _ in range(_MOST_SIGNATURES):
        try:
            return act()
        except Unsigned as unsigned:
            memory.sign(unsigned)
    return act()


def commit_locked(memory: Memory, now: datetime, request: CommitRequest = ALL) -> CommitResult:
    """`commit` for a caller that holds the write lock, and signs what is Unsigned once it doesn't."""
    with memory.building():
        done = CommitResult(memory.head, done=tuple(_end_half_way(memory, memory.head)))
        stage_edits(memory, now)
        is_made = False
        for _ in range(_TRIES):
            committed, late = _attempt(memory, now, request)
            if committed is None:
                continue
            copies, saves = (*done.conflict_copies, *committed.conflict_copies), (*done.done, *committed.done)
            is_created, is_made = done.created or committed.created, True
            done = replace(committed, created=is_created, conflict_copies=copies, done=saves)
            if not late:  # else they are committed, too
                break
        if not is_made:
            raise Busy("the branch kept moving while we were committing", "Run the command again.")
        refresh(memory, done.head, tree_in_view(memory, memory.objects.tree_of(done.head)))
        note_all_committed(memory, done)
        if done.found_nothing and not memory.is_background:
            memory.sign_attempts.forget()  # nothing waits for a signature, or somebody will ask again
        return done


def _attempt(
    memory: Memory, now: datetime, request: CommitRequest
) -> tuple[CommitResult | None, Sequence[LateWrite]]:
    """Try once: the result (None: the branch moved meanwhile), and late writes that need another attempt."""
    objects, old = memory.objects, memory.head
    old_tree = objects.tree_of(old)
    journal_late_writes(memory, memory.worktree.replaced.late_writes(), now)
    accepted = None
    for only in (request.only, None):
        pending = find_pending(memory, old_tree, only, request.until, hides=True)
        if old and (moves := follow_moves(memory, pending, old)):
            only = None if only is None else {*only, *moves.values()}
            pending = find_pending(memory, old_tree, only, request.until, hides=True)
        files = fold_all(memory, pending)
        if accepted := _accept(memory, replace(request, only=only), pending, files, old, now):
            break
    assert accepted  # a look at all files decides
    # Neither taken nor checked out; nobody is told of the latter two.
    alone = frozenset(refusal.path for refusal in accepted.held) | pending.later | pending.kept.ignored
    saves = tuple(save for save in pending.saves if save.path not in alone)
    new = old
    try:
        for changes, deleted in accepted.in_order():
            summary = summary_of(deleted, is_confirmed=request.deletions)
            by = _saves_behind(changes, saves, accepted.earlier)
            new = _make_commit(memory, new, changes, by, now, str(summary or ""))
    except Uncommitted:
        refresh(memory, old, tree_with(memory, old_tree, files, alone))
        raise
    if new is not None and new != old:
        on_disk = {path: data for path, data in pending.on_disk.items() if path not in alone}
        # Before the branch moves: a kill may come right after it.
        memory.journal.intend(Intent(new, tuple(save.place for save in saves), objects.store_files(on_disk)))
        if not objects.move_ref(memory.clone.branch_ref, new, old):
            return None, ()
        note_made_here(memory, new)
    tree, snapshot = objects.tree_of(new), pending.snapshot
    stamps = "" if snapshot.is_emptied or pending.later else snapshot.disk.stamps
    snapshot, edited_meanwhile = _extend(memory, snapshot, accepted.changes.keys(), old_tree)
    late = check_out(memory, tree, snapshot, alone | edited_meanwhile) if tree else ()
    _take_out(memory, saves, new)
    memory.journal.take_out(save.place for save in pending.aside)  # their files have them
    show_held(memory, pending, files, accepted.held)
    if late:
        journal_late_writes(memory, late, now)
    refusals, copies = tuple(accepted.held), tuple(accepted.conflict_copies)
    ignored = pending.kept.ignored
    committed = CommitResult(new, new != old, refusals, copies, snapshot.skipped, saves, stamps, ignored)
    return committed, [write for write in late if write.path not in alone]


def _accept(
    memory: Memory,
    request: CommitRequest,
    pending: Pending,
    files: Sequence[FoldedFile],
    head: str | None,
    now: datetime,
) -> Accepted | None:
    """What of these files may be committed; what may not is noted, and told until a look judges it again.
    None where something was deleted: it may have moved to a file that wasn't looked at."""
    if request.deletions:
        files = [_without_untouched(memory, file, pending.tree) for file in files]
    kept_out = KeptOutFile(memory.state.held)
    known = kept_out.read().by(RULE)
    accepted = judge(memory, files, pending.tree, is_meant=request.deletions, known=known)
    if request.deletions:
        note_confirmed(memory, files, pending.tree, accepted)
    held = {refusal.path for refusal in accepted.held if refusal.rule == RULE}
    if request.only is not None and (accepted.deleted or held.difference(refusal.path for refusal in known)):
        return None
    accepted.changes |= moved_evidence(memory, accepted.changes, accepted.moves, pending.tree, now)
    accepted.changes |= moved_projects(memory, accepted.changes, head)
    accepted.held += pending.kept.refusals()
    kept_out.note(accepted.held, now, pending.snapshot.skipped, pending.has_judged)
    return accepted


def _without_untouched(memory: Memory, file: FoldedFile, tree: str | None) -> FoldedFile:
    """A note that a hand deleted, and somebody confirmed that: where another machine has changed it since, it
    is there with what that changed alone."""
    if file.data is not None or file.commanded is None or not is_note(file.path):
        return file
    if memory.objects.find(tree, file.path) in (None, file.base):
        return file
    return replace(file, data=encode(emptied(decode_exactly(file.base or b""))))


def _end_half_way(memory: Memory, head: str | None) -> list[Save]:
    """Take out and return the saves of a commit whose run was killed before it could: merged once more, they
    would undo what people have changed since."""
    objects = memory.objects
    intent = memory.journal.left_half_way(lambda commit: head is not None and objects.is_in(head, commit))
    if intent is None:
        return []
    made = objects.files(objects.tree_of(intent.commit), intent.on_disk)
    based = objects.files(objects.ref(WT), intent.on_disk)
    behind = {p: key for p, key in intent.on_disk.items() if based.get(p) != made.get(p)}
    memory.checkout.base_on(behind)
    saves = [save for save in memory.journal.read() if save.place in intent.done]
    _take_out(memory, saves, intent.commit)
    return saves


def _take_out(memory: Memory, saves: Sequence[Save], head: str | None) -> None:
    """Take these saves out of the journal, since `head` holds them."""
    if head:  # before they are taken out: after that only this list knows them
        memory.done_log.add(saves, head)
    memory.journal.take_out([save.place for save in saves])


def _extend(
    memory: Memory, snapshot: Snapshot, paths: Set[str], old_tree: str | None
) -> tuple[Snapshot, frozenset[str]]:
    """The snapshot with all files that the commit changes, and those of the new ones that somebody edited."""
    known = snapshot.disk.only
    if known is None or paths <= known:
        return snapshot, frozenset()
    snapshot = memory.checkout.extend(snapshot, paths, old_tree)
    return snapshot, frozenset(memory.checkout.edited(snapshot, old_tree) - known)


def _saves_behind(changes: Changes, saves: Sequence[Save], earlier: Sequence[Changes]) -> Sequence[Save]:
    """The saves that made the changes of one commit. A version of an agent's tool that has a commit of its
    own has no part in the last ones: what a hand made of it is the hand's."""
    if any(changes is former for former in earlier):
        return [save for save in saves if (save.path, save.after) in changes.items()]
    apart = [change for former in earlier for change in former.items()]
    return [save for save in saves if (save.path, save.after) not in apart]


def _make_commit(
    memory: Memory, old: str | None, changes: Changes, saves: Sequence[Save], now: datetime, deleted: str
) -> str | None:
    """A commit of `changes` on top of `old`, which says what was `deleted`; `old` if they change nothing."""
    objects = memory.objects
    old_tree = objects.tree_of(old)
    keys = objects.store_files(changes)
    memory.guarded.update((path, key) for path, key in keys.items() if key)
    tree = objects.edit(old_tree, keys)
    if not changes or tree == old_tree:
        return old
    file_changes = describe(memory, changes, objects.files(old_tree, changes), verbs_of(saves))
    # Who wrote, each once; only this machine for edits by hand.
    authors = dict.fromkeys(replace(save.by, host=memory.host) for save in saves if save.op != LATE)
    text = message(file_changes, list(authors) or [Origin(memory.host)], deleted)
    return memory.make_commit(tree, [old] if old else [], text, now)


def check_out(
    memory: Memory, tree: str, snapshot: Snapshot, hold: Collection[str] = ()
) -> Sequence[LateWrite]:
    """Make files and index follow `tree`; returns what editors wrote to files while we replaced them."""
    late = memory.checkout.check_out(tree, snapshot, hold)
    memory.user_index.follow(tree)
    return late
