"""Commits what this machine wrote, merges what the others wrote, and sends the result."""

import time
from dataclasses import replace
from datetime import datetime

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.errors import Busy
from ctxrepo.lazy import dataclass
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.faults import of_conflicts, of_obstacles, of_remote
from ctxrepo.services.faults.past_deletions import of_deletions
from ctxrepo.services.locate.identify import read_registry
from ctxrepo.services.saving.commit import ALL, CommitRequest, commit
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.refresh import tell_all
from ctxrepo.services.sync.exchange import SyncResult, exchange
from ctxrepo.services.sync.news import news
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.state.committed_records import KeptOutFile

SYNC_WAIT = 8.0
"""Seconds that a sync waits for another one of this clone; a person is waiting."""

_UNDER_WAY = RemoteAnswer("timeout", "another sync of this memory is still under way")


@dataclass(frozen=True)
class SyncRequest:
    """What a sync is to do: commit what `wanted` says, receive, and with `send` send. `fetched` is the answer
    of a fetch made just before; with `accept_remote` a person confirms a replaced remote. `wait` is the
    seconds to wait for another sync, after which nothing that it has sent is repeated. Unless it `tells`
    somebody, what came back is left for one that does."""

    send: bool = True
    wanted: CommitRequest = ALL
    fetched: RemoteAnswer | None = None
    accept_remote: bool = False
    wait: float = SYNC_WAIT
    tells: bool = True


PLAIN_SYNC = SyncRequest()


def sync(memory: Memory, now: datetime, request: SyncRequest = PLAIN_SYNC) -> SyncResult:
    """Commit, fetch and merge and, if the request says so, push; without a remote, only commit. A remote that
    is away or refuses is an outcome; errors are those of `commit`."""
    send, accept_remote = request.send, request.accept_remote
    require_ready(memory)
    start, before = time.monotonic(), memory.head
    try:
        with locked(memory.state.lock("sync"), request.wait):
            # Whoever asks after this moment may have written after our commit, and has to sync again.
            began = time.monotonic()
            committed = commit(memory, now, request.wanted, sends=False)
            if not memory.has_remote:
                return _synced(memory, before, committed, SyncResult())
            earlier_answer = memory.exchanges.answer_since(start, committed.head, send=send)
            if earlier_answer and not accept_remote:
                return _synced(memory, before, committed, SyncResult(earlier_answer))
            registry = read_registry(memory)
            exchanged = exchange(memory, now, send=send, fetched=request.fetched, accept=accept_remote)
            exchanged = exchanged.noticing(*news(memory, before, registry, tells=request.tells))
            result = _synced(memory, before, committed, exchanged)
            memory.exchanges.remember(
                memory.repository.remote, result.head, began, exchanged.remote, sent=send
            )
    except Busy:  # another sync takes longer than `wait`: commit at least
        committed = commit(memory, now, request.wanted, sends=send)
        return _synced(memory, before, committed, SyncResult(_UNDER_WAY))
    if send or not exchanged.remote.ok:  # a fetch that went well says nothing of a push that didn't
        trouble = exchanged.remote.trouble
        words = f"the memory is saved here but does not reach its remote: {trouble}; `ctxrepo sync` says more"
        memory.set_remote_trouble(words if trouble else "")
    tell_all(memory)
    return result


def _synced(memory: Memory, before: str | None, committed: CommitResult, exchanged: SyncResult) -> SyncResult:
    last, kept_out = exchanged.committed or committed, KeptOutFile(memory.state.held).read()
    # A merge may have settled it: another machine moved what a hand had deleted here.
    held = [r for r in committed.held if r.path in {refusal.path for refusal in kept_out.by(r.rule)}]
    refused = (*held, *exchanged.held, *last.held)  # of one that several looks refused, as the last says it
    copies = (*committed.conflict_copies, *exchanged.conflict_copies)
    deleted = of_deletions(memory, few=True, since=before)
    notices = (*exchanged.notices, *of_remote(memory), *of_obstacles(memory).values(), *deleted)
    return replace(
        exchanged,
        head=last.head,
        held=tuple({(r.path, r.rule, r.line, r.fingerprint): r for r in refused}.values()),
        conflict_copies=copies,
        notices=notices if copies else (*notices, *of_conflicts(memory)),
        created=committed.created,
    )
