"""Fetches what others sent, and measures it; a session start may begin the fetch early, beside other work."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from ctxrepo.domain.git.remote import RemoteAnswer
from ctxrepo.hooks.own_files import age_of
from ctxrepo.lazy import make_all
from ctxrepo.services.faults.bounds import note_too_large_to_fetch, refuse_beyond_bounds, refused_before
from ctxrepo.services.review.open_review import own_branches
from ctxrepo.services.sessions.session_settings import session_hooks
from ctxrepo.storage.clone.reffiles import OPEN
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock, locked
from ctxrepo.storage.state.spool import Spool, SpoolEvent

FETCH_WAIT = 60.0
"""Seconds that a fetch waits for another sync of this clone."""


def fetch(memory: Memory) -> RemoteAnswer:
    """Fetch once and measure what the remote sent; the caller holds the sync lock."""
    return measured(memory, _ask(memory))


def measured(memory: Memory, answer: RemoteAnswer) -> RemoteAnswer:
    """The answer of a fetch, or a refusal if what it fetched exceeds the limits of a memory."""
    return refuse_beyond_bounds(memory, answer) if answer.ok else answer


def _ask(memory: Memory) -> RemoteAnswer:
    if refused := refused_before(memory):
        return refused
    also = own_branches(memory) if memory.clone.has_refs(OPEN) else ""
    answer = memory.remote.fetch(also)
    return note_too_large_to_fetch(memory, answer) if answer.outcome == "bounds" else answer


def is_fetch_due(memory: Memory) -> bool:
    """Whether there is a remote and the last fetch is older than `sync.ttl`."""
    return memory.has_remote and age_of(str(memory.state.fetched)) > memory.settings.sync.ttl


def starts_fetch(memory: Memory, events: Iterable[SpoolEvent]) -> bool:
    """Whether a fetch is due and one of the starting sessions asks for it."""
    agents = {event.agent for event in events if event.event == "start"}
    return is_fetch_due(memory) and any("pull" in session_hooks(memory, a).session_start for a in agents)


def fetch_early(memory: Memory, lock: TryLock) -> Future[RemoteAnswer] | None:
    """Begin a fetch in the background when a session that starts waits for one; else None. It waits for less
    than a second, most of which a fetch over ssh takes, and must not also wait for the libraries of the other
    work. The fetch takes `lock`, as whoever talks to the remote does; if another worker holds it, that one
    fetches. Nothing is measured yet."""
    if not (starts_fetch(memory, Spool(memory.state).read()[0]) and lock.acquire()):
        return None
    make_all()
    executor = ThreadPoolExecutor(1)
    try:
        return executor.submit(_fetch_locked, memory)
    finally:
        executor.shutdown(wait=False)


def _fetch_locked(memory: Memory) -> RemoteAnswer:
    with locked(memory.state.lock("sync"), FETCH_WAIT):
        return _ask(memory)
