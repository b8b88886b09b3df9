"""What `search --in sessions` shows: each hit with what stands around it, and the way back to its session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.project.layout import shown
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer_with_past, open_desk

if TYPE_CHECKING:
    from ctxrepo.app.sessions.search import SessionsFound, SessionsRequest
    from ctxrepo.domain.tape.conversation import SessionMessage
    from ctxrepo.services.sessions.search import SessionHit


def show_sessions(request: SessionsRequest, json: bool) -> None:
    """Search agents' sessions and show what is found."""
    from ctxrepo.app.sessions.search import search_sessions

    def text(found: SessionsFound) -> str:
        return "\n\n".join("\n".join(_lines(hit)) for hit in found.hits)

    answer_with_past(open_desk(), search_sessions, request, json, text)


def _lines(hit: SessionHit) -> Iterator[str]:
    agent = AGENTS[hit.agent].title if hit.agent in AGENTS else hit.agent
    about = [_moment(hit.said.when), agent, shown(hit.project, 80), _WHO.get(hit.said.who, "")]
    yield "  ".join(filter(None, about))
    for one in hit.before:
        yield f"    {_beside(one)}"
    yield f"  > {hit.said.text}"
    for one in hit.after:
        yield f"    {_beside(one)}"
    if hit.anchor:
        yield f"  anchor  {shown(hit.anchor.name, 80)}, {_moment(hit.anchor.timestamp)}"
    if hit.resume:
        yield f"  resume  {hit.resume}"  # whole, or somebody runs a part of it
    elif hit.no_resume:
        yield f"  resume  no command: {hit.no_resume}"


_WHO = {"user": "you", "agent": "agent"}


def _beside(one: SessionMessage) -> str:
    return f"{_WHO.get(one.who, '')}: {' '.join(one.text.split())}"


def _moment(when: str) -> str:
    """As this machine's clock shows it; '' where nothing tells it."""
    try:
        return output.wall_time(datetime.fromisoformat(when)) if when else ""
    except ValueError:
        return ""
