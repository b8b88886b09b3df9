"""Exchanges commits with the remote, in rounds, until it agrees or refuses, or until trying again is no use.

A round fetches, merges in memory, pushes without force, and only then moves the branch and the files. It
never runs git's rebase, reset or checkout, so an exchange that is killed at any point leaves nothing
half-done (ADR 7)."""

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice

from ctxrepo.domain.git.oid import blob_id, blob_id_of
from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.refusals import Refusal
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.errors import BeyondBounds, Busy
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import beyond, note_made_here
from ctxrepo.services.reading.places import places_by_now
from ctxrepo.services.review import review
from ctxrepo.services.review.open_review import Review, open_review
from ctxrepo.services.saving.accept import tree_in_view
from ctxrepo.services.saving.commit import CommitRequest, check_out, commit_locked, with_signatures
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.merge import MergeResult, merge_commits
from ctxrepo.services.saving.refresh import refresh
from ctxrepo.services.sync import upstream
from ctxrepo.services.sync.fetch import fetch, measured
from ctxrepo.services.sync.upstream import outgoing_secret
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.clone.reffiles import WT
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.trees import Key
from ctxrepo.storage.processes.lock import pause
from ctxrepo.storage.state.committed_records import KeptOutFile
from ctxrepo.storage.worktree.worktree import FileUpdate

OFFLINE_PATIENCE = 1.0
"""Seconds after which a dropped connection is not tried again: the next sync will."""

OK = RemoteAnswer("ok")

NEW = "*"
"""Stands for a review branch that doesn't exist yet; git allows no branch of this name."""

MERGED = "refs/ctxrepo/merged"
"""A ref to the merge commit that is being pushed: no branch holds it yet, and `git gc` might delete it."""

_NAMES = 9
"""How many names are tried for a new review branch."""

_DECLINED = (
    "reviewers struck out some of what was sent; `ctxrepo declined` lists it, and it is not sent again"
)

_PROTECTED = (
    "the remote takes no direct push to its main branch; what is written here goes to {branch} for review: "
    "`ctxrepo history --in-review`"
)


@dataclass(frozen=True)
class SyncResult:
    """The remote's last answer, how many commits were `received` and `sent`, and to which review `branch`
    ('': the shared one). `held` is what the write guard kept back, `conflict_copies` are versions that lost,
    `notices` what else a person must know. `committed` is the commit of what was written during the exchange;
    `head` and whether the sync `created` a commit before it are known at its end."""

    remote: RemoteAnswer = OK
    received: int = 0
    sent: int = 0
    branch: str = ""
    committed: CommitResult | None = None
    held: tuple[Refusal, ...] = ()
    conflict_copies: tuple[ConflictCopy, ...] = ()
    notices: tuple[str, ...] = ()
    head: str | None = None
    created: bool = False

    def noticing(self, *notices: str) -> "SyncResult":
        return replace(self, notices=tuple(dict.fromkeys((*self.notices, *filter(None, notices)))))


def exchange(
    memory: Memory, now: datetime, *, send: bool, fetched: RemoteAnswer | None = None, accept: bool = False
) -> SyncResult:
    """Exchange commits with the remote; the caller holds the sync lock. `fetched` answers a fetch made just
    before; with `accept` a person confirms that a replaced remote is the right one."""
    began = time.monotonic()
    result = SyncResult()
    retries = memory.settings.sync.retries
    for attempt in range(retries + 1):
        answer = measured(memory, fetched) if fetched else fetch(memory)
        fetched = None  # it counts for the first round only
        result = replace(result, remote=answer)
        if answer.ok:
            try:
                result = _round(memory, now, result, send=send, accept=accept, is_last=attempt == retries)
            except BeyondBounds as error:  # in an older commit, which only a merge reads
                result = replace(result, remote=RemoteAnswer("bounds", error.message))
        is_slow = result.remote.outcome != "overtaken" and time.monotonic() - began > OFFLINE_PATIENCE
        if not result.remote.is_worth_retrying or is_slow:
            break
        pause(0.0, min(2.0, 0.02 * 2**attempt))
    memory.objects.drop_ref(MERGED)
    return result


