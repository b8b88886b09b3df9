"""What sessions made of the entries they were given."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.records.recall_quality import SESSIONS
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.usage.entry_usage import EntryUsage, Report


@dataclass(frozen=True)
class UsageRequest:
    """`is_zombies`: only entries that as many `sessions` were given, and none used."""

    scope: str = ""
    is_zombies: bool = False
    sessions: int = SESSIONS
    limit: int = 20


def usage(desk: Desk, request: UsageRequest) -> Result[Report]:
    """Say which entries were delivered, opened, used and contradicted."""
    from ctxrepo.services.usage.entry_usage import observe, usage, zombies

    desk.commit_pending()
    memory, now = desk.memory, desk.now.timestamp()
    try:
        observe(memory, (), now)
    except CtxrepoError as error:
        desk.notice(error.message)
    if request.is_zombies:
        report = zombies(memory, request.scope, desk.project, request.limit, request.sessions, now)
    else:
        report = usage(memory, request.scope, desk.project, request.limit)
    names = ("count", "delivered", "sessions", "opened", "used", "contradicted", "usage_rate")
    totals = {name: getattr(report, name) for name in names}
    return Result(report, {"entries": [_fields(one) for one in report.entries], "totals": totals})


def _fields(one: EntryUsage) -> dict[str, Any]:
    counts = one.usage
    return {
        "id": f"^{counts.id}",
        "at": one.at,
        "delivered": counts.delivered,
        "sessions": counts.sessions,
        "opened": counts.opened,
        "used": counts.used,
        "contradicted": counts.contradicted,
        "first": day_of(counts.first),
        "last": day_of(counts.last),
        "text": one.text,
    }


def day_of(at: float) -> str:
    """The day of a moment, in UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()
