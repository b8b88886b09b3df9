"""Operations on what is kept of agents' sessions on this machine: list and forget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import agent_named
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import second_at, since
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.forget_sessions import (
    ForgetPlan,
    KeptChoice,
    forget_sessions,
    kept_sessions,
    plan_to_forget,
)

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.storage.sessions.kept_sessions import KeptSession


@dataclass(frozen=True)
class ListKept:
    """Which kept sessions are listed."""

    agent: str = ""
    """Only sessions of this agent."""
    older_than: str = ""
    """Only those in which nothing was said since: a date, or `90 days`."""


@dataclass(frozen=True)
class ForgetKept(ListKept):
    """Which kept sessions are forgotten; `agrees` is given the plan, and nothing happens if it returns
    False."""

    sessions: Sequence[str] = ()
    """The beginning of a session's id; several may be given."""
    every: bool = False
    """All that is kept."""
    agrees: Callable[..., bool] = lambda _: True


def list_kept(desk: Desk, request: ListKept) -> Result[Sequence[KeptSession]]:
    """List what is kept of sessions, the newest first."""
    sessions = kept_sessions(desk.memory, _choice(desk, request, ()))
    return Result(sessions, {"sessions": [*map(_fields, sessions)]})


def forget_kept(desk: Desk, request: ForgetKept) -> Result[ForgetPlan]:
    """Remove what is kept of sessions, and keep nothing of them again."""
    if desk.agent:
        raise Refused(
            "an agent's session forgets nothing that is kept", "A person does, in a terminal of their own."
        )
    choice = replace(_choice(desk, request, request.sessions), is_every=request.every)
    plan = plan_to_forget(desk.memory, choice)
    if request.agrees(plan):
        plan = forget_sessions(desk.memory, plan)
        desk.wake()
    fields = {
        "forgotten": plan.is_done,
        "sessions": [*map(_fields, plan.kept)],
        "transcripts": [{"agent": agent, "session": session} for agent, session in plan.present],
    }
    return Result(plan, fields)


def _choice(desk: Desk, request: ListKept, sessions: Sequence[str]) -> KeptChoice:
    if request.agent:
        agent_named(request.agent)
    if not all(beginning.strip() for beginning in sessions):  # an empty variable would match all
        raise UsageError("the id of a session is empty")
    before = 0
    if request.older_than:
        moment = since(request.older_than, desk.now.astimezone(), datetime.astimezone)
        before = int(moment.timestamp())
    return KeptChoice(tuple(sessions), request.agent, before)


def _fields(kept: KeptSession) -> dict[str, object]:
    return {"agent": kept.agent, "session": kept.id, "cwd": kept.cwd, "last": second_at(kept.last_at)}
