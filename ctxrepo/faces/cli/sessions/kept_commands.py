"""Commands about what is kept of sessions: sessions list, forget."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

from ctxrepo.agents.known import AGENTS
from ctxrepo.app.sessions import kept_operations
from ctxrepo.app.sessions.kept_operations import ForgetKept, ListKept
from ctxrepo.domain.formats.moment import counted, wall_time
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, confirm
from ctxrepo.faces.cli.options import Group, command, option
from ctxrepo.services.sessions.forget_sessions import ForgetPlan
from ctxrepo.storage.sessions.kept_sessions import KeptSession

sessions = Group("sessions", "List and forget what is kept of agents' sessions.", "list")

_SHOWN = 10
"""Sessions that are named before somebody is asked."""


@command(agent="--agent AGENT", older_than="--older-than WHEN")
def list_kept(request: ListKept, json: bool = False) -> None:
    """List the sessions that are kept, the newest first."""
    answer(kept_operations.list_kept, request, json, lambda sessions: "\n".join(_list_lines(sessions)))


@command(sessions="[SESSION]...", agent="--agent AGENT", older_than="--older-than WHEN", every="--all")
def forget(
    request: ForgetKept, yes: Annotated[bool, option("--yes", "-y")] = False, json: bool = False
) -> None:
    """Take away what is kept of sessions, and keep nothing of them again."""

    def agrees(plan: ForgetPlan) -> bool:
        return yes or _confirm(plan, json)

    request = replace(request, agrees=agrees)
    answer(kept_operations.forget_kept, request, json, lambda plan: "\n".join(_outcome_lines(plan)))


def _confirm(plan: ForgetPlan, json: bool) -> bool:
    """Show what would go and ask; UsageError without a terminal."""
    if json or not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at", "See `ctxrepo sessions list`, then add --yes.")
    output.tell("\n".join(_rows(plan.kept[:_SHOWN])))
    more = len(plan.kept) - _SHOWN
    output.tell(f"and {more} more" if more > 0 else "")
    return confirm(f"Take away {_count(plan)}? Nothing brings it back.")


def _list_lines(sessions: Sequence[KeptSession]) -> Iterator[str]:
    yield from _rows(sessions)
    if not sessions:
        yield "no session is kept; `ctxrepo config explain sessions.keep` says how they are"


def _rows(sessions: Sequence[KeptSession]) -> Iterator[str]:
    for session in sessions:
        title = AGENTS[session.agent].title if session.agent in AGENTS else session.agent
        when = wall_time(datetime.fromtimestamp(session.last_at, UTC)) if session.last_at else ""
        yield f"{when:16}  {title}  {shown(session.id)}  {shown(session.cwd)}".rstrip()


def _count(plan: ForgetPlan) -> str:
    sessions = len({(session.agent, session.id) for session in plan.kept})
    damaged = f", and {counted(len(plan.damaged), 'damaged store')}" if plan.damaged else ""
    return f"what is kept of {counted(sessions, 'session')}{damaged}"


def _outcome_lines(plan: ForgetPlan) -> Iterator[str]:
    if not plan.is_done:
        yield "nothing was changed"
        return
    yield f"forgotten: {_count(plan)}"
    if present := len(plan.present):
        of = "the agent still has the transcript" if present == 1 else "the agents still have the transcripts"
        yield f"{of} of {counted(present, 'session')}: searched as before, and not kept again"


sessions.command("list")(list_kept)
sessions.command("forget")(forget)
