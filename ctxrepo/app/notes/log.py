"""The daily note of a scope: a line is written, a day is read, the days are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.note.entry import Entry
    from ctxrepo.domain.note.note import Note


@dataclass(frozen=True)
class LogRequest:
    """What was done, found or decided."""

    text: str
    scope: str = ""


@dataclass(frozen=True)
class DayRequest:
    """A day, such as 2026-11-20 or yesterday; '' is today."""

    day: str = ""
    scope: str = ""


@dataclass(frozen=True)
class DaysRequest:
    scope: str = ""


def log(desk: Desk, request: LogRequest) -> Result[Entry]:
    """Write a line into today's log; today is the day where one is."""
    from ctxrepo.services.notes.log import log

    made = log(desk.memory, request.text, request.scope, desk.project, desk.origin, desk.now.astimezone())
    desk.wake()
    return Result(made, {"id": f"^{made.id}", "at": made.at, "text": made.text})


def read_day(desk: Desk, request: DayRequest) -> Result[Note | None]:
    """Read the log of a day; None where nothing is logged today."""
    from ctxrepo.domain.working.daily import parse_day
    from ctxrepo.services.reading.log import read_day

    day = parse_day(request.day or "today", desk.now.astimezone())
    try:
        note = read_day(desk.memory, day, request.scope, desk.project)
    except NotFound:
        if request.day:
            raise
        return Result(None, {"date": day, "path": "", "text": "", "entries": []})
    entries = [{"id": f"^{e.id}", "at": e.at, "text": e.text} for e in note.entries]
    return Result(note, {"date": day, "path": note.path, "text": note.text, "entries": entries})


def list_days(desk: Desk, request: DaysRequest) -> Result[Sequence[str]]:
    """List the days that have a log."""
    from ctxrepo.services.reading.log import logged_days

    found = logged_days(desk.memory, request.scope, desk.project)
    return Result(found, {"days": found})
