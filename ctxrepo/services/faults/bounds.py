"""Checks that a history stays within the limits of a memory, once for each commit.

What a remote sent is measured right after the fetch and before anything else looks at it. What is refused is
as if it had never come: the ref by which we know the remote goes back to where we last agreed with it."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.bounds import COMMITS, HISTORY_BYTES, PARENTS
from ctxrepo.errors import BeyondBounds, RepositoryState
from ctxrepo.storage.clone.clone import LAST_TIP
from ctxrepo.storage.clone.reffiles import OPEN, RefFiles
from ctxrepo.storage.memory import Memory

if TYPE_CHECKING:
    from ctxrepo.storage.objects.store import Objects

_AGAIN = 3600.0
"""Seconds after which such a commit is fetched again: we may have noted the wrong one, if the branch moved
before we asked for its tip."""


def beyond(memory: Memory, commit: str | None) -> str:
    """Why the history of a commit exceeds the limits of a memory; '' when it doesn't."""
    if commit is None:
        return ""
    verdicts = memory.verdicts.read()
    if commit in verdicts.within:
        return ""
    if commit in verdicts.beyond:
        return verdicts.beyond[commit]
    last = next((known for known in reversed([*verdicts.within]) if memory.objects.has(known)), None)
    try:
        count = _measured(memory.objects, commit, last, verdicts.within.get(last or "", 0))
    except BeyondBounds as error:
        memory.verdicts.add(beyond={commit: error.message})
        return error.message
    memory.verdicts.add(within={commit: count})
    return ""


def note_made_here(memory: Memory, commit: str) -> None:
    """Note that this commit was made here: however large, it is committed; only sending it is refused."""
    memory.verdicts.add(own=commit)


def require_ready(memory: Memory) -> None:
    """RepositoryState if a person is in the middle of something in the clone, or merged too much there."""
    memory.clone.require_ready()
    head = RefFiles(memory.clone.git_dir).find(memory.clone.branch_ref)
    if head not in memory.verdicts.read().own and (why := beyond(memory, head)):
        raise RepositoryState(
            f"what {memory.clone.branch} is at in {memory.root} is too much: {why}",
            f"`git log` there shows who made it; take {memory.clone.branch} back to a commit before it with "
            "your own git. What is written meanwhile is kept and committed afterwards.",
        )


def refuse_beyond_bounds(memory: Memory, answer: RemoteAnswer) -> RemoteAnswer:
    """The answer of a fetch; a refusal, with the refs set back, if it brought more than a memory may be."""
    objects, clone = memory.objects, memory.clone
    objects.reopen()
    refs = {clone.upstream_ref: objects.ref(LAST_TIP)}
    refs |= {clone.tracking_ref(name.removeprefix(OPEN)): tip for name, tip in objects.refs(OPEN).items()}
    for name, before in refs.items():
        refused = _refused(memory, name)
        if not refused.ok:
            answer = refused
            if before is None:
                objects.drop_ref(name)
            else:
                objects.set_ref(name, before)
    return answer


def refused_before(memory: Memory) -> RemoteAnswer | None:
    """The answer for the shared branch as it is there, when that was refused already; None when it wasn't."""
    last = memory.exchanges.last
    if last is None or last[1].outcome != "bounds":
        return None
    tip, verdicts = memory.remote.tip(), memory.verdicts.read()
    when, why = verdicts.left.get(tip, (0.0, ""))
    why = why if 0 <= time.time() - when < _AGAIN else ""
    why = verdicts.beyond.get(tip, "") or why
    return RemoteAnswer("bounds", why) if why else None


def note_too_large_to_fetch(memory: Memory, answer: RemoteAnswer) -> RemoteAnswer:
    """Note the remote branch's commit as too large to fetch; returns the answer with that commit."""
    tip = memory.remote.tip()
    if not tip or tip == memory.objects.ref(memory.clone.upstream_ref):  # a branch beside it is too much
        return answer
    why = f"commit {tip[:10]}: {answer.reason}"
    memory.verdicts.add(left={tip: (time.time(), why)})
    return replace(answer, reason=why)


def drop_refused_clone(memory: Memory) -> bool:
    """Drop the branch of a new clone whose history is refused: the memory starts empty. Whether it was."""
    names = (memory.clone.branch_ref, memory.clone.upstream_ref)
    refused = [name for name in names if not _refused(memory, name).ok]
    for name in refused:
        memory.objects.drop_ref(name)
    return bool(refused)


def _refused(memory: Memory, name: str) -> RemoteAnswer:
    tip = memory.objects.ref(name)
    if tip and not memory.objects.is_commit(tip):
        return RemoteAnswer("malformed", f"its branch is at {tip[:10]}, which is no commit")
    why = beyond(memory, tip)
    return RemoteAnswer("bounds", why) if why else RemoteAnswer("ok")


def _measured(objects: "Objects", tip: str, base: str | None, count: int) -> int:
    """How many commits a history has at most, which are `count` of `known` and those that came since."""
    at = f"commit {tip[:10]}"
    size = 0
    for commit in objects.new_commits(tip, base):
        PARENTS.require(len(objects.parents(commit)), f"commit {commit[:10]}")
        size += objects.header(commit, "commit")[1]
        HISTORY_BYTES.require(size, at)
        count += 1
    if count > COMMITS.most:  # what both have is counted twice where neither comes from the other
        count = sum(1 for _ in objects.new_commits(tip))
        COMMITS.require(count, at)
    objects.require_extent(tip)
    return count
