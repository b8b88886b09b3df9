"""The worker does what hooks and writers left to do, one worker at a time, until nothing is left (ADR 21).

The folders of sessions are visited while no lock is held that others wait for: they may hang (ADR 37)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ctxrepo.domain.project.layout import is_ignored, unsafe
from ctxrepo.errors import Busy, CtxrepoError, Uncommitted, in_words
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.hooks.own_files import today
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.session_anchors import hand_over_compaction, leave_event_anchor, queue_handoff
from ctxrepo.services.delivery.bridge import note_ends, prepare_bridges
from ctxrepo.services.delivery.file_blocks import renew
from ctxrepo.services.delivery.first_files import update_recent_files
from ctxrepo.services.delivery.watched import store_stamps, take_stamps
from ctxrepo.services.dream.stage_cues import stage_cues
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import is_known, locate_with_git
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.rescue.repair import with_repair
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.committed import CommitResult
from ctxrepo.services.saving.refresh import build
from ctxrepo.services.score.update_scores import update_scores
from ctxrepo.services.sessions.session_settings import may_send
from ctxrepo.services.sync.fetch import starts_fetch
from ctxrepo.services.usage.entry_usage import observe
from ctxrepo.services.worker.handover import take_in
from ctxrepo.services.worker.maintain import is_turn, maintain
from ctxrepo.services.worker.remote_queue import RemoteQueue
from ctxrepo.storage.cache.cache import put_round
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.remote.exchanges import Errands
from ctxrepo.storage.state.ledgers import remove_old
from ctxrepo.storage.state.spool import Compactions, Spool, SpoolEvent

LULL = 0.3
"""Seconds that a worker waits for more work before it releases the lock: hooks come in swarms, and waiting
costs less than another interpreter and another push."""

QUIET = 2.0
"""Seconds to wait for more after a write, before it is sent."""

_MOST_WAITS = 10
"""A worker that has worked for this many times the wait of its last round (QUIET, LULL, or 0 if a session
waits for a fetch) starts another worker for the work that keeps coming, and gets on with its errands."""

_LOOKS_EVERYWHERE = ("start", "prompt", "shell", "stop", "compact", "end")
"""Events after which a person or a shell may have edited any file; after others we know which file it was."""

_POLL = 0.03
"""Seconds between two looks for new work."""

_Left = frozenset[tuple[str, ...]]
"""The work that waits, one tuple for each piece."""


class _Round(NamedTuple):
    """A round whose commit is made; `before`: stamps of the watched files, where it looked at all files."""

    events: Sequence[SpoolEvent]
    began: float
    before: Mapping[str, str] | None


@dataclass(frozen=True)
class Worker:
    """`now` tells the time, `env` is for git, `log` takes a line for doctor, `wake` starts another worker.
    `lock` is held by the worker that commits; `remote_queue` has its own."""

    memory: Memory
    env: Mapping[str, str]
    now: Callable[[], datetime]
    log: Callable[[str], None]
    wake: Callable[[], object]
    lock: TryLock
    remote_queue: RemoteQueue
    events: list[SpoolEvent] = field(default_factory=list)
    """Events of all rounds, from which usage is counted at the end, when nobody waits."""
    unvisited: deque[_Round] = field(default_factory=deque)
    """The rounds whose sessions' folders are still to be visited, oldest first."""
    waiting_for_fetch: list[SpoolEvent] = field(default_factory=list)
    """Events of rounds in which a session waits for a fetch: after it the folders are visited again."""

    def run(self) -> None:
        """Work until nothing is left; returns at once when another worker holds the lock. Whoever leaves work
        writes it down before they wake a worker, so we look again after the lock is released, however the
        round ended. Work that a round could not do is no reason for another round. Once the settings are
        changed, nothing is begun or sent by the old ones."""
        began = time.monotonic()
        while self.lock.acquire():
            if self.memory.has_new_settings:
                self.lock.release()
                break
            work = self._left()
            quiet = self._attempt() if work else 0.0
            if self.unvisited:
                self.lock.release()
                self._visit()
                if not self.lock.acquire():
                    break  # another worker has taken the lock and goes on
            self._wait_for_work(quiet, work)
            self.lock.release()
            if self._left() <= work:
                break
            if time.monotonic() > began + _MOST_WAITS * quiet:
                self.wake()  # this one must get on with its errands
                break
        self._finish()

    def _finish(self) -> None:
        """Do what is to be done, in this order, when nothing is left to commit."""
        # A sync by hand may have changed notes, and leaves no work.
        self._visits_by_current_settings().renew_blocks()
        self.memory.journal.tidy(time.time())
        remove_old(self.memory.places.sessions, time.time())
        # This may take minutes; sessions that wait for a fetch are told during it.
        are_errands_done = self.remote_queue.run(self._arrived, _newest(self.events))
        self._store_stamps()  # of the files that the errands have changed
        with forgiving(self.log):  # nobody waits for it
            if is_turn(self.events):
                observe(self.memory, self.events, self.now().timestamp())
        with forgiving(self.log):
            scan(self.memory, self.now())
        # Another worker goes on with errands that are left, or by new settings; it may take the lock at once.
        if not are_errands_done or self.memory.has_new_settings:
            self.wake()

    def maintain(self) -> None:
        """Pack the clone's objects if that is due; it may take seconds, so all locks are free by now."""
        with forgiving(self.log):  # it is tried again in a day
            maintain(self.memory, time.time())

    def _left(self) -> _Left:
        """The work that waits; equal tuples mean that the same piece still waits."""
        work: set[tuple[str, ...]] = {("save", name) for name in self.memory.journal.names()}
        work |= {("handover", name) for name in self.memory.handover.names()}
        spool = Spool(self.memory.state)
        if not spool.is_empty():
            work.add(("spool", spool.stamp()))
        if self._lacks_cache():
            work.add(("cache", str(self.memory.head)))
        return frozenset(work)

    def _wait_for_work(self, seconds: float, work: _Left) -> None:
        """Wait until new work comes, but at most so many seconds."""

        def stamps() -> tuple[str, str]:
            return Spool(self.memory.state).stamp(), stamp_of(str(self.memory.state.journal))

        end, before = time.monotonic() + seconds, stamps()
        if self._left() <= work:
            while time.monotonic() < end and stamps() == before:
                time.sleep(_POLL)

    def _attempt(self) -> float:
        """One round, repeated after a repair; if it fails, the work stays in spool and journal."""
        began = time.time()
        try:
            return with_repair(self.memory, self.now(), self._round, lambda repair: self.log(repair.words))
        except Exception as error:
            self.log(in_words(error))
            self._note_round(began)  # hooks must not wait for a round that failed
            return LULL

    def _round(self) -> float:
        """Commit what waits, and leave errands to the remote; returns how many seconds to wait for more."""
        if self._lacks_cache():  # not under the write lock: it may take a while
            build(self.memory, self.memory.head)
        with suppress(Busy):  # somebody else is at it
            take_in(self.memory, self.now())
        spool = Spool(self.memory.state)
        began = time.time()  # every line that was in the spool before this is read below
        events, end = spool.read()
        looks_everywhere = any(event.event in _LOOKS_EVERYWHERE for event in events)
        before = take_stamps(self.memory) if looks_everywhere else None
        # Else the memory files that tools wrote to and no hook could save.
        paths = {e.path for e in events if e.path and not (unsafe(e.path) or is_ignored(e.path))}
        agents = {event.agent for event in events}
        request = CommitRequest(None if looks_everywhere else paths, _newest(events), agents=agents)
        try:
            result = commit(self.memory, self.now(), request)
        except Uncommitted:  # sessions are told; all else goes on
            result = CommitResult(self.memory.head)
        for event in events:
            try:
                queue_handoff(self.memory, event)
            except (CtxrepoError, OSError) as error:  # the other events are handled all the same
                self.log(str(error))
        # A fetch is due at a session's start; a push at its end, and at its start (a worker may have been
        # killed before it sent), as after a commit. All are left before the spool is cut: after a kill the
        # next worker finds one or the other.
        fetches = starts_fetch(self.memory, events)
        is_end = any(e.event in ("start", "end") for e in events)
        errands = Errands(self.memory.state.root)
        if fetches:
            errands.leave("fetch")
        if is_end and may_send(self.memory, agents):
            errands.leave("send")
        spool.drop(end, events)
        self.events.extend(events)
        self.unvisited.append(_Round(events, began, before))
        if fetches:
            self.waiting_for_fetch.extend(events)
            return 0.0
        return QUIET if result.is_to_send else LULL

    def _visit(self) -> None:
        """Visit the folders of each round's sessions without a lock, for one may hang (ADR 37)."""
        visits = self._visits_by_current_settings()
        while self.unvisited:
            events, began, before = self.unvisited.popleft()
            visits.hand_over()
            self._store_stamps(visits.locate_sessions(events), before)
            if is_turn(events):
                with forgiving(self.log):
                    update_recent_files(visits.memory)
                with forgiving(self.log):
                    update_scores(visits.memory, today())
            visits.renew_blocks()
            if not self.waiting_for_fetch:  # else they wait for the fetch, too
                self._note_round(began)
            with forgiving(self.log):  # no session waits for bridges and anchors
                note_ends(visits.memory, events)
                prepare_bridges(visits.memory, events, self.env, self.now())
            visits.leave_anchors(events)
            visits.stage_cues(events)

    def _arrived(self, began: float) -> None:
        """A fetch that began at `began` is done: tell the sessions that wait for it."""
        visits = self._visits_by_current_settings()
        events = [*self.waiting_for_fetch]
        self.waiting_for_fetch.clear()
        self._store_stamps(visits.locate_sessions(events))
        visits.renew_blocks()
        self._note_round(began)

    def _note_round(self, began: float) -> None:
        """Tell hooks that wait: all work that was left before `began` is done, or can't be done."""
        with forgiving(self.log):  # hooks wait for a moment only
            self.memory.cache.change(put_round, began)

    def _store_stamps(self, scopes: Iterable[str] = (), before: Mapping[str, str] | None = None) -> None:
        """Store the stamps of the files that the cache holds, for hooks to compare."""
        with forgiving(self.log):  # hooks will wake another worker
            store_stamps(self.memory, {self.memory.global_folder: None, **dict.fromkeys(scopes)}, before)

    def _visits_by_current_settings(self) -> Visits:
        """Visits by the settings as they are now. A checkout is judged once and known for good, and
        `project.trust` may have been set while this worker waited for more work."""
        return Visits(self.memory.with_current_settings(), self.env, self.now, self.log)

    def _lacks_cache(self) -> bool:
        """Whether the cache is behind: commands that clone or change many notes leave them to the worker."""
        head = self.memory.head
        return head is not None and self.memory.cache.head != head


