"""What is kept of sessions is listed, and taken away for good."""

from collections.abc import Sequence
from dataclasses import replace

from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.index_update import unread_mark
from ctxrepo.services.sessions.transcripts_here import transcripts_here
from ctxrepo.storage.disk.private import touch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.database import discard
from ctxrepo.storage.processes.lock import locked
from ctxrepo.storage.sessions.kept_file import damaged_files, kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSession, KeptSessions
from ctxrepo.storage.sessions.session_index import SessionIndex, index_file

_WAIT = 30.0
"""Seconds to wait for whoever reads sessions."""


@dataclass(frozen=True)
class KeptChoice:
    """Sessions that are meant: those whose ids begin so, and of those the ones of this agent and of before a
    moment, in Unix seconds (0: of any time). `is_every`: all where nothing else is said."""

    beginnings: Sequence[str] = ()
    agent: str = ""
    before: int = 0
    is_every: bool = False

    def has(self, agent: str, id_: str, last: int) -> bool:
        is_named = not self.beginnings or any(id_.startswith(beginning) for beginning in self.beginnings)
        return is_named and self.agent in ("", agent) and (not self.before or last < self.before)


@dataclass(frozen=True)
class ForgetPlan:
    """What is to be taken away: the transcripts of which something is kept; (agent, session) of all that must
    not be kept again, and of those the ones that their agents still have; and stores that were damaged."""

    kept: Sequence[KeptSession]
    never: Sequence[tuple[str, str]]
    there: Sequence[tuple[str, str]]
    damaged: Sequence[str] = ()
    is_done: bool = False


def kept_sessions(memory: Memory, choice: KeptChoice) -> list[KeptSession]:
    """What is kept of these sessions, the newest first."""
    with KeptSessions.opened(kept_file(memory.state.root)) as store:
        sessions = [one for one in store.sessions().values() if not one.is_empty]
    chosen = [one for one in sessions if choice.has(one.agent, one.id, one.last)]
    return sorted(chosen, key=lambda one: -one.last)


def plan_to_forget(memory: Memory, choice: KeptChoice) -> ForgetPlan:
    """What would be taken away. UsageError where nothing is said, NotFound where nothing is meant."""
    if not (choice.beginnings or choice.agent or choice.before or choice.is_every):
        raise UsageError("no session is named", "Name one, or say --agent, --older-than or --all.")
    if memory.why_read_only:
        raise CtxrepoError(f"nothing can be forgotten: {memory.why_read_only}")
    kept = kept_sessions(memory, choice)
    names = {file.name for file in transcripts_here(memory).files}
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        indexed = [*index.sessions().values()]
    ids = {(one.agent, one.id) for one in kept}
    there = {(one.agent, one.id) for one in kept if one.name in names}
    there |= {(one.agent, one.id) for one in indexed if one.name in names}
    if choice.beginnings:  # nothing may be kept of it yet
        ids |= {one for one in there if choice.has(*one, 0)}
    damaged = [str(path) for path in damaged_files(memory.state.root)] if choice.is_every else []
    _require_plain(choice.beginnings, ids)
    if not (ids or damaged):
        raise NotFound("nothing that is meant is kept of any session", "`ctxrepo sessions list` shows all.")
    return ForgetPlan(kept, sorted(ids), sorted(ids & there), damaged)


def _require_plain(beginnings: Sequence[str], ids: set[tuple[str, str]]) -> None:
    """UsageError for the beginning of an id that several sessions have, or NotFound for that of none."""
    for beginning in beginnings:
        meant = {one for one in ids if one[1].startswith(beginning)}
        exact = {one for one in meant if one[1] == beginning}
        if not meant:
            raise NotFound(f"no session's id begins with {beginning}", "`ctxrepo sessions list` shows all.")
        if len(meant) > 1 and len(exact) != 1:
            raise UsageError(f"{len(meant)} sessions' ids begin with {beginning}", "Say more of it.")


def forget_sessions(memory: Memory, plan: ForgetPlan) -> ForgetPlan:
    """Take it away. The index, which has the words of it, is thrown away and made anew from the rest."""
    with locked(memory.state.lock("sessions"), _WAIT):
        with KeptSessions.opened(kept_file(memory.state.root), writes=True) as store:
            store.forget(plan.kept, plan.never)
        for path in damaged_files(memory.state.root) if plan.damaged else ():
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink(missing_ok=True)
        discard(index_file(memory.state.root))
        touch(unread_mark(memory))
    return replace(plan, is_done=True)
