"""What hooks and writers leave to do is done, one worker at a time, until nothing is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from ctxrepo.errors import CtxrepoError, in_words
from ctxrepo.hooks.known.compiled import stamp_of
from ctxrepo.services.delivery.seen import glance, see
from ctxrepo.services.rescue.repair import healing
from ctxrepo.services.saving.commit import CommitRequest, commit
from ctxrepo.services.saving.refresh import build
from ctxrepo.services.saving.spooled import spooled_versions, touched_paths
from ctxrepo.services.sync.fetch import is_fetch_due
from ctxrepo.services.tape.session_anchors import note
from ctxrepo.services.usage.observe import observe
from ctxrepo.services.worker.maintain import maintain
from ctxrepo.services.worker.remote_queue import RemoteQueue
from ctxrepo.services.worker.visits import Visits
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.remote.errands import Errands
from ctxrepo.storage.state.spool import Spool, SpoolEvent, tidy

LULL = 0.3
"""Seconds without anything new after which a worker lets go: hooks come in swarms, and waiting a little costs
less than another interpreter and another push."""

QUIET = 2.0
"""The same where somebody writes outside an agent's session, before it is sent."""

_MOST = 10
"""So many times as long it waits in all: what comes without end is for the next worker."""

_GLANCE = 0.03

_TRIES = 4
"""So often the write lock is asked for."""

_Left = frozenset[tuple[str, ...]]
"""What there is to do, a tuple a thing."""


class _Round(NamedTuple):
    """What is committed; `before` is how the files of the memory were then, where all were looked at."""

    events: Sequence[SpoolEvent]
    began: float
    before: Mapping[str, str] | None


