"""The command about daily notes: log."""

from __future__ import annotations

from typing import Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json, Scope
from ctxrepo.errors import NotFound, UsageError


def register(app: typer.Typer) -> None:
    app.command()(log)


def log(
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What was done, found or decided.")
    ] = None,
    scope: Scope = "",
    date: Annotated[
        str,
        typer.Option(
            "--date", metavar="DAY", help="Print the log of that day, e.g. 2026-11-20 or yesterday."
        ),
    ] = "",
    days: Annotated[bool, typer.Option("--list", help="Print the days that have a log.")] = False,
    json: Json = False,
) -> None:
    """Write a line into today's log; without a text print it.

    Today is the day where you are. It goes to daily/ in the scope, a note a day.

    Example: ctxrepo log "Moved the basket to Postgres; the tests pass"
    """
    if sum((bool(text), bool(date), days)) > 1:
        raise UsageError(
            "a text, --date and --list go one at a time", "A line is always written into the log of today."
        )
    if days:
        _days(scope, json)
    elif text:
        _write(" ".join(text), scope, json)
    else:
        _print(date, scope, json)


def _write(text: str, scope: str, json: bool) -> None:
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.log import log

    run = Runtime()
    made = log(run.memory, text, scope, run.project, run.origin, run.now.astimezone())
    run.wake()
    output.done(
        json, {"id": f"^{made.id}", "at": made.at, "text": made.text}, f"logged: ^{made.id} {made.at}"
    )


def _print(date: str, scope: str, json: bool) -> None:
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.domain.daily import parse_day
    from ctxrepo.services.log import read_day

    run = Runtime()
    day = parse_day(date or "today", run.now.astimezone())
    try:
        note = read_day(run.memory, day, scope, run.project)
    except NotFound:
        if date:
            raise
        output.done(json, {"date": day, "path": "", "text": "", "entries": []}, "nothing is logged today")
        return
    entries = [{"id": f"^{e.id}", "at": e.at, "text": e.text} for e in note.entries]
    data = {"date": day, "path": note.path, "text": note.text, "entries": entries}
    output.done(json, data, note.body.strip("\r\n"))


def _days(scope: str, json: bool) -> None:
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.log import logged_days

    run = Runtime()
    found = logged_days(run.memory, scope, run.project)
    output.done(json, {"days": found}, "\n".join(found))
