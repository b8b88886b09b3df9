"""What operations start from: an environment as values, an open memory, the project of the current folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ctxrepo.agents.known import agent_in, session_in
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.target import names_scope, scopes_named
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import CtxrepoError, GitFailed, NoAnswer, OtherOwner, Unsigned
from ctxrepo.hooks.wakeup import start_worker
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_project
from ctxrepo.services.projects.sparse import widen, widen_to_named
from ctxrepo.services.repository.published import publish_settings
from ctxrepo.services.sessions.session_settings import redirections
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.apart import run_forking
from ctxrepo.storage.processes.outside import Outside
from ctxrepo.storage.state.compiled import read_repositories
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.sound import FolderFacts, folder_facts

if TYPE_CHECKING:
    from ctxrepo.app.owner import OwnerThread
    from ctxrepo.services.locate.code_at_hand import CodeAtHand
    from ctxrepo.services.saving.committed import CommitResult
    from ctxrepo.services.setup.connection import Machine

Request = TypeVar("Request")
Answer = TypeVar("Answer")

_OF_ONE_OPERATION = ("_around", "folder_facts", "project", "code_at_hand", "session", "agent", "origin")


@dataclass(frozen=True)
class Call:
    """What belongs to one call of an operation, and to no other.

    `progress` is told of long work while it goes on. `notices` collects what is worth knowing besides the
    result, oldest first, also when the operation fails."""

    cwd: Path
    environment: Mapping[str, str]
    """The caller's: it names the project, the agent's session and how git reaches the remote."""
    session: tuple[str, str] | None = None
    """(agent, id of its session or '') of the caller; None to read them from the environment."""
    progress: Callable[[str], None] | None = None
    notices: list[str] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Desk:
    """Where operations are performed, for one or for many; it keeps the memory open between them.

    A desk may be used in one thread; one that is made by `shared` in all. Nothing is printed here."""

    call: Call
    """The call under way, or else the one that the desk was opened for: its environment says where all is."""
    clock: Callable[[], datetime]
    interpreter: str
    """The Python that hooks must start: by its absolute path and never through a shim."""
    now: datetime = field(init=False)
    """When the operation began."""
    _environment: Mapping[str, str] = field(init=False)
    _owner: OwnerThread | None = field(default=None, init=False)
    _opened: Memory | None = field(default=None, init=False)
    _names_scope: bool = field(default=False, init=False)
    """Whether the request under way says itself which scope it is about."""
    _scopes: Collection[str] = field(default=(), init=False)
    """The scopes that it names."""
    _files: tuple[str, ...] = field(default=(), init=False)
    """Which clone and cache the opened memory has open."""

    def __post_init__(self) -> None:
        self.now = self.clock()
        self._environment = self.call.environment

    @classmethod
    def shared(cls, call: Call, clock: Callable[[], datetime], interpreter: str) -> Desk:
        """A desk at which any thread may `perform` and `close`; a thread of its own carries that out in turn
        (ADR 64). `call` is for callers that bring none."""
        from ctxrepo.app.owner import OwnerThread  # a command needs no thread, and saves the import

        desk = cls(call, clock, interpreter)
        desk._owner = OwnerThread()
        return desk

    def perform(
        self, operation: Callable[[Desk, Request], Answer], request: Request, call: Call | None = None
    ) -> Answer:
        """Carry out an operation with the moment, memory and project as they are by now, for this call.

        An operation that needs to be told nothing is given None. Without a `call` it is the one under way or,
        outside of any, the one that the desk was opened for."""
        action = partial(self._perform, operation, request, call)
        return self._owner.run(action) if self._owner else action()

    def _perform(
        self, operation: Callable[[Desk, Request], Answer], request: Request, call: Call | None
    ) -> Answer:
        self.now = self.clock()
        self._forget()
        if (memory := self._opened) and (
            memory.has_new_settings
            or _files(memory) != self._files
            or memory.find_why_read_only() != memory.why_read_only
        ):
            # The settings were changed since they were read, the clone or the cache was created again, or the
            # disk can be written by now, or no more. Commits, notes and the journal need no stamp: they are
            # read again each time.
            self._opened = None
        outer, self.call = self.call, call or self.call
        before = self._names_scope, self._scopes
        self._names_scope, self._scopes = names_scope(request), scopes_named(request)
        try:
            return operation(self, request)
        finally:
            self._names_scope, self._scopes = before
            if call:  # the operation that performed this one goes on with what belongs to its own call
                self.call = outer
                self._forget()

    def _forget(self) -> None:
        for name in _OF_ONE_OPERATION:
            vars(self).pop(name, None)

    @property
    def cwd(self) -> Path:
        """The caller's current folder."""
        return self.call.cwd

    @property
    def env(self) -> Mapping[str, str]:
        """The caller's environment."""
        return self.call.environment

    def progress(self, text: str) -> None:
        """Tell the caller of long work while it goes on."""
        if self.call.progress:
            self.call.progress(text)

    def notice(self, *texts: str) -> None:
        """Tell the caller what is worth knowing and is not the result, a line each."""
        self.call.notices.extend(texts)

    def take_notices(self) -> list[str]:
        """The notices of the call since the last time, oldest first; they are taken once."""
        notices, self.call.notices[:] = self.call.notices[:], []
        return notices

    def close(self) -> None:
        """Close what is open. A shared desk ends with that; at another the next operation opens it again."""
        if self._owner is None:
            self._close()
        elif not self._owner.has_ended:
            self._owner.end(self._close)

    def _close(self) -> None:
        if self._opened and "cache" in vars(self._opened):
            self._opened.cache.close()
        self._opened = None
        if "places" in vars(self):
            self.places.leave()
            del self.places

    @cached_property
    def places(self) -> Places:
        """Where everything is, put right or refused before anything is read there."""
        return Places.of(self._environment).or_apart()

    @property
    def memory(self) -> Memory:
        """The memory; ConfigError when config.toml can't be read."""
        return self.open_memory()

    def open_memory(self, *, or_last_settings: bool = False) -> Memory:
        """The memory, opened when it isn't yet: that publishes the settings for the hooks, and notices what
        is odd in config.toml.

        With `or_last_settings`, if config.toml can't be read, the settings hold that it had when it last
        could: for operations that tell what is wrong."""
        if self._owner and not self._owner.is_current:
            raise RuntimeError("the memory of a shared desk belongs to its thread: perform an operation")
        if self._opened is None or (self._opened.config_error and not or_last_settings):
            try:
                memory = Memory.open(self.places, self.env, or_last_settings=or_last_settings)
            except OtherOwner as why:  # of the clone alone
                self.places = self.places.apart(why)
                memory = Memory.open(self.places, self.env)
            publish_settings(memory, self.interpreter)  # first: the fork for warnings needs its modules
            self.notice(*memory.settings.warnings, *self.project_warnings)
            self._opened = replace(memory, progress=self.progress, notice=self.notice)
            self._files = _files(self._opened)
            with suppress(CtxrepoError):  # told by whoever commits
                take_in(self._opened, self.now)  # before anything else is written: its notes may move
        elif self._opened.env != self.env:
            self._opened = self._opened.for_caller(self.env)
        return self._opened

    @property
    def project_warnings(self) -> tuple[str, ...]:
        """What is odd in agents' settings that came with the current folder.

        Nothing where that folder hangs: operations that need the project say so."""
        with suppress(NoAnswer):
            return self._around[1]
        return ()

    @cached_property
    def folder_facts(self) -> FolderFacts:
        """What is around the current folder. NoAnswer where that hangs."""
        return self._around[0]

    @cached_property
    def _around(self) -> tuple[FolderFacts, tuple[str, ...]]:
        """The facts and warnings about the current folder, for which another process is asked once."""
        return Outside(self.places.unresponsive).ask(self.cwd, partial(_look_around, self.cwd))

    @cached_property
    def project(self) -> Project | None:
        """The project of the current folder, None for none, and where it isn't known which for a request that
        names its scope; others fail there.

        In a sparse clone its notes, and those of projects that the request names, are brought to disk first,
        which may commit; so does a folder that a hand has renamed: the next write would make it anew."""
        widen_to_named(self.memory, self._scopes, self.now)
        try:
            project = find_project(self.memory, self.cwd, self.env, lambda: self.folder_facts)
            if project and project.is_registered and self._has_lost(project):
                self.commit_pending()
                project = find_project(self.memory, self.cwd, self.env, lambda: self.folder_facts)
        except (GitFailed, NoAnswer):
            if not self._names_scope:
                raise
            return None
        try:
            widen(self.memory, project, self.now)
        except GitFailed:
            if not self._names_scope:
                raise
        return project

    def _has_lost(self, project: Project) -> bool:
        """Whether a project's folder, which the last commit has, is not on disk and should be."""
        memory = self.memory
        is_there = memory.clone.cone is not None or (memory.root / project.folder).exists()
        with suppress(CtxrepoError):  # a clone of which notes can be read, and git's files can't
            return not is_there and project.folder in memory.objects.names_in(memory.head_tree, "")
        return False

    @cached_property
    def code_at_hand(self) -> CodeAtHand | None:
        """The checkout of code around the current folder; None outside of one."""
        from ctxrepo.services.locate.code_at_hand import CodeAtHand

        with suppress(NoAnswer):
            if self.project and (top := self.folder_facts.top):
                return CodeAtHand(Path(top), self.env, self.project.folder)
        return None

    @cached_property
    def session(self) -> tuple[str, str]:
        """(agent, id of its session) that the operation is performed in; '' for both in a person's shell, and
        where it can't be told which session of the agent it is."""
        agent, session = self.call.session or session_in(self.env)
        if agent and not session:
            from ctxrepo.services.delivery.sessions import only_session_in

            session = only_session_in(self.memory, agent, self.cwd, self.now)
        return (agent, session) if session else ("", "")

    @cached_property
    def agent(self) -> str:
        """The agent in whose shell the operation is performed, also where its session can't be told; '' for a
        person. What only persons may do asks this."""
        return self.call.session[0] if self.call.session else agent_in(self.env)

    @cached_property
    def origin(self) -> Origin:
        project = self.project
        return Origin(self.memory.host, self.session[1], self.agent, project.id if project else "")

    @property
    def machine(self) -> Machine:
        # Only needed to connect agents or look at them.
        from importlib.machinery import PathFinder

        from ctxrepo.services.setup.connection import Machine, choices_for_all

        checkout = None
        with suppress(NoAnswer):  # of which those tell who need the project
            checkout = Path(self.folder_facts.top or self.cwd)
        choices, can_serve = choices_for_all(self.places), PathFinder.find_spec("mcp") is not None
        return Machine(self.places, self.env, Path(self.interpreter), checkout, choices, can_serve)

    def wake(self) -> None:
        """Let a worker commit what was just acknowledged; nobody here waits for it. A sandbox has none."""
        if self._opened and self._opened.why_read_only:
            return
        state = self.places.state
        if known := next(iter(read_repositories(state)), None):
            with suppress(TimeoutError):  # it is started by whoever writes next
                run_forking(partial(start_worker, self.interpreter, str(state), str(state / known.id)))

    def wake_to_send(self) -> None:
        """Let a worker send what was committed, if an errand to the remote is left."""
        from ctxrepo.storage.remote.exchanges import Errands  # most find nothing to commit

        if self._opened and Errands(self._opened.state.root).are_waiting:
            self.wake()

    def take_proposed(self) -> tuple[str, ...]:
        """The ids of the proposals that writes have become since the last time."""
        ids = tuple(self._opened.proposed) if self._opened else ()
        if self._opened:
            self._opened.proposed.clear()
        return ids

    def commit_pending(self) -> CommitResult | None:
        """Commit what was written and isn't committed, so that what is shown is up to date.

        None where no commit can be made, and a notice says why; what only waits for a signature is shown all
        the same, and nobody is asked for one here."""
        # The write path is slow to import, and many operations commit nothing themselves.
        from ctxrepo.services.saving.committed import committed_already

        memory = self.memory  # outside the try: without a memory the operation fails
        try:
            if memory.why_read_only:
                return self._last_commit(memory)
            take_in(self.memory, self.now)
            if already := committed_already(memory):
                return already
            from ctxrepo.services.saving.commit import commit
            from ctxrepo.services.saving.refresh import complete

            result = commit(memory, self.now, signs=False)
            complete(memory, result.head)
            if result.is_to_send:
                self.wake()
        except Unsigned:
            self.wake()
            return None
        except CtxrepoError as error:
            self.notice(f"what was written last may not be in this: {error.message}. {error.hint}".rstrip())
            return None
        return result

    def _last_commit(self, memory: Memory) -> CommitResult | None:
        """The last commit, where none can be made; None, with a notice, if something isn't in it."""
        from ctxrepo.services.saving.committed import committed_already

        if waiting := memory.handover.names():
            writes = counted(len(waiting), "write")
            self.notice(f"{writes} handed over from here wait to be saved, and are not in this")
        if already := committed_already(memory):
            return already
        from ctxrepo.services.saving.pending import find_pending
        from ctxrepo.services.saving.refresh import complete

        complete(memory, memory.head)
        if paths := sorted(find_pending(memory, memory.head_tree).grounds):
            more = f" and {len(paths) - 1} more" if paths[1:] else ""
            self.notice(f"what was written last to {paths[0]}{more} is not in this: {memory.why_read_only}")
        return None


def take_in(memory: Memory, now: datetime) -> None:
    """Write what commands in a sandbox have handed over."""
    if memory.handover.names():
        from ctxrepo.services.worker import handover  # few have a sandbox

        handover.take_in(memory, now)


def _look_around(cwd: Path) -> tuple[FolderFacts, tuple[str, ...]]:
    return folder_facts(cwd), redirections(cwd)


def _files(memory: Memory) -> tuple[str, ...]:
    return _identity(memory.clone.git_dir), _identity(memory.state.cache)


def _identity(path: Path) -> str:
    """Which file or folder is there, whatever is in it; '' for none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_dev}:{status.st_ino}"