def _newest(events: Sequence[SpoolEvent]) -> float | None:
    """When the newest event was. An edit made after it may be a tool's, whose hook is still to come."""
    return max((event.at for event in events), default=0.0) or None


_TRIES = 4
"""How often we try to get the write lock."""


@contextmanager
def forgiving(log: Callable[[str], None]) -> Iterator[None]:
    """Log an error, so that the rest is done all the same."""
    try:
        yield
    except Exception as error:
        log(in_words(error))


@dataclass(frozen=True)
class Visits:
    """`now` tells the time, `env` is for git, `log` takes a line for `doctor`; after an error the
    other visits go on."""

    memory: Memory
    env: Mapping[str, str]
    now: Callable[[], datetime]
    log: Callable[[str], None]

    def locate_sessions(self, events: Sequence[SpoolEvent]) -> list[str]:
        """Record for hooks which projects these sessions are in, as git tells; returns the projects' folders,
        whose notes a sparse clone gets on disk, with a commit perhaps. A worker has the environment of one
        session and works for all."""
        projects: list[Project | None] = []
        with forgiving(self.log):
            projects.append(locate_with_git(self.memory, self.memory.root, self.env).project)
        cwds = {e.cwd for e in events if e.event in ("start", "prompt")}
        for cwd in dict.fromkeys(e.cwd for e in events if e.cwd):
            with forgiving(self.log):
                # A prompt asks only once, so a worker tries again for every folder that is still unknown.
                if cwd in cwds or not is_known(self.memory, Path(cwd)):
                    here = locate_with_git(self.memory, Path(cwd))
                    project = None if here.is_withheld else here.project
                    widen(self.memory, project, self.now())
                    projects.append(project)
        return [project.folder for project in projects if project and project.is_registered]

    def leave_anchors(self, events: Sequence[SpoolEvent]) -> None:
        """Say on the tapes what happened to these sessions."""
        for event in events:
            with forgiving(self.log):
                act = partial(leave_event_anchor, self.memory, event, self.env, self.now())
                self._retry_while_busy(act)

    def stage_cues(self, events: Sequence[SpoolEvent]) -> None:
        """Propose what people asked for in these turns that is to hold from now on."""
        for event in {(event.agent, event.session): event for event in events}.values():
            with forgiving(self.log):
                self._retry_while_busy(partial(stage_cues, self.memory, event, self.now()))

    def hand_over(self) -> None:
        """Write the handoffs of sessions that are being compacted. Nobody will write them later, so this
        waits longer for the write lock, which a checkout of thousands of files may hold."""
        queue, lock = Compactions(self.memory.state.compactions), TryLock(self.memory.state.lock("handoff"))
        while queue.are_left() and lock.acquire():
            try:
                for event in queue.take():
                    with forgiving(self.log):
                        act = partial(hand_over_compaction, self.memory, event, self.env, self.now())
                        self._retry_while_busy(act)
            finally:
                lock.release()

    def renew_blocks(self) -> None:
        """Renew the packet in agents' instruction files; commits and pushes don't wait for it."""
        with forgiving(self.log):
            renew(self.memory, self.now())

    def _retry_while_busy(self, act: Callable[[], None]) -> None:
        for left in reversed(range(_TRIES)):
            try:
                act()
                break
            except Busy:
                if not left:
                    raise
