"""What this machine wrote and what the others wrote become one, here and on the remote."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.domain.guard.write import Refusal
from ctxrepo.domain.merge import ConflictCopy
from ctxrepo.errors import Busy
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.faults import of_obstacles
from ctxrepo.services.saving.commit import ALL, CommitRequest, commit_locked
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.refresh import tell_all
from ctxrepo.services.sync.exchange import OK, Exchange, exchange
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked

SYNC_WAIT = 8.0
"""Seconds a sync waits for another one of this clone; a person is watching."""

_UNDER_WAY = RemoteAnswer("timeout", "another sync of this memory is still under way")


@dataclass(frozen=True)
class SyncResult:
    """`remote` is how the last conversation ended; `received` and `sent` count commits of this run, `branch`
    is the review branch they went to ('' is the shared one).

    `held` is what the write guard kept from being committed or pushed, `conflict_copies` are the versions
    that lost in a merge, `notices` say what else a person must know.
    """

    head: str | None
    remote: RemoteAnswer = OK
    received: int = 0
    sent: int = 0
    branch: str = ""
    held: tuple[Refusal, ...] = ()
    conflict_copies: tuple[ConflictCopy, ...] = ()
    notices: tuple[str, ...] = ()
    created: bool = False
    skipped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SyncRequest:
    """What is wanted of an exchange.

    `fetched` is the answer of a fetch that was made just before, which is then not made again. With
    `accept_remote` a person confirms that a remote which was replaced is still the right one. `wait` is the
    seconds that a sync under way may take; it may bring across what we have, and then nothing is repeated.
    """

    send: bool = True
    wanted: CommitRequest = ALL
    fetched: RemoteAnswer | None = None
    accept_remote: bool = False
    wait: float = SYNC_WAIT


def sync(memory: Memory, now: datetime, request: SyncRequest = SyncRequest()) -> SyncResult:
    """Commit, receive and, where it is asked for, send. Without a remote it only commits.

    The remote being away or refusing is an outcome in the result; errors are those of `commit`.
    """
    send, accept_remote = request.send, request.accept_remote
    require_ready(memory)
    asked = time.monotonic()
    try:
        with locked(memory.state.lock("sync"), request.wait):
            # Who asks after this may have written after our commit: the next one is theirs to send.
            began = time.monotonic()
            done = _commit(memory, now, request.wanted)
            if not memory.has_remote:
                return _synced(memory, done, Exchange())
            known = memory.exchanges.answer_since(asked, done.head, send=send)
            if known and not accept_remote:
                return _synced(memory, done, Exchange(known))
            said = exchange(memory, now, send=send, fetched=request.fetched, accept=accept_remote)
            result = _synced(memory, done, said)
            memory.exchanges.remember(memory.repository.remote, result.head, began, said.answer, sent=send)
    except Busy:  # of a sync that goes on, not of a writer: what is written here is safe all the same
        return _synced(memory, _commit(memory, now, request.wanted), Exchange(_UNDER_WAY))
    if send or not said.answer.ok:  # a fetch that went well says nothing of a push that didn't
        memory.remember_remote(_trouble(said.answer))
    tell_all(memory, result.held, result.skipped)
    return result


def _commit(memory: Memory, now: datetime, wanted: CommitRequest) -> CommitResult:
    with memory.writing():
        return commit_locked(memory, now, wanted)


def _synced(memory: Memory, done: CommitResult, said: Exchange) -> SyncResult:
    last = said.committed or done
    return SyncResult(
        head=last.head,
        remote=said.answer,
        received=said.received,
        sent=said.sent,
        branch=said.branch,
        held=tuple(dict.fromkeys((*done.held, *said.held, *last.held))),
        conflict_copies=(*done.conflict_copies, *said.conflict_copies),
        notices=(*said.notices, *of_obstacles(memory).values()),
        created=done.created,
        skipped=done.skipped,
    )


def _trouble(answer: RemoteAnswer) -> str:
    """What sessions are told when waiting won't help."""
    if not answer.trouble:
        return ""
    return (
        f"the memory is saved here but does not reach its remote: {answer.trouble}; `ctxrepo sync` says more"
    )
