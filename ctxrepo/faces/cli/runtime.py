"""What every command starts from: the environment as values, the opened memory, the project one stands in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.agents.known import session_in
from ctxrepo.domain.git.origin import Origin
from ctxrepo.errors import CtxrepoError, NoAnswer
from ctxrepo.faces.cli import output, waiting
from ctxrepo.hooks.files.daemon import start_worker
from ctxrepo.services.locate.project import Project, find_project
from ctxrepo.services.projects.sparse import widen
from ctxrepo.services.repository.publish_settings import compile_for_hooks
from ctxrepo.services.setup.connection import Machine
from ctxrepo.storage.disk.outside import Outside
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import read_repositories
from ctxrepo.storage.user.pimemory import redirections
from ctxrepo.storage.user.places import Places

if TYPE_CHECKING:
    from ctxrepo.services.saving.commit import Committed


@dataclass(frozen=True)
class Runtime:
    """One run of one command."""

    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: Path = field(default_factory=lambda: _here())
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    is_lenient: bool = False
    """Where config.toml can't be read what it said before holds: for commands that tell what is wrong."""

    @cached_property
    def places(self) -> Places:
        """Where everything is, put right or refused before anything is read there."""
        places = Places.of(self.env)
        places.secure()
        return places

    @cached_property
    def memory(self) -> Memory:
        """The memory; what is odd in config.toml is said once, aloud."""
        memory = Memory.open(self.places, self.env, or_as_before=self.is_lenient)
        for warning in memory.settings.warnings:
            output.notice(warning)
        for warning in self.pi_warnings:
            output.notice(warning)
        compile_for_hooks(memory, self.interpreter)
        return replace(memory, progress=waiting.tell)

    @property
    def pi_warnings(self) -> tuple[str, ...]:
        """What is odd in the settings for pi that came with the folder one stands in.

        Nothing where that folder hangs: commands that need the project say so.
        """
        with suppress(NoAnswer):
            return Outside(self.places.silent).ask(self.cwd, lambda: redirections(self.cwd))
        return ()

    @cached_property
    def project(self) -> Project | None:
        project = find_project(self.memory, self.cwd, self.env)
        widen(self.memory, project, self.now)
        return project

    @cached_property
    def origin(self) -> Origin:
        agent, session = session_in(self.env)
        return Origin(self.memory.host, session, agent, self.project.id if self.project else "")

    @property
    def interpreter(self) -> str:
        """The Python that hooks shall start: this one, by its absolute path and never through a shim."""
        return sys.executable

    @property
    def machine(self) -> Machine:
        return Machine(self.places, self.env, Path(self.interpreter))

    def wake(self) -> None:
        """Let a worker commit what was just acknowledged; this command doesn't wait for it."""
        state = self.places.state
        for known in read_repositories(state)[:1]:
            folder = str(state / known.id)
            start_worker(self.interpreter, str(state), folder)

    def settle(self) -> Committed | None:
        """Commit here and now, so that what is shown is up to date; what keeps it from that is said, and None
        returned."""
        # The write path costs more than ten starts of Python, and many commands commit nothing themselves.
        from ctxrepo.services.saving.commit import CommitRequest, commit
        from ctxrepo.services.saving.refresh import complete
        from ctxrepo.services.saving.spooled import spooled_versions

        memory = self.memory  # not below: without any there is nothing to show
        try:
            done = commit(memory, self.now, CommitRequest(spooled_versions(memory)))
            complete(memory, done.head)
        except CtxrepoError as error:
            output.notice(f"what was written last is not in this: {error.message}. {error.hint}".rstrip())
            return None
        return done


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise CtxrepoError("the folder this runs in is gone", "Go to another one.") from None
