"""An exchange with the remote, and the exit code that its outcome has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.review.open_review import Review
    from ctxrepo.services.sync.sync import SyncResult

CONFLICT, QUEUED, REFUSED = 4, 5, 6


@dataclass(frozen=True)
class ExchangeRequest:
    """`send`: also push. `accept`: what a person confirms, of `deletions` and `remote`."""

    send: bool = True
    accept: Sequence[str] = ()


@dataclass(frozen=True)
class ExchangeOutcome:
    """How it went, whether there is a remote at all, and the review that commits went to."""

    synced: SyncResult
    has_remote: bool
    review: Review | None
    in_review: int


def exchange(desk: Desk, request: ExchangeRequest) -> Result[ExchangeOutcome]:
    """Bring this machine and the remote to the same state; or only fetch and merge."""
    from ctxrepo.services.repository.published import set_up_git
    from ctxrepo.services.rescue.repair import with_repair
    from ctxrepo.services.review.open_review import in_review, open_review
    from ctxrepo.services.saving.commit import CommitRequest
    from ctxrepo.services.sync.sync import SyncRequest, sync

    memory = replace(desk.memory, leaves_cache_to_worker=True)
    wanted = CommitRequest(deletions="deletions" in request.accept)
    set_up_git(memory, desk.interpreter)
    asked = SyncRequest(request.send, wanted, accept_remote="remote" in request.accept)
    result = with_repair(
        memory,
        desk.now,
        lambda: sync(memory, desk.now, asked),
        lambda repaired: desk.notice(repaired.words),
    )
    if memory.cache.head != (result.head or "") or memory.state.blocks.exists():
        desk.wake()
    data = {
        "head": result.head,
        "remote": result.remote.outcome,
        "received": result.received,
        "sent": result.sent,
        "branch": result.branch,
        "held": [asdict(h) for h in result.held],
        "aside": [a.path for a in result.conflict_copies],
        "notices": result.notices,
    }
    current = open_review(memory)
    waiting = len(in_review(memory))
    data["in_review"] = waiting
    outcome = ExchangeOutcome(result, memory.has_remote, current, waiting)
    return Result(outcome, data, code_of(result))


def code_of(result: SyncResult) -> int:
    """The exit code, the first that applies: 6 if something is held back, 5 if the remote wasn't reached, 4
    if a version lost a merge."""
    if result.held:
        return REFUSED
    if not result.remote.ok:
        return QUEUED
    return CONFLICT if result.conflict_copies else 0
