"""The command about daily notes: log."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, Scope

_TODAY = "`ctxrepo log` prints the log of today."
_BACK = "`ctxrepo log --undo` takes the last line back."
_MEANT = {
    **dict.fromkeys(("show", "print", "cat", "today", "status"), _TODAY),
    **dict.fromkeys(("undo", "remove", "delete", "rm", "clear", "pop"), _BACK),
    **dict.fromkeys(("list", "ls", "days"), "`ctxrepo log --list` prints the days that have a log."),
    "yesterday": "`ctxrepo log --date yesterday` prints it.",
    "add": "`ctxrepo log TEXT` adds a line.",
    "edit": "`ctxrepo edit ^ID` changes a line.",
}
"""Words that read like a verb of `log` -> what does it."""


def register(app: typer.Typer) -> None:
    app.command()(log)


def log(
    context: typer.Context,
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
    undo: Annotated[bool, typer.Option("--undo", help="Take back the last line that was logged.")] = False,
    json: Json = False,
) -> None:
    """Write a line into today's log; without a text print it.

    Today is the day where you are. It goes to daily/ in the scope, a note a day. One word that is the name
    of a command is not logged: say it in a sentence.

    Example: ctxrepo log "Moved the basket to Postgres; the tests pass"
    """
    if sum((bool(text), bool(date), days, undo)) > 1:
        raise UsageError(
            "a text, --date, --list and --undo go one at a time",
            "A line is always written into the log of today.",
        )
    if undo:
        _undo(json)
    elif days:
        _days(scope, json)
    elif text:
        words = " ".join(text)
        _require_sentence(words, context.find_root().command)
        _write(words, scope, json)
    else:
        _print(date, scope, json)


def _require_sentence(text: str, root: Any) -> None:
    """UsageError for a word that was meant as a command: nobody would find it in the log."""
    word = text.strip().casefold()
    instead = _MEANT.get(word, "")
    if instead or word in root.commands:
        raise UsageError(
            f"`log {word}` would write the word {word} into today's log",
            f"{instead or '`ctxrepo log` prints the log of today.'} To log it, say it in a sentence.",
        )


def _undo(json: bool) -> None:
    from ctxrepo.faces.cli.notes.back import say_undone
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.undo import undo

    run = Runtime()
    done = undo(run.memory, run.origin, run.now, only="log")
    run.wake()
    say_undone(done, json)


def _write(text: str, scope: str, json: bool) -> None:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.log import log

    run = Runtime()
    made = log(run.memory, text, scope, run.project, run.origin, run.now.astimezone())
    run.wake()
    output.done(
        json, {"id": f"^{made.id}", "at": made.at, "text": made.text}, f"logged: ^{made.id} {made.at}"
    )


def _print(date: str, scope: str, json: bool) -> None:
    from ctxrepo.domain.working.daily import parse_day
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.log import read_day

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
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.log import logged_days

    run = Runtime()
    found = logged_days(run.memory, scope, run.project)
    output.done(json, {"days": found}, "\n".join(found))
