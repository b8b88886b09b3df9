"""What a session that starts here would be given now."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.delivery.start_packet import Context


@dataclass(frozen=True)
class ContextRequest:
    """The packet, with another preset or budget than the settings have, and as an agent is given it."""

    preset: str | None = None
    budget: int = 0
    agent: str = ""


def context(desk: Desk, request: ContextRequest) -> Result[Context]:
    """Say what a session would start with, up to what was written last."""
    from ctxrepo.agents.known import agent_named
    from ctxrepo.services.delivery.first_files import update_recent_files
    from ctxrepo.services.delivery.start_packet import Start, context

    known = agent_named(request.agent).name if request.agent else ""
    desk.commit_pending()
    update_recent_files(desk.memory)
    start = Start(desk.cwd, request.preset, request.budget, known)
    made = context(desk.memory, desk.project, start)
    return Result(made, {**asdict(made), "bytes": len(made.text.encode())})
