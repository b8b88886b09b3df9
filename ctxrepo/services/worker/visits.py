"""A look at the folders that sessions are in. They are other people's and may hang, so whoever looks
holds no lock that others wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.errors import Busy, in_words
from ctxrepo.services.delivery import recent_files
from ctxrepo.services.delivery.blocks import renew
from ctxrepo.services.locate.project import Project, is_known, look_here
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.tape.session_anchors import hand_over_compaction
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.state.compactions import Compactions
from ctxrepo.storage.state.spool import SpoolEvent

_TRIES = 4
"""So often the write lock is asked for."""


@dataclass(frozen=True)
class Visits:
    """`now` tells the time, `env` is handed to git, `log` takes a line for doctor to find. What can't be done
    is logged, and the rest goes on."""

    memory: Memory
    env: Mapping[str, str]
    now: Callable[[], datetime]
    log: Callable[[str], None]

    def scopes_of(self, events: Sequence[SpoolEvent]) -> list[str]:
        """Find out which projects the sessions are in, for the hooks that could not; the folders of these.

        A worker inherits the environment of the session that woke it, and works for all of them.
        """
        projects: list[Project | None] = []
        with self._forgiving():
            projects.append(look_here(self.memory, self.memory.root, self.env).project)
        asked = {e.cwd for e in events if e.event in ("start", "prompt")}
        for cwd in dict.fromkeys(e.cwd for e in events if e.cwd):
            with self._forgiving():
                # What no worker could find out yet is tried whenever one is awake: a prompt asks but once.
                if cwd in asked or not is_known(self.memory, Path(cwd)):
                    here = look_here(self.memory, Path(cwd), {**self.env, "CTXREPO_PROJECT": ""})
                    project = None if here.is_held else here.project
                    widen(self.memory, project, self.now())
                    projects.append(project)
        return [project.folder for project in projects if project and project.is_registered]

    def hand_over(self) -> None:
        """Leave the handoffs of sessions whose conversation is being shortened. Nobody will leave them later:
        so it waits out who has the write lock for longer than a command would wait, as whoever brings
        thousands of files has."""
        left, lock = Compactions(self.memory.state.compactions), TryLock(self.memory.state.lock("handoff"))
        while left.are_left() and lock.acquire():
            try:
                for event in left.take():
                    with self._forgiving():
                        self._persist(partial(hand_over_compaction, self.memory, event, self.env, self.now()))
            finally:
                lock.release()

    def note_active(self) -> None:
        """Which files of the projects agents touched last."""
        with self._forgiving():
            recent_files.note_active(self.memory)

    def renew_blocks(self) -> None:
        """Agents' instruction files that hold the packet follow the memory; no commit and no push waits for
        one that can't."""
        with self._forgiving():
            renew(self.memory, self.now())

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """One folder that can't be looked at must not keep the others from it."""
        try:
            yield
        except Exception as error:
            self.log(in_words(error))

    def _persist(self, act: Callable[[], None]) -> None:
        for left in reversed(range(_TRIES)):
            try:
                act()
                break
            except Busy:
                if not left:
                    raise
