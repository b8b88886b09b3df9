"""What the others sent arrives at the remote-tracking ref; early, beside other work, if it is due."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.hooks.files.clock import age_of
from ctxrepo.services.faults.bounds import held_back, note_left, refused_before
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock, locked
from ctxrepo.storage.state.spool import Spool

FETCH_WAIT = 60.0
"""Seconds a fetch waits for a sync of this clone that is under way."""


def fetch(memory: Memory) -> RemoteAnswer:
    """Ask the remote once, and measure what it sent; the caller holds the sync lock."""
    return measured(memory, _ask(memory))


def measured(memory: Memory, answer: RemoteAnswer) -> RemoteAnswer:
    """The answer of a fetch, once what it brought has been measured."""
    return held_back(memory, answer) if answer.ok else answer


def _ask(memory: Memory) -> RemoteAnswer:
    if refused := refused_before(memory):
        return refused
    also = f"ctxrepo/{memory.host}" if memory.clone.has_refs("refs/ctxrepo/review/") else ""
    answer = memory.remote.fetch(also)
    return note_left(memory, answer) if answer.outcome == "bounds" else answer


def is_fetch_due(memory: Memory) -> bool:
    """Whether a session that starts wants news: there is a remote, and the last fetch is too long ago."""
    settings = memory.settings
    if not memory.has_remote or "pull" not in settings.hooks.session_start:
        return False
    return age_of(str(memory.state.fetched)) > settings.sync.ttl


def fetch_early(memory: Memory, lock: TryLock) -> Future[RemoteAnswer] | None:
    """Begin a fetch in the background when a session that starts is waiting for one; else None.

    A session start waits for less than a second, and a fetch over ssh takes most of it: it must not also
    wait for the libraries that the rest of the work needs. The fetch takes `lock`, which whoever talks to the
    remote holds; if another worker holds it, that one fetches. What the fetch brings is not measured yet.
    """
    if not is_fetch_due(memory) or not any(e.event == "start" for e in Spool(memory.state).read()[0]):
        return None
    if not lock.acquire():
        return None
    executor = ThreadPoolExecutor(1)
    try:
        return executor.submit(_fetch_locked, memory)
    finally:
        executor.shutdown(wait=False)


def _fetch_locked(memory: Memory) -> RemoteAnswer:
    with locked(memory.state.lock("sync"), FETCH_WAIT):
        return _ask(memory)
