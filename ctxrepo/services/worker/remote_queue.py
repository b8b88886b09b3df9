"""Runs errands to the remote, fetch and send, while another worker commits (ADR 21).

A remote may take minutes to answer. So whoever talks to it holds a lock of its own, and a worker that commits
meanwhile leaves an errand. The holder looks for errands again after it has released the lock, so none is
forgotten."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import field
from datetime import datetime

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.errors import in_words
from ctxrepo.lazy import dataclass
from ctxrepo.services.rescue.repair import with_repair
from ctxrepo.services.saving.commit import CommitRequest
from ctxrepo.services.sync.exchange import SyncResult
from ctxrepo.services.sync.fetch import is_fetch_due
from ctxrepo.services.sync.sync import SyncRequest, sync
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.remote.exchanges import Errands

SYNC_SECONDS = 60.0
"""Seconds to wait for another sync; no person is waiting."""

LIFE = 120.0
"""Seconds after which the next worker takes over, if errands keep coming."""

_MOST_FAILURES = 2
"""How often a remote that doesn't answer is tried in one run. Then all errands are dropped; the next session
that starts leaves them again."""


@dataclass(frozen=True)
class RemoteQueue:
    """Runs errands to the remote; whoever talks to the remote holds `lock`."""

    memory: Memory
    now: Callable[[], datetime]
    log: Callable[[str], None]
    lock: TryLock
    early: list[Future[RemoteAnswer]] = field(default_factory=list)
    """A fetch that was begun beside the first commit, under `lock`."""

    def run(self, arrived: Callable[[float], None], until: float | None = None) -> bool:
        """Run errands until none is left; returns at once when another worker holds the lock. `arrived` is
        called after each fetch, whatever came of it, with the time it began, and without the lock, for it may
        read folders that hang. What was written after `until` isn't sent yet. False when errands are left for
        the next worker."""
        errands = Errands(self.memory.state.root)
        end = time.monotonic() + LIFE
        failures = 0
        while errands.are_waiting and failures < _MOST_FAILURES and time.monotonic() < end:
            if self.memory.has_new_settings:
                break  # they may say where to send, and that it is to be reviewed
            if not self.lock.acquire():
                return True
            began, has_come = time.time(), False
            try:
                has_come, answered = self._carry(errands, until)
                failures += not answered
            except Exception as error:
                self.log(in_words(error))
                failures += 1
            if failures >= _MOST_FAILURES:
                errands.begin()  # what was left meanwhile, too, so that `finish` drops it
            errands.finish()  # a kill before this leaves them to the next worker
            self.lock.release()
            if has_come:
                arrived(began)
        self.lock.release()
        return failures >= _MOST_FAILURES or not errands.are_waiting

    def _carry(self, errands: Errands, until: float | None) -> tuple[bool, bool]:
        """Run the errands that wait; returns (whether sessions can be told of a fetch, whether the remote
        answered). Those don't wait for a push, so it is left for the next round."""
        names = errands.begin()
        if "fetch" in names:
            if "send" in names:
                errands.leave("send")
            if not self.early and not is_fetch_due(self.memory):
                return True, True
            fetched = self.early.pop().result() if self.early else None
            return True, self._sync(until, send=False, fetched=fetched)
        if "send" in names and is_ahead(self.memory):
            return False, self._sync(until, send=True)
        return False, True

    def _sync(self, until: float | None, *, send: bool, fetched: RemoteAnswer | None = None) -> bool:
        request = SyncRequest(send, CommitRequest(until=until), fetched, wait=SYNC_SECONDS, tells=False)

        def act() -> SyncResult:
            return sync(self.memory, self.now(), request)

        answer = with_repair(self.memory, self.now(), act, lambda repair: self.log(repair.words)).remote
        if not answer.ok:
            self.log(f"remote {answer.outcome}: {answer.reason}")
        return answer.ok


def is_ahead(memory: Memory) -> bool:
    """Whether there are commits here that the remote doesn't have, as far as we know."""
    objects, clone = memory.objects, memory.clone
    here, there = objects.ref(clone.branch_ref), objects.ref(clone.upstream_ref)
    return here is not None and (there is None or not objects.contains(there, here))
