"""Commands about agents' sessions: session off, on, show."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.project.paths import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

if TYPE_CHECKING:
    from ctxrepo.storage.state.ledgers import Ledger

_SHORT = 8
"""Characters of an id that people read and type."""

group = typer.Typer()

Which = Annotated[
    str, typer.Option("--session", metavar="ID", help="Another session, by the beginning of its id.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="session")


@group.callback(invoke_without_command=True)
def session(context: typer.Context, json: Json = False) -> None:
    """Let one session of an agent go on without memory.

    Without a verb it shows the sessions of the last day.

    Example: ctxrepo session
    """
    without_verb(context, show, json=json)


@group.command()
def off(session: Which = "", json: Json = False) -> None:
    """Give this session of an agent nothing any more.

    No packet, no entries, no reminders, no faults, also after a compaction. What it writes to the memory is
    kept as before. It is the session that the command is run in, else the newest one in this project.

    Example: ctxrepo session off
    """
    _switch(session, is_off=True, json=json)


@group.command()
def on(session: Which = "", json: Json = False) -> None:
    """Give it what it is due again, from its next prompt on.

    Example: ctxrepo session on --session 528a2201
    """
    _switch(session, is_off=False, json=json)


@group.command()
def show(json: Json = False) -> None:
    """List the sessions of the last day, the newest first.

    Example: ctxrepo session show
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.delivery.sessions import sessions

    run = Runtime()
    found = sessions(run.memory, run.now)
    lines = "\n".join(output.aligned(map(_cells, found)))
    output.done(json, {"sessions": [_data(one) for one in found]}, lines or "no agent had a session lately")


def _switch(wanted: str, *, is_off: bool, json: bool) -> None:
    from ctxrepo.agents.known import session_in
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.delivery.sessions import Caller, session_meant, switch

    run = Runtime()
    here = Caller(run.cwd, run.env, session_in(run.env))
    done = switch(session_meant(run.memory, wanted, here, run.now), is_off=is_off)
    what = "gets no more memory" if is_off else "gets memory again"
    output.done(json, _data(done), f"{done.agent} {done.session[:_SHORT]} {what}")


def _data(one: Ledger) -> dict[str, Any]:
    return {
        "agent": one.agent,
        "session": one.session,
        "cwd": one.cwd,
        "began": _moment(one.began),
        "last": _moment(one.touched),
        "off": one.is_off,
        "given": one.given,
    }


def _cells(one: Ledger) -> tuple[str, ...]:
    since = f"since {output.wall_time(_utc(one.began))}" if one.began else "since when isn't known"
    entries = output.counted(one.given, "entry", "entries")
    standing = "off" if one.is_off else "on"
    return f"{one.agent} {one.session[:_SHORT]}", standing, since, entries, shown(one.cwd, 80)


def _moment(at: float) -> str:
    return second(_utc(at)) if at else ""


def _utc(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
