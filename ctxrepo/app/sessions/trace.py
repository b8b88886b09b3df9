"""What the last prompts and edits were given, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.usage.read_traces import Trace


@dataclass(frozen=True)
class TraceRequest:
    """One trace by the beginning of its id, or the last ones, of one session where that is named."""

    id: str = ""
    session: str = ""
    last: int | None = None


def list_traces(desk: Desk, request: TraceRequest) -> Result[Sequence[Trace]]:
    """Say what the last prompts and edits were given."""
    from ctxrepo.services.usage.read_traces import LAST, traces

    last = request.last or (None if request.session else LAST)
    found = traces(desk.memory, request.id, request.session, last)
    return Result(found, {"traces": [asdict(one) for one in found]})