def _round(
    memory: Memory, now: datetime, result: SyncResult, *, send: bool, accept: bool, is_last: bool
) -> SyncResult:
    """Merge what was fetched, push once, then move branch and files. In this order an overtaken push costs
    nothing but a merge commit that no branch holds, and the next round merges again (ADR 7,
    tests/services/sync/test_sync.py)."""
    objects = memory.objects
    objects.reopen()
    state, result, theirs = _judge_upstream(memory, now, result, send=send, accept=accept)
    ours = objects.ref(memory.clone.branch_ref)
    if ours and state.answer.ok:
        notices = with_signatures(memory, lambda: _note_struck_on_branch(memory, ours, now))
        result = result.noticing(*notices)
    merged = with_signatures(memory, lambda: _merge_all(memory, ours, theirs, now))
    if merged is None or not state.answer.ok:
        return replace(result, remote=state.answer)
    if excess := beyond(memory, merged.commit):
        return replace(result, remote=RemoteAnswer("bounds", excess))
    if theirs and not state.has_known_tip and theirs != objects.ref(LAST_TIP):
        _break_off_review(memory)
    if send:
        result = _send(memory, merged.commit, theirs, now, result)
        if result.remote.outcome == "overtaken" and not is_last:
            return result  # the next round merges again; this merge commit is dropped
    received = len(list(objects.new_commits(theirs, ours))) if theirs else 0
    return _finish(memory, now, replace(result, received=result.received + received), merged, theirs)


def _judge_upstream(
    memory: Memory, now: datetime, result: SyncResult, *, send: bool, accept: bool
) -> tuple[upstream.UpstreamState, SyncResult, str | None]:
    """(what the tip of the shared branch means, `result` with its notices, the tip). A branch that the remote
    lost during a review is sent again, and a review that is over is ended."""
    theirs = memory.objects.ref(memory.clone.upstream_ref)
    state = upstream.state_of_upstream(memory, theirs, accept=accept)
    result = result.noticing(state.notice)
    if theirs is None and send and state.answer.ok and open_review(memory):
        theirs = _send_shared_again(memory)
    if state.answer.ok and state.has_known_tip:
        outcome = result
        result = with_signatures(memory, lambda: _end_review(memory, outcome, theirs, now))
    return state, result, theirs


def _finish(
    memory: Memory, now: datetime, result: SyncResult, merged: MergeResult, theirs: str | None
) -> SyncResult:
    """Move branch and files to the merge, and remember the tip that we exchanged with."""
    committed = apply_exchange(
        memory, merged.commit, lambda old: merge_commits(memory, old, merged.commit, now), now
    )
    if theirs and not (result.sent and not result.branch):
        upstream.remember_tip(memory, theirs)
    if result.remote.ok:
        with suppress(OSError):
            touch(memory.state.fetched)
    copies = (*result.conflict_copies, *merged.conflict_copies, *committed.conflict_copies)
    return replace(result, committed=committed, conflict_copies=copies)


def _merge_all(memory: Memory, ours: str | None, theirs: str | None, now: datetime) -> MergeResult | None:
    """Merge our branch with the shared one and with what reviewers changed on our review branch."""
    objects = memory.objects
    with memory.building():
        merged = merge_commits(memory, ours, theirs, now)
        current = open_review(memory)
        tip = objects.ref(memory.clone.tracking_ref(current.branch)) if current else None
        if merged and current and tip and not objects.contains(merged.commit, tip):
            # The base is the tip that we pushed, even if the branch was rewritten there: what it lacks beside
            # that tip was struck out by reviewers (ADR 13).
            both = review.merge_with_left(memory, current, merged.commit, tip, now)
            merged = MergeResult(both.commit, (*merged.conflict_copies, *both.conflict_copies))
        if merged and merged.commit not in (ours, theirs):
            objects.set_ref(MERGED, merged.commit)
        return merged


def _note_struck_on_branch(memory: Memory, ours: str, now: datetime) -> tuple[str, ...]:
    """Record what reviewers struck out on the branch while the review goes on; returns notices."""
    current = open_review(memory)
    tip = memory.objects.ref(memory.clone.tracking_ref(current.branch)) if current else None
    if current is None or tip is None or tip == current.tip or memory.objects.contains(ours, tip):
        return ()
    return _close(memory, current, ours, tip, now)


