"""Commands about what prompts were given: trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option

if TYPE_CHECKING:
    import typer

    from ctxrepo.services.usage.read_traces import Trace, TracedEntry

_WIDTH = 100
_SESSION = 8


def register(app: typer.Typer) -> None:
    app.command()(trace)


def trace(
    name: Annotated[str, argument(metavar="ID", help="One trace, or the beginning of its id.")] = "",
    last: Annotated[
        int | None, option("--last", metavar="N", min=1, max=10_000, help="The last N; 5 by default.")
    ] = None,
    session: Annotated[
        str, option("--session", metavar="S", help="A session's, by its id or the beginning of it.")
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Show what the last prompts and edits were given, and why.

    Hooks note it on this machine: of a prompt the first 120 characters, of entries id, place and score.
    `ctxrepo recall Q --explain` asks anew.

    Example: ctxrepo trace --last 3
    """
    from ctxrepo.app.sessions.trace import TraceRequest, list_traces

    if name and (session or last):
        raise UsageError("an ID stands alone", "Leave out --last and --session.")

    def said(found: Sequence[Trace]) -> str:
        return "\n\n".join(map(_shown, found)) or "no prompt has left a trace yet"

    answer(open_desk(), list_traces, TraceRequest(name, session, last), json, said)


def _shown(trace: Trace) -> str:
    who = trace.agent + (f" {trace.session[:_SESSION]}" if trace.session else "")
    asked = f"ctxrepo {trace.by}" if trace.by else ""
    moment = output.wall_time(datetime.fromisoformat(trace.at), seconds=True) if trace.at else ""
    head = "  ".join(filter(None, (trace.id, moment, who, asked)))
    lines = [
        head,
        f"  edited {shown(trace.edited, 130)}" if trace.edited else f"  > {shown(trace.prompt, 130)}",
    ]
    lines += [line for one in trace.given for line in _entry("given", one)]
    lines += [line for one in trace.left_out for line in _entry("left out", one)]
    return "\n".join([*lines, f"  silence: {trace.silence}"] if trace.silence else lines)


def _entry(what: str, one: TracedEntry) -> Iterator[str]:
    yield f"  {what}: {one.at} ({one.score:.2f}) {one.id}" + (f": {one.why}" if one.why else "")
    gone = f"(edited, moved or gone since: `ctxrepo read {one.id}` tells)"
    yield f"    {shown(' '.join(one.text.split()), _WIDTH) if one.text else gone}"
