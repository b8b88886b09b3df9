"""Commands about agents' sessions: session off, on, show."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import json_option, option, without_verb

if TYPE_CHECKING:
    from ctxrepo.storage.state.ledgers import Ledger

_SHORT = 8
"""Characters of an id that people read and type."""

group = typer.Typer()

Which = Annotated[str, option("--session", metavar="ID", help="Another session, by the beginning of its id.")]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="session")


@group.callback(invoke_without_command=True)
def session(context: typer.Context, json: Annotated[bool, json_option()] = False) -> None:
    """Let one session of an agent go on without memory.

    Without a verb it shows the sessions of the last day.

    Example: ctxrepo session
    """
    without_verb(context, show, json=json)


@group.command()
def off(session: Which = "", json: Annotated[bool, json_option()] = False) -> None:
    """Give this session of an agent nothing any more.

    No packet, no entries, no reminders, no faults, also after a compaction. What it writes to the memory is
    kept as before. Without --session the session is the one that the command is run in, else the newest one
    in this project.

    Example: ctxrepo session off
    """
    _switch(session, is_off=True, json=json)


@group.command()
def on(session: Which = "", json: Annotated[bool, json_option()] = False) -> None:
    """Give it what it is due again, from its next prompt on.

    Example: ctxrepo session on --session 528a2201
    """
    _switch(session, is_off=False, json=json)


@group.command()
def show(json: Annotated[bool, json_option()] = False) -> None:
    """List the sessions of the last day, the newest first.

    Example: ctxrepo session show
    """
    from ctxrepo.app.sessions.sessions import list_sessions

    def said(found: Sequence[Ledger]) -> str:
        return "\n".join(output.aligned(map(_cells, found))) or "no agent had a session lately"

    answer(open_desk(), list_sessions, None, json, said)


def _switch(wanted: str, *, is_off: bool, json: bool) -> None:
    from ctxrepo.app.sessions.sessions import SwitchRequest, switch

    what = "gets no more memory" if is_off else "gets memory again"

    def said(done: Ledger) -> str:
        return f"{done.agent} {done.session[:_SHORT]} {what}"

    answer(open_desk(), switch, SwitchRequest(is_off, wanted), json, said)


def _cells(one: Ledger) -> tuple[str, ...]:
    since = f"since {output.wall_time(_utc(one.began))}" if one.began else "since when isn't known"
    entries = output.counted(one.given, "entry", "entries")
    standing = "off" if one.is_off else "on"
    return f"{one.agent} {one.session[:_SHORT]}", standing, since, entries, shown(one.cwd, 80)


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
