"""work: what hooks and writers leave to do is done, one worker at a time, until nothing is left."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ctxrepo.domain.anchor import Anchor, to_line
from ctxrepo.domain.moment import stamp
from ctxrepo.domain.origin import Origin
from ctxrepo.domain.remote import RemoteAnswer
from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.services.commit import Wanted, commit
from ctxrepo.services.fetch import is_fetch_due
from ctxrepo.services.project import Project, find_project
from ctxrepo.services.refresh import build
from ctxrepo.services.repair import healing
from ctxrepo.services.sparse import widen
from ctxrepo.services.spooled import spooled_versions
from ctxrepo.services.sync import Synced, sync
from ctxrepo.services.tape import anchor
from ctxrepo.storage.lock import locked
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.spool import Event, Spool, tidy

QUIET = 2.0
"""Seconds without a write, outside an agent's session, after which the worker also sends."""

PATIENCE = 60.0
"""Seconds a worker waits for a sync that is under way: nobody is watching."""

_SESSION_ANCHORS_BYTES = 256 * 1024


@dataclass(frozen=True)
class Worker:
    """`now` tells the time, `env` is handed to git, `log` takes a line for doctor to find."""

    memory: Memory
    env: Mapping[str, str]
    now: Callable[[], datetime]
    log: Callable[[str], None]
    early: list[Future[RemoteAnswer]] = field(default_factory=list)
    """A fetch that was begun before this worker was ready; the first round takes it."""

    def run(self) -> None:
        """Work until nothing is left; returns at once when another worker is at it.

        Whoever leaves work first writes it down and then wakes a worker; and a worker looks again after it
        has let go of the lock. So no work is left lying between two of them.
        """
        is_first = True
        while self._has_work() or (is_first and self._lacks_cache()):
            is_first = False
            try:
                with locked(self.memory.state.lock("work"), timeout=0):
                    healing(self.memory, self.now(), self._rounds, lambda done: self.log(done.words))
                    tidy(self.memory.state, time.time())
            except Busy:
                return
            except CtxrepoError as error:
                # What is left stays in spool and write log, for the next one to be woken.
                self.log(f"{error.message} {error.hint}".strip())
                return

    def _rounds(self) -> None:
        if self._lacks_cache():  # not under the write lock: it may take a while
            build(self.memory, self.memory.objects.ref(self.memory.clone.branch_ref))
        while self._has_work():
            outside = any(not w.session for w in self.memory.writes.read())
            self._round()
            if outside and not self._has_work() and self.memory.has_remote:
                self._send_when_quiet()

    def _round(self) -> None:
        """Commit first, so that it never waits for the network; then talk to the remote if it is time."""
        spool = Spool(self.memory.state)
        events, end = spool.read()
        versions = spooled_versions(self.memory, events)
        # A session that starts waits for what others sent meanwhile, and for nothing else.
        fetches = any(e.event == "start" for e in events) and is_fetch_due(self.memory)
        # At its end a session sends; at the next start what an earlier one was killed before sending.
        sends = any(e.event in ("start", "end") for e in events) and self._may_send()
        commit(self.memory, self.now(), Wanted(versions, None if _looks_everywhere(events) else ()))
        for event in events:
            with self._forgiving():
                self._note(event)
        # Before the network: what a kill makes us forget here, the next session start finds by itself.
        spool.drop(end, events)
        if fetches:
            fetched = self.early.pop().result() if self.early else None
            self._said(sync(self.memory, self.now(), send=False, fetched=fetched, wait=PATIENCE))
        self._resolve(events)
        self.memory.cache.settle(time.time())
        if sends and self._is_ahead():
            self._said(sync(self.memory, self.now(), wait=PATIENCE))

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """One event that can't be served must not keep the others from it for ever."""
        try:
            yield
        except (CtxrepoError, OSError) as error:
            self.log(str(error))

    def _note(self, event: Event) -> None:
        """Leave the anchor an event calls for: on the tape before a compaction, on this machine otherwise."""
        if event.event == "compact" and "handoff" in self.memory.settings.hooks.pre_compact:
            anchor(
                self.memory,
                "handoff/compaction",
                self._project(event),
                Origin(self.memory.host, event.session, event.agent),
                self.now(),
                trigger="compaction",
            )
        elif event.event in ("start", "end"):
            self._local_anchor(event)

    def _local_anchor(self, event: Event) -> None:
        kind = {"resume": "resume", "fork": "fork"}.get(event.source, "new")
        name = "session/end" if event.event == "end" else f"session/{kind}"
        anchor_id = secrets.token_hex(8)
        made = Anchor(
            id=anchor_id,
            timestamp=stamp(self.now()),
            name=name,
            type="session",
            session_id=event.session or "unknown",
            session_entry_id=anchor_id,
            host=self.memory.host,
        )
        path = self.memory.state.anchors
        if path.exists() and path.stat().st_size > _SESSION_ANCHORS_BYTES:
            path.replace(path.with_suffix(".old"))
        with path.open("a", encoding="utf-8") as file:
            file.write(to_line(made) + "\n")

    def _resolve(self, events: Sequence[Event]) -> None:
        """Find out which projects the sessions are in, for the hooks that could not.

        A worker inherits the environment of the session that woke it, and works for all of them.
        """
        with self._forgiving():
            find_project(self.memory, self.memory.root, self.env)
        for cwd in dict.fromkeys(e.cwd for e in events if e.cwd and e.event in ("start", "prompt")):
            with self._forgiving():
                project = find_project(self.memory, Path(cwd), {**self.env, "CTXREPO_PROJECT": ""})
                widen(self.memory, project, self.now())

    def _project(self, event: Event) -> Project | None:
        return find_project(self.memory, Path(event.cwd), self.env) if event.cwd else None

    def _may_send(self) -> bool:
        return self.memory.has_remote and "push" in self.memory.settings.hooks.session_end

    def _is_ahead(self) -> bool:
        objects, clone = self.memory.objects, self.memory.clone
        here, there = objects.ref(clone.branch_ref), objects.ref(clone.upstream_ref)
        return here is not None and (there is None or not objects.contains(there, here))

    def _send_when_quiet(self) -> None:
        """Give a person at work some seconds before their writes are sent, and then send all at once."""
        end = time.monotonic() + QUIET
        while time.monotonic() < end:
            if self._has_work():
                return
            time.sleep(0.1)
        if self._may_send():
            self._said(sync(self.memory, self.now(), wait=PATIENCE))

    def _lacks_cache(self) -> bool:
        """Whether nobody has read the notes yet: who cloned or changed many of them didn't wait for it."""
        head = self.memory.objects.ref(self.memory.clone.branch_ref)
        return head is not None and self.memory.cache.head != head

    def _has_work(self) -> bool:
        return not (self.memory.writes.is_empty() and Spool(self.memory.state).is_empty())

    def _said(self, result: Synced) -> None:
        if not result.remote.ok:
            self.log(f"remote {result.remote.outcome}: {result.remote.reason}")


def _looks_everywhere(events: Sequence[Event]) -> bool:
    """Whether edits are looked for in all files: at the turns of a session, when somebody may have edited by
    hand or with a shell. After a command or a tool we know which file it was."""
    return any(e.event in ("start", "stop", "compact", "end") for e in events)
