"""Commands about agents' sessions: session off, on, show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.sessions import delivered
from ctxrepo.app.sessions.delivered import SwitchRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import command, group_of, json_option

if TYPE_CHECKING:
    from ctxrepo.storage.state.ledgers import Ledger


_SHORT = 8
"""Characters of an id that people read and type."""

group = group_of("session", "Turn memory off or on for one session of an agent.", "show")


@group.command()
@command(session="--session ID")
def off(request: SwitchRequest, json: bool = False) -> None:
    """Stop giving memory to a session."""
    _switch(replace(request, is_off=True), json)


@group.command()
@command(session="--session ID")
def on(request: SwitchRequest, json: bool = False) -> None:
    """Give memory to a session again, from its next prompt on."""
    _switch(request, json)


@group.command()
def show(json: Annotated[bool, json_option()] = False) -> None:
    """List the sessions of the last day, the newest first."""

    def said(found: Sequence[Ledger]) -> str:
        return "\n".join(output.aligned(map(_cells, found))) or "no agent had a session in the last day"

    answer(open_desk(), delivered.list_sessions, None, json, said)


def _switch(request: SwitchRequest, json: bool) -> None:
    what = "gets no more memory" if request.is_off else "gets memory again"

    def said(done: Ledger) -> str:
        return f"{done.agent} {done.session[:_SHORT]} {what}"

    answer(open_desk(), delivered.switch, request, json, said)


def _cells(one: Ledger) -> tuple[str, ...]:
    began = output.wall_time(datetime.fromtimestamp(one.began, UTC))
    since = f"since {began}" if one.began else "since when isn't known"
    entries = output.counted(one.given, "entry", "entries")
    standing = "off" if one.is_off else "on"
    return f"{one.agent} {one.session[:_SHORT]}", standing, since, entries, shown(one.cwd, 80)
