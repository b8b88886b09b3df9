"""The command about daily notes: log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import table
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option, scope_option

if TYPE_CHECKING:
    import typer

    from ctxrepo.domain.note.note import Note

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
    text: Annotated[
        list[str] | None, argument(metavar="TEXT", help="What was done, found or decided.")
    ] = None,
    scope: Annotated[str, scope_option()] = "",
    date: Annotated[
        str,
        option("--date", metavar="DAY", help="Print the log of that day, e.g. 2026-11-20 or yesterday."),
    ] = "",
    days: Annotated[bool, option("--list", help="Print the days that have a log.")] = False,
    undo: Annotated[bool, option("--undo", help="Take back the last line that was logged.")] = False,
    json: Annotated[bool, json_option()] = False,
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
    from ctxrepo.app.notes import log as daily
    from ctxrepo.app.notes.back import UndoRequest
    from ctxrepo.app.notes.back import undo as take_back

    if undo:
        from ctxrepo.faces.cli.notes.back import undone

        answer(open_desk(), take_back, UndoRequest(only="log"), json, undone)
    elif days:
        answer(open_desk(), daily.list_days, daily.DaysRequest(scope), json, "\n".join)
    elif text:
        words = " ".join(text)
        _require_sentence(words)
        request = daily.LogRequest(words, scope)
        answer(open_desk(), daily.log, request, json, lambda made: f"logged: ^{made.id} {made.at}")
    else:
        answer(open_desk(), daily.read_day, daily.DayRequest(date, scope), json, _read)


def _require_sentence(text: str) -> None:
    """UsageError for a word that was meant as a command: nobody would find it in the log."""
    word = text.strip().casefold()
    instead = _MEANT.get(word, "")
    if instead or word in table.read().commands:
        raise UsageError(
            f"`log {word}` would write the word {word} into today's log",
            f"{instead or '`ctxrepo log` prints the log of today.'} To log it, say it in a sentence.",
        )


def _read(note: Note | None) -> str:
    return note.body.strip("\r\n") if note else "nothing is logged today"
