"""Visits the folders that sessions are in. Such a folder may hang, so no lock is held that others wait for
(ADR 37)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from ctxrepo.errors import Busy, in_words
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.session_anchors import hand_over_compaction, leave_event_anchor
from ctxrepo.services.delivery import first_files
from ctxrepo.services.delivery.bridge import note_ends, prepare_bridges
from ctxrepo.services.delivery.file_blocks import renew
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import locate_with_git
from ctxrepo.services.locate.recorded import is_known
from ctxrepo.services.projects.sparse import widen
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.lock import TryLock
from ctxrepo.storage.state.spool import Compactions, SpoolEvent

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
    """`now` tells the time, `env` is for git, `log` takes a line for `doctor`; after an error the other
    visits go on."""

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
        asked = {e.cwd for e in events if e.event in ("start", "prompt")}
        for cwd in dict.fromkeys(e.cwd for e in events if e.cwd):
            with forgiving(self.log):
                # A prompt asks only once, so a worker tries again for every folder that is still unknown.
                if cwd in asked or not is_known(self.memory, Path(cwd)):
                    here = locate_with_git(self.memory, Path(cwd), {**self.env, "CTXREPO_PROJECT": ""})
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

    def hand_over(self) -> None:
        """Write the handoffs of sessions that are being compacted. Nobody will write them later, so this
        waits longer for the write lock, which a checkout of thousands of files may hold."""
        left, lock = Compactions(self.memory.state.compactions), TryLock(self.memory.state.lock("handoff"))
        while left.are_left() and lock.acquire():
            try:
                for event in left.take():
                    with forgiving(self.log):
                        act = partial(hand_over_compaction, self.memory, event, self.env, self.now())
                        self._retry_while_busy(act)
            finally:
                lock.release()

    def build_bridges(self, events: Sequence[SpoolEvent]) -> None:
        """Note which sessions have ended, and lay ready what those that have begun may be told of them."""
        with forgiving(self.log):
            note_ends(self.memory, events)
            prepare_bridges(self.memory, events, self.env, self.now())

    def update_recent_files(self) -> None:
        """Record which files of the projects agents touched last."""
        with forgiving(self.log):
            first_files.update_recent_files(self.memory)

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
