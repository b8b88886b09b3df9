"""What was committed goes to the remote and what others sent comes, while the next one commits.

A remote may take minutes to say nothing. So who talks to it holds a lock of its own, and who commits
meanwhile leaves an errand: it is looked for once the lock is let go of, so that none is left lying.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.errors import in_words
from ctxrepo.services.rescue.repair import healing
from ctxrepo.services.sync.fetch import is_fetch_due
from ctxrepo.services.sync.sync import SyncRequest, SyncResult, sync
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.remote.errands import Errands

PATIENCE = 60.0
"""Seconds a sync that is under way is waited for: nobody is watching."""

LIFE = 120.0
"""Seconds after which the next worker goes on, should errands come for ever."""

_ATTEMPTS = 2
"""How often a remote that is away is asked for errands that came while it was asked. What comes even later is
left for the next session."""


@dataclass(frozen=True)
class RemoteQueue:
    """Runs errands to the remote; whoever talks to the remote holds `lock`."""

    memory: Memory
    now: Callable[[], datetime]
    log: Callable[[str], None]
    lock: TryLock
    early: list[Future[RemoteAnswer]] = field(default_factory=list)
    """A fetch that was begun beside the first commit, under `lock`."""

    def run(self, arrived: Callable[[float], None]) -> bool:
        """Run errands until there are none; leave at once when another one is at it, which looks again.

        `arrived` is called, with the time at which it was begun, when a fetch has brought what it will bring,
        or the remote was away. It may look at folders that hang, so it is called without the lock.
        False when there are some left and somebody else has to go on.
        """
        errands = Errands(self.memory.state.root)
        end = time.monotonic() + LIFE
        refusals = 0
        while errands.are_waiting and refusals < _ATTEMPTS and time.monotonic() < end:
            if not self.lock.acquire():
                return True
            began, has_come = time.time(), False
            try:
                has_come, answered = self._carry(errands)
                refusals += not answered
            except Exception as error:
                self.log(in_words(error))
                refusals += 1
            if refusals >= _ATTEMPTS:  # what is not sent is found by the next session
                errands.begin()
            errands.finish()  # after a kill we don't get here, and the next worker has them still
            self.lock.release()
            if has_come:
                arrived(began)
        self.lock.release()
        return refusals >= _ATTEMPTS or not errands.are_waiting

    def _carry(self, errands: Errands) -> tuple[bool, bool]:
        """Run what is wanted now; whether that was a fetch, and whether the remote was there.

        Who waits for what a fetch brings doesn't wait for what is sent: that is left for afterwards.
        """
        wanted = errands.begin()
        if "fetch" in wanted:
            if "send" in wanted:
                errands.leave("send")
            if not self.early and not is_fetch_due(self.memory):
                return True, True
            fetched = self.early.pop().result() if self.early else None
            return True, self._sync(send=False, fetched=fetched)
        if "send" in wanted and is_ahead(self.memory):
            return False, self._sync(send=True)
        return False, True

    def _sync(self, *, send: bool, fetched: RemoteAnswer | None = None) -> bool:
        def act() -> SyncResult:
            return sync(self.memory, self.now(), SyncRequest(send, fetched=fetched, wait=PATIENCE))

        answer = healing(self.memory, self.now(), act, lambda done: self.log(done.words)).remote
        if not answer.ok:
            self.log(f"remote {answer.outcome}: {answer.reason}")
        return answer.ok


def is_ahead(memory: Memory) -> bool:
    """Whether the remote wasn't yet seen to have what is committed here."""
    objects, clone = memory.objects, memory.clone
    here, there = objects.ref(clone.branch_ref), objects.ref(clone.upstream_ref)
    return here is not None and (there is None or not objects.contains(there, here))