def _close(memory: Memory, current: Review, ours: str, left: str, now: datetime) -> tuple[str, ...]:
    """Put away what people took out; returns notices."""
    if not review.close(memory, current, ours, left, now):
        return ()
    return _DECLINED, *review.proposed_again(memory, current, ours, left)


def _end_review(memory: Memory, result: SyncResult, theirs: str | None, now: datetime) -> SyncResult:
    """If the review is over, continue from the shared branch; `result` with what is to be told of it."""
    current = open_review(memory)
    ours = memory.head
    if current is None or theirs is None or ours is None or not review.is_over(memory, current, theirs):
        return result
    result = result.noticing(*_close(memory, current, ours, theirs, now))
    if not review.is_merged_as_usual(memory, current, ours, theirs):
        applied = apply_exchange(
            memory,
            theirs,
            lambda old: review.merged_after_review(memory, current, old or ours, theirs, now),
            now,
        )
        result = replace(result, conflict_copies=(*result.conflict_copies, *applied.conflict_copies))
    review.forget(memory, current)
    return result


def _send_shared_again(memory: Memory) -> str | None:
    """Push the shared branch as we last saw it, without what is under review; None when that fails. A remote
    that never had it gets everything: no review could end there."""
    last = memory.objects.ref(LAST_TIP)
    if last is None:
        _break_off_review(memory)
    elif memory.remote.push(last, "").ok:
        memory.objects.set_ref(memory.clone.upstream_ref, last)
        return last
    return None


def _break_off_review(memory: Memory) -> None:
    """End the review, so that its commits are sent again: when the shared branch has lost commits, nobody can
    tell what reviewers struck out."""
    if current := open_review(memory):
        review.forget(memory, current)


def _send(memory: Memory, commit: str, theirs: str | None, now: datetime, result: SyncResult) -> SyncResult:
    objects = memory.objects
    current = open_review(memory)
    # An empty remote gets the shared branch first.
    new = NEW if theirs and memory.repository.review == "branch" else ""
    branch = chosen = current.branch if current else new
    sent_before = objects.ref(memory.clone.tracking_ref(branch)) if branch else theirs
    if commit in (theirs, sent_before):
        return result
    if secret := outgoing_secret(memory, commit, [tip for tip in (theirs, sent_before) if tip]):
        return replace(result, remote=RemoteAnswer("secret", secret))
    answer, branch = _push(memory, commit, branch, now)
    if not answer.ok:
        return replace(result, remote=answer)
    sent = len(list(objects.new_commits(commit, theirs, sent_before)))
    if branch:
        review.pushed(memory, branch, commit)
        if not chosen:
            result = result.noticing(_PROTECTED.format(branch=branch))
    else:
        objects.set_ref(memory.clone.upstream_ref, commit)
        upstream.remember_tip(memory, commit)
    return replace(result, remote=answer, sent=result.sent + sent, branch=branch)


def _push(memory: Memory, commit: str, branch: str, now: datetime) -> tuple[RemoteAnswer, str]:
    """Push, to a new review branch if the shared one is protected; returns the answer and the branch."""
    answer = RemoteAnswer("protected")
    if branch != NEW:
        answer = memory.remote.push(commit, branch)
    if answer.outcome != "protected" or branch not in ("", NEW):
        return answer, branch
    for name in islice(review.new_branches(memory, now), _NAMES):
        answer = memory.remote.push(commit, name)
        if answer.outcome != "overtaken":  # else the remote has a branch of that name that we don't know
            return answer, name
    return answer, ""


Merge = Callable[[str | None], MergeResult | None]
"""Merges what was received into the commit that the branch is at by now; None when there is no commit."""


def apply_exchange(memory: Memory, received: str, merge: Merge, now: datetime) -> CommitResult:
    """Move the branch to `merge(branch)` and check out the files that differ, after committing what was
    written meanwhile, so that no file is ahead of the branch. Only files that `received` changes are read for
    this."""
    return with_signatures(memory, lambda: _apply(memory, received, merge, now))


