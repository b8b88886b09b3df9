"""Operations that show how sessions used the memory: usage and traces."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.domain.records.entry_use import COUNTS, SESSIONS
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.usage.entry_usage import EntryUsage, UsageReport
    from ctxrepo.services.usage.read_traces import Trace


@dataclass(frozen=True)
class UsageRequest:
    """Which entries are counted."""

    scope: ScopeName = ""
    is_zombies: bool = False
    """Only entries that many sessions were given and none used."""
    sessions: Annotated[int, Between(1)] = SESSIONS
    """How many sessions count as many for --zombies; 10 by default."""
    limit: Annotated[int, Between(1, 5000)] = 20
    """Show at most N entries; 20 by default."""


@reads
def usage(desk: Desk, request: UsageRequest) -> Result[UsageReport]:
    """Say which entries were delivered, opened, used and contradicted."""
    from ctxrepo.services.usage.entry_usage import observe, usage, zombies

    memory, now = desk.memory, desk.now.timestamp()
    try:
        observe(memory, (), now)
    except CtxrepoError as error:
        desk.notice(error.message)
    if request.is_zombies:
        report = zombies(memory, request.scope, desk.project, request.limit, request.sessions, now)
    else:
        report = usage(memory, request.scope, desk.project, request.limit)
    totals = {name: getattr(report, name) for name in ("count", *COUNTS, "usage_rate")}
    return Result(report, {"entries": [*map(_usage_fields, report.entries)], "totals": totals})


def _usage_fields(entry: EntryUsage) -> dict[str, Any]:
    use = entry.usage
    counts = {name: getattr(use, name) for name in COUNTS}
    days = {"first": day_of(use.first), "last": day_of(use.last)}
    return {"id": f"^{use.id}", "at": entry.at, **counts, **days, "text": entry.text}


def day_of(at: float) -> str:
    """The day of a moment in Unix seconds, in UTC: `2026-11-24`."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


@dataclass(frozen=True)
class TraceRequest:
    """One trace by its id, or the last ones, of all sessions or of one."""

    id: str = ""
    """The id of one trace, or the beginning of it."""
    session: str = ""
    """Only of this session, by its id or the beginning of it."""
    last: Annotated[int | None, Between(1, 10_000)] = None
    """Show the last N; 5 by default."""


def list_traces(desk: Desk, request: TraceRequest) -> Result[Sequence[Trace]]:
    """List what recent prompts and edits were given."""
    from ctxrepo.services.usage.read_traces import LAST, traces

    last = request.last or (None if request.session else LAST)
    return Result(traces(desk.memory, request.id, request.session, last), "traces")
