"""Commands about what the memory is good for: stats usage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxrepo.app.sessions import measuring
from ctxrepo.app.sessions.measuring import UsageRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import LIMIT, SCOPE, USUAL, command, group_of

if TYPE_CHECKING:
    from ctxrepo.services.usage.entry_usage import EntryUsage, Report


_HEAD = ("delivered", "sessions", "opened", "used", "contradicted", "last", "entry")
_WIDTH = 90

group = group_of("stats", "Show how sessions used the entries that they were given.", "usage")


@group.command()
@command(scope=SCOPE, is_zombies="--zombies", sessions=USUAL, limit=LIMIT)
def usage(request: UsageRequest, json: bool = False) -> None:
    """Show which entries sessions were given, opened, used and contradicted."""
    nothing = (
        "no entry only takes room"
        if request.is_zombies
        else "no session was given an entry yet, as far as this machine knows"
    )
    answer(open_desk(), measuring.usage, request, json, lambda report: _table(report, nothing))


def _table(report: Report, nothing: str) -> str:
    if not report.sessions:
        return nothing
    rows = [_HEAD, *map(_row, report.entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([*(c.rjust(w) for c, w in zip(row[:-1], widths, strict=False)), row[-1]]) for row in rows
    ]
    more = report.count - len(report.entries)
    left = [f"… {more} more; --limit shows them"] if more > 0 else []
    sums = (
        f"{output.counted(report.delivered, 'delivery', 'deliveries')}; once a session: "
        f"{report.sessions} delivered, {report.opened} opened, {report.used} used, "
        f"{report.contradicted} contradicted; usage rate {report.usage_rate:.2f}"
    )
    return "\n".join([*(lines if report.entries else [nothing]), *left, "", sums])


def _row(one: EntryUsage) -> tuple[str, ...]:
    counts = one.usage
    numbers = (counts.delivered, counts.sessions, counts.opened, counts.used, counts.contradicted)
    text = shown(" ".join(one.text.split()), _WIDTH) if one.text else "(edited or gone since)"
    return (*map(str, numbers), measuring.day_of(counts.last), f"{one.at} ^{counts.id}: {text}")