@dataclass(frozen=True)
class Worker:
    """`now` tells the time, `env` is handed to git, `log` takes a line for doctor to find, `wake` starts
    another worker. `lock` is held by the worker that commits; `remote_queue` has a lock of its own."""

    memory: Memory
    env: Mapping[str, str]
    now: Callable[[], datetime]
    log: Callable[[str], None]
    wake: Callable[[], object]
    lock: TryLock
    remote_queue: RemoteQueue
    starts: list[SpoolEvent] = field(default_factory=list)
    """Sessions that wait for what others sent."""
    rounds: list[_Round] = field(default_factory=list)
    """Rounds whose sessions' folders are to be looked at."""
    seen: list[SpoolEvent] = field(default_factory=list)
    """What happened in sessions, for counting what came of it once nobody waits any more."""

    def run(self) -> None:
        """Work until nothing is left; returns soon when others are at it.

        Whoever leaves work first writes it down and then wakes a worker, which nobody does while the lock is
        held. So after it has let go a worker looks again, however its round ended: whatever is left is met
        by a round that began after it was written. What a round could do nothing about is no reason for
        another one.
        """
        began = time.monotonic()
        while self.lock.acquire():
            seen = self._left()
            quiet = self._attempt() if seen else 0.0
            if self.rounds:
                self.lock.release()
                self._visit()
                if not self.lock.acquire():
                    break  # who came meanwhile goes on
            self._linger(quiet, seen)
            self.lock.release()
            if self._left() <= seen:
                break
            if time.monotonic() > began + _MOST * quiet:
                self.wake()  # errands can't wait for it
                break
        self._visits.renew_blocks()  # a sync by hand, which leaves nothing to do, may have brought something
        tidy(self.memory.state, time.time())
        is_done = self.remote_queue.run(self._arrived)
        self._see()
        self._observe()
        # Settings are read at the start; who saw them change meanwhile left word with nobody but us.
        if not is_done or stamp_of(str(self.memory.places.config_file)) != self.memory.settings_stamp:
            self.wake()

    def maintain(self) -> None:
        """Look after the clone, once all is done and all locks are free: it may take seconds."""
        try:
            maintain(self.memory, time.time())
        except Exception as error:  # it is tried again in a day
            self.log(in_words(error))

    def _left(self) -> _Left:
        """What there is to do; a thing that is still there later is the same then."""
        left = {write.key for write in self.memory.writes.read()}
        spool = Spool(self.memory.state)
        if not spool.is_empty():
            left.add(("spool", spool.stamp()))
        if self._lacks_cache():
            left.add(("cache", str(self.memory.head)))
        return frozenset(left)

    def _linger(self, seconds: float, seen: _Left) -> None:
        """Wait until nothing new has come for so long, or until something has."""
        end = time.monotonic() + seconds
        before = self._stamps()
        if self._left() <= seen:
            while time.monotonic() < end and self._stamps() == before:
                time.sleep(_GLANCE)

    def _stamps(self) -> list[str]:
        return [Spool(self.memory.state).stamp(), stamp_of(str(self.memory.state.writes))]

    def _attempt(self) -> float:
        """A round, once more after a repair; where it fails, what there is stays in spool and write log."""
        began = time.time()
        try:
            return healing(self.memory, self.now(), self._round, lambda done: self.log(done.words))
        except Exception as error:
            self.log(in_words(error))
            self._settle(began)  # nobody has to wait for it
            return LULL

    def _round(self) -> float:
        """Commit what there is and leave errands for what is to be asked of the remote; the seconds for
        which more is waited for."""
        if self._lacks_cache():  # not under the write lock: it may take a while
            build(self.memory, self.memory.head)
        spool = Spool(self.memory.state)
        began = time.time()  # a line that was in the spool by now is read; a later one may not be
        events, end = spool.read()
        looks_everywhere = _looks_everywhere(events)
        before = glance(self.memory) if looks_everywhere else None
        only = None if looks_everywhere else touched_paths(events)
        wanted = CommitRequest(spooled_versions(self.memory, events), only)
        done = commit(self.memory, self.now(), wanted).done
        for event in events:
            with self._forgiving():
                note(self.memory, event, self.now())
        # First these: whoever comes after a kill shall find either events or errands.
        fetches = any(e.event == "start" for e in events) and is_fetch_due(self.memory)
        writes_outside = any(not write.session for write in done)
        self._leave_errands(events, fetches, writes_outside)
        self.seen.extend(events)
        spool.drop(end, events)
        self.rounds.append(_Round(events, began, before))
        if fetches:
            self.starts.extend(events)
            return 0.0
        return QUIET if writes_outside and self._may_send() else LULL

    def _visit(self) -> None:
        """Look at the folders that the sessions of a round are in. They are other people's, and may hang: so
        no lock is held, and others commit and send meanwhile."""
        while self.rounds:
            events, began, before = self.rounds.pop(0)
            self._visits.hand_over()
            self._see(self._visits.scopes_of(events), before)
            if _is_turn(events):
                self._visits.note_active()
            self._visits.renew_blocks()
            if not self.starts:  # they wait for more than this round
                self._settle(began)

    def _leave_errands(self, events: Sequence[SpoolEvent], fetches: bool, writes_outside: bool) -> None:
        """A session that starts waits for what others sent; at its end it sends, and at the next start what
        an earlier one was killed before sending."""
        errands = Errands(self.memory.state.root)
        if fetches:
            errands.leave("fetch")
        if self._may_send() and (writes_outside or any(e.event in ("start", "end") for e in events)):
            errands.leave("send")

    def _arrived(self, asked: float) -> None:
        """What was `asked` for then has come, and the sessions that waited for it may look."""
        self._see(self._visits.scopes_of(self.starts))
        self._visits.renew_blocks()
        self.starts.clear()
        self._settle(asked)

    def _settle(self, began: float) -> None:
        """Say that what was left for a worker until then is done, or can't be."""
        try:
            self.memory.cache.settle(began)
        except Exception as error:  # of those who wait each goes on after a moment
            self.log(in_words(error))

    def _see(self, scopes: Iterable[str] = (), before: Mapping[str, str] | None = None) -> None:
        """Let hooks know what the files are like that the cache holds."""
        try:
            see(self.memory, {self.memory.global_folder: None, **dict.fromkeys(scopes)}, before)
        except Exception as error:  # hooks wake a worker once more then
            self.log(in_words(error))

    def _observe(self) -> None:
        """After the turns of sessions: what came of entries they were given."""
        try:
            if _is_turn(self.seen):
                observe(self.memory, self.seen, self.now().timestamp())
        except Exception as error:  # nothing that others wait for hangs on it
            self.log(in_words(error))

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """One event that can't be served must not keep the others from it for ever."""
        try:
            yield
        except (CtxrepoError, OSError) as error:
            self.log(str(error))

    @property
    def _visits(self) -> Visits:
        return Visits(self.memory, self.env, self.now, self.log)

    def _may_send(self) -> bool:
        return self.memory.has_remote and "push" in self.memory.settings.hooks.session_end

    def _lacks_cache(self) -> bool:
        """Whether nobody has read the notes yet: who cloned or changed many of them didn't wait for it."""
        head = self.memory.head
        return head is not None and self.memory.cache.head != head


def _looks_everywhere(events: Sequence[SpoolEvent]) -> bool:
    """Whether edits are looked for in all files: at the turns of a session, when somebody may have edited by
    hand or with a shell; a prompt leaves word only where something moved. After a command or a tool we know
    which file it was."""
    return any(e.event in ("start", "prompt", "stop", "compact", "end") for e in events)


def _is_turn(events: Sequence[SpoolEvent]) -> bool:
    """Whether a session has come to more than using a tool."""
    return any(event.event != "tool" for event in events)
