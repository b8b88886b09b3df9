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
    answer(kept_operations.list_kept, request, json, lambda kept: "\n".join(_listed(kept)))


@command(sessions="[SESSION]...", agent="--agent AGENT", older_than="--older-than WHEN", every="--all")
def forget(
    request: ForgetKept, yes: Annotated[bool, option("--yes", "-y")] = False, json: bool = False
) -> None:
    """Take away what is kept of sessions, and keep nothing of them again."""

    def agrees(plan: ForgetPlan) -> bool:
        return yes or _agreed(plan, json)

    request = replace(request, agrees=agrees)
    answer(kept_operations.forget_kept, request, json, lambda plan: "\n".join(_forgotten(plan)))


def _agreed(plan: ForgetPlan, json: bool) -> bool:
    """Show what would go and ask; UsageError without a terminal."""
    if json or not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at", "See `ctxrepo sessions list`, then add --yes.")
    output.tell("\n".join(_rows(plan.kept[:_SHOWN])))
    more = len(plan.kept) - _SHOWN
    output.tell(f"and {more} more" if more > 0 else "")
    return confirm(f"Take away {_count(plan)}? Nothing brings it back.")


def _listed(kept: Sequence[KeptSession]) -> Iterator[str]:
    yield from _rows(kept)
    if not kept:
        yield "no session is kept; `ctxrepo config explain sessions.keep` says how they are"


def _rows(kept: Sequence[KeptSession]) -> Iterator[str]:
    for one in kept:
        title = AGENTS[one.agent].title if one.agent in AGENTS else one.agent
        when = wall_time(datetime.fromtimestamp(one.last_at, UTC)) if one.last_at else ""
        yield f"{when:16}  {title}  {shown(one.id)}  {shown(one.cwd)}".rstrip()


def _count(plan: ForgetPlan) -> str:
    sessions = len({(one.agent, one.id) for one in plan.kept})
    damaged = f", and {counted(len(plan.damaged), 'damaged store')}" if plan.damaged else ""
    return f"what is kept of {counted(sessions, 'session')}{damaged}"


def _forgotten(plan: ForgetPlan) -> Iterator[str]:
    if not plan.is_done:
        yield "nothing was changed"
        return
    yield f"forgotten: {_count(plan)}"
    if there := len(plan.present):
        of = "the agent still has the transcript" if there == 1 else "the agents still have the transcripts"
        yield f"{of} of {counted(there, 'session')}: searched as before, and not kept again"


sessions.command("list")(list_kept)
sessions.command("forget")(forget)
