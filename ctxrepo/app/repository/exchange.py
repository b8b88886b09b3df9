"""Operations that connect the memory repository and exchange commits with the remote: init, sync."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.guard.refusals import messages_of
from ctxrepo.domain.project.layout import CONFLICTS, REGISTRY
from ctxrepo.domain.secrets import redact
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.conflict_copy import ConflictCopy
    from ctxrepo.services.repository.init import InitRequest, InitResult
    from ctxrepo.services.review.open_review import Review
    from ctxrepo.services.sync.exchange import SyncResult


@dataclass(frozen=True)
class InitOutcome:
    """What was done; `url` is the remote's without a password, `is_unsparse` says that a sparse clone was
    asked for and this one has everything."""

    made: InitResult
    url: str
    is_unsparse: bool


def init(desk: Desk, request: InitRequest) -> Result[InitOutcome]:
    """Create the memory repository, or clone it; a second time nothing changes."""
    from ctxrepo.domain.git.remote import ignored_variable
    from ctxrepo.services.repository.init import init

    request = replace(request, cwd=desk.cwd)
    result = init(desk.places, desk.env, request, desk.interpreter, desk.now, desk.progress)
    url = redact(result.remote)
    desk.wake()
    data = {"root": str(result.root), "remote": url, "action": result.action}
    desk.notice(*desk.project_warnings, *result.warnings)
    if notice := ignored_variable(desk.env, result.remote):
        desk.notice(notice)
    if result.source:
        data["settings"] = str(result.source)
        desk.notice(f"folder and remote are as {result.program}'s settings say: {result.source}")
    is_unsparse = request.sparse and result.action != "cloned" and desk.memory.clone.cone is None
    code = code_of(result.synced) if result.synced else 0
    return Result(InitOutcome(result, url, is_unsparse), data, code)


def fetch_soon(desk: Desk, _: None) -> None:
    """Have a worker fetch what others sent, if a session's start would; nobody waits for it."""
    from ctxrepo.services.sessions.session_settings import session_hooks
    from ctxrepo.services.sync.fetch import is_fetch_due
    from ctxrepo.storage.remote.exchanges import Errands

    memory = desk.memory
    if is_fetch_due(memory) and "pull" in session_hooks(memory, desk.agent).session_start:
        Errands(memory.state.root).leave("fetch")
        desk.wake()


def attention(result: SyncResult, failing: str = "not sent") -> Iterator[str]:
    """What needs a person."""
    yield from (*messages_of(result.held), *result.notices)
    yield from conflict_hints(result.conflict_copies)
    if not result.remote.ok:
        yield f"{failing}: {result.remote.reason.rstrip('.')}. {result.remote.next_step}"


def conflict_hints(copies: Sequence[ConflictCopy]) -> Iterator[str]:
    """Which versions lost, and where each is."""
    from ctxrepo.domain.records.conflict_copy import copy_as_file, copy_id

    for copy in copies:
        name = copy_id(copy_as_file(copy)[0])
        yield f"two versions met in {copy.path}; `ctxrepo conflicts show {name}` shows the other one"


CONFLICT, QUEUED, REFUSED = 4, 5, 6


@dataclass(frozen=True)
class ExchangeRequest:
    """`send`: also push. `accept`: what a person confirms, of `deletions` and `remote`."""

    send: bool = True
    accept: Sequence[str] = ()
    """Confirm what was held back: `deletions` of many entries or files, or a `remote` that holds something
    else than before."""


@dataclass(frozen=True)
class ExchangeOutcome:
    """How it went, whether there is a remote at all, and the review that commits went to."""

    synced: SyncResult
    has_remote: bool
    review: Review | None
    in_review: int


def exchange(desk: Desk, request: ExchangeRequest) -> Result[ExchangeOutcome]:
    """Bring this machine and the remote to the same state; or only fetch and merge."""
    from ctxrepo.services.repository.set_up_git import set_up_git
    from ctxrepo.services.rescue.repair import with_repair
    from ctxrepo.services.review.open_review import in_review, open_review
    from ctxrepo.services.saving.commit import CommitRequest
    from ctxrepo.services.sync.sync import SyncRequest, sync
    from ctxrepo.services.worker.handover import take_in

    memory = replace(desk.memory, leaves_cache_to_worker=True)
    if "deletions" in request.accept:
        from ctxrepo.services.inbox.staging import require_person

        require_person(memory, desk.session[0], [REGISTRY], "what was deleted")  # nobody may have looked yet
    commit_request = CommitRequest(deletions="deletions" in request.accept)
    set_up_git(memory, desk.interpreter)
    take_in(desk.memory, desk.now)
    asked = SyncRequest(request.send, commit_request, accept_remote="remote" in request.accept)
    before = memory.head if commit_request.deletions else None
    result = with_repair(
        memory, desk.now, lambda: sync(memory, desk.now, asked), lambda repaired: desk.notice(repaired.words)
    )
    if commit_request.deletions:
        from ctxrepo.services.history.undoing import (
            note_confirmed,  # it merges, and most syncs confirm nothing
        )

        note_confirmed(memory, before, desk.origin)
    if memory.cache.head != (result.head or "") or memory.state.blocks.exists():
        desk.wake()
    current = open_review(memory)
    waiting, aside = len(in_review(memory)), len(memory.worktree.scan(CONFLICTS).files)
    data = {
        "head": result.head,
        "remote": result.remote.outcome,
        "received": result.received,
        "sent": result.sent,
        "branch": result.branch,
        "held": plain_data(result.held),
        "aside": [copy.path for copy in result.conflict_copies],
        "notices": result.notices,
        "in_review": waiting,
        "kept_aside": aside,
    }
    outcome = ExchangeOutcome(result, memory.has_remote, current, waiting)
    return Result(outcome, data, code_of(result))


def code_of(result: SyncResult) -> int:
    """The exit code, the first that applies: 6 if something is held back or a commit holds a secret, 5 if
    the remote wasn't reached, 4 if a version lost a merge."""
    if result.held or result.remote.outcome == "secret":
        return REFUSED
    if not result.remote.ok:
        return QUEUED
    return CONFLICT if result.conflict_copies else 0