def _apply(memory: Memory, received: str, merge: Merge, now: datetime) -> CommitResult:
    objects, clone = memory.objects, memory.clone
    # The order is the correctness (ADR 7): commit what was written meanwhile, so that no file is ahead of the
    # branch; take the snapshot; move the branch by compare and swap; and only then write files. A kill after
    # the move leaves old files below a new branch, which the next checkout finishes from `wt` and `wt-next`.
    with memory.writing(), memory.building():
        differing = objects.diff(objects.tree_of(memory.head), objects.tree_of(received))
        committed = commit_locked(memory, now, CommitRequest(only=_in_cone(memory, differing)))
        merged = merge(committed.head)
        if merged is None or merged.commit == committed.head:
            return committed
        old_tree, tree = objects.tree_of(committed.head), objects.tree_of(merged.commit)
        assert tree is not None
        snapshot = memory.checkout.snapshot(_in_cone(memory, objects.diff(old_tree, tree)), head=old_tree)
        if not objects.move_ref(clone.branch_ref, merged.commit, committed.head):
            raise Busy("the branch moved while we were merging", "Run the command again.")
        note_made_here(memory, merged.commit)
        held = {refusal.path for refusal in committed.held}
        if places := follow(memory, held, committed.head, merged.commit):
            paths = _in_cone(memory, {*objects.diff(old_tree, tree), *places})
            snapshot = memory.checkout.snapshot(paths, head=old_tree)
        # Files that were edited since the commit above stay as they are; the next commit merges them.
        edited = memory.checkout.edited(snapshot, old_tree) | places
        late = check_out(memory, tree, snapshot, hold=held | edited)
        refresh(memory, merged.commit, tree_in_view(memory, tree))
        copies = (*committed.conflict_copies, *merged.conflict_copies)
        result = replace(committed, head=merged.commit, conflict_copies=copies)
        return commit_locked(memory, now, CommitRequest(only=edited)) if late or edited else result


def _in_cone(memory: Memory, paths: Iterable[str]) -> set[str]:
    cone = memory.checkout.cone
    return {path for path in paths if cone is None or cone.holds(path)}


def follow(memory: Memory, held: Collection[str], before: str | None, after: str) -> set[str]:
    """Move files that are held back to where their notes are in the commit `after`, with what they are based
    on, what waits for them, and why they are held: what is decided of them is decided there. `before` is the
    commit that they are on top of. Returns the old paths and the new ones."""
    objects, worktree = memory.objects, memory.worktree
    places = places_by_now(objects, held, before, after)
    old_tree, tree = objects.tree_of(before), objects.tree_of(after)
    known = objects.files(old_tree, places.values())
    places = {old: new for old, new in places.items() if new not in known or worktree.exists(new)}
    for old, new in places.items():
        base, data = objects.key_at(str(objects.ref(WT)), old), worktree.read(old)
        was = objects.data_or_empty(base) if base else None
        if new in known or worktree.exists(new):
            base = objects.key_at(tree, new)
            _put_into(memory, new, (was, data), (known.get(new), base))
        elif data is not None:
            worktree.write_all({new: data})
        if data is not None:
            worktree.update_unchanged({old: FileUpdate(blob_id(data), None)})
        memory.checkout.base_on({old: None, new: base})
    memory.journal.move(places)
    KeptOutFile(memory.state.held).move(places)
    return {*places, *places.values()}


_Edit = tuple[bytes | None, bytes | None]
"""What a file is based on, and what is on disk."""


def _put_into(memory: Memory, path: str, edit: _Edit, keys: tuple[Key | None, Key | None]) -> None:
    """Edit the file at `path` as the one that is held back was edited: another machine put that into it. Its
    `keys` are those in the commit before and by now."""
    was, now = (memory.objects.data_or_empty(key) if key else None for key in keys)
    on_disk = memory.worktree.read(path)
    edited = merge_file(path, edit[0], edit[1] or b"", now)
    both = merge_file(path, was, on_disk, edited.data)
    copies = (*edited.conflict_copies, *both.conflict_copies)
    memory.worktree.write_all(dict(map(copy_as_file, copies)))
    memory.worktree.update_unchanged({path: FileUpdate(blob_id_of(on_disk), both.data)})
