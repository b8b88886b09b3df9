"""What is kept of sessions is listed, and removed for good."""

from collections.abc import Sequence
from dataclasses import replace

from ctxrepo.domain.project.target import resolve_id
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
    """The sessions whose ids begin with one of `beginnings` (() is any), of this `agent` ('' is any), in
    which nothing was said since the moment `before`, in Unix seconds (0: no bound). To choose all sessions,
    `is_every` must be set."""

    beginnings: Sequence[str] = ()
    agent: str = ""
    before: int = 0
    is_every: bool = False

    def has(self, agent: str, id_: str, last_at: int) -> bool:
        is_named = not self.beginnings or any(id_.startswith(beginning) for beginning in self.beginnings)
        return is_named and self.agent in ("", agent) and (not self.before or last_at < self.before)


@dataclass(frozen=True)
class ForgetPlan:
    """What is to be removed: all that is kept of the transcripts `kept`, and the files of `damaged` stores.
    The sessions in `never`, (agent, session), are not kept again; of those in `present`, the agent still has
    a transcript. `is_done`: it was removed."""

    kept: Sequence[KeptSession]
    never: Sequence[tuple[str, str]]
    present: Sequence[tuple[str, str]]
    damaged: Sequence[str] = ()
    is_done: bool = False


def kept_sessions(memory: Memory, choice: KeptChoice) -> list[KeptSession]:
    """What is kept of these sessions, the newest first."""
    with KeptSessions.opened(kept_file(memory.state.root)) as store:
        sessions = [session for session in store.sessions().values() if not session.is_empty]
    chosen = [session for session in sessions if choice.has(session.agent, session.id, session.last_at)]
    return sorted(chosen, key=lambda session: -session.last_at)


def plan_to_forget(memory: Memory, choice: KeptChoice) -> ForgetPlan:
    """What would be removed. UsageError for an empty choice or an ambiguous id, NotFound where nothing is
    kept of the chosen sessions, CtxrepoError where nothing can be written."""
    if not (choice.beginnings or choice.agent or choice.before or choice.is_every):
        raise UsageError("no session is named", "Name one, or say --agent, --older-than or --all.")
    if memory.why_read_only:
        raise CtxrepoError(f"nothing can be forgotten: {memory.why_read_only}")
    kept = kept_sessions(memory, choice)
    names = {file.name for file in transcripts_here(memory).files}
    with SessionIndex.opened(index_file(memory.state.root)) as index:
        indexed = [*index.sessions().values()]
    ids = {(session.agent, session.id) for session in kept}
    present = {(session.agent, session.id) for session in (*kept, *indexed) if session.name in names}
    if choice.beginnings:  # nothing may be kept of it yet
        ids |= {session for session in present if choice.has(*session, 0)}
    damaged = [str(path) for path in damaged_files(memory.state.root)] if choice.is_every else []
    if choice.beginnings:
        session_ids = {_named(beginning, ids) for beginning in choice.beginnings}
        kept = [session for session in kept if session.id in session_ids]
        ids = {(agent, session_id) for agent, session_id in ids if session_id in session_ids}
    if not (ids or damaged):
        raise NotFound("nothing that is meant is kept of any session", "`ctxrepo sessions list` shows all.")
    return ForgetPlan(kept, sorted(ids), sorted(ids & present), damaged)


def _named(beginning: str, ids: set[tuple[str, str]]) -> str:
    """The id of the session that is meant, of one agent."""
    missing = f"there is no session {beginning}"
    name = resolve_id(beginning, (id_ for _, id_ in ids), missing, "`ctxrepo sessions list` shows all.")
    if [id_ for _, id_ in ids].count(name) > 1:
        raise UsageError(f"several agents have a session {name}", "Say with --agent whose is meant.")
    return name


def forget_sessions(memory: Memory, plan: ForgetPlan) -> ForgetPlan:
    """Carry out a plan. The index has words of what is removed, so it is discarded and built again."""
    with locked(memory.state.lock("sessions"), _WAIT):
        with KeptSessions.opened(kept_file(memory.state.root), writes=True) as store:
            store.forget(plan.kept, plan.never)
        for path in damaged_files(memory.state.root) if plan.damaged else ():
            for file in path.parent.glob(f"{path.name}*"):
                file.unlink(missing_ok=True)
        discard(index_file(memory.state.root))
        touch(unread_mark(memory))
    return replace(plan, is_done=True)
